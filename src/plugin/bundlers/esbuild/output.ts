/** The output of an esbuild build. It is on disk or in memory. The plugin changes it after the build. */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import type { BuildResult, Metafile, OutputFile } from 'esbuild'
import type { PrebuiltChunk } from '../../../output/prebuilt-chunks.ts'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'

/** The new name and text of each changed file. The key is the old name. */
type OutputEdits = ReadonlyMap<string, { readonly name: string; readonly text: string }>

export class EsbuildOutput {
  /** Paths relative to the working directory, as in the metafile. */
  readonly names: readonly string[]
  readonly #metafile: Metafile
  readonly #result: BuildResult
  readonly #root: string
  /** The files by absolute path, or `undefined` if esbuild has written them to disk. */
  readonly #inMemory: ReadonlyMap<string, OutputFile> | undefined

  constructor(result: BuildResult & { readonly metafile: Metafile }, root: string) {
    this.#result = result
    this.#root = root
    this.#metafile = result.metafile
    this.names = Object.keys(result.metafile.outputs)
    this.#inMemory = result.outputFiles && new Map(result.outputFiles.map((file) => [resolve(root, file.path), file]))
  }

  async text(name: string): Promise<string> {
    const path = resolve(this.#root, name)
    return this.#inMemory ? (this.#inMemory.get(path)?.text ?? '') : readFile(path, 'utf8')
  }

  /** Returns a script's source map if it is in a separate file. */
  async mapOf(name: string): Promise<string | undefined> {
    return this.names.includes(`${name}.map`) ? this.text(`${name}.map`) : undefined
  }

  /**
   * Writes the changed files. Returns a function that maps old file names to new ones.
   *
   * @param inserted all inserted code; if given, the changed files and all files that import them get new hashes in
   * their names
   */
  async apply(texts: ReadonlyMap<string, string>, inserted: string | undefined): Promise<(name: string) => string> {
    const edits = inserted === undefined ? sameNames(texts) : await this.#rename(texts, inserted)
    for (const [old, { name, text }] of edits) {
      const [oldPath, path] = [resolve(this.#root, old), resolve(this.#root, name)]
      if (!this.#inMemory) {
        await writeFile(path, text)
        if (path !== oldPath) await rm(oldPath)
        continue
      }
      const file = this.#inMemory.get(oldPath)
      if (file) Object.assign(file, { contents: Buffer.from(text), path })
    }
    renameInMetafile(this.#metafile, edits)
    return (name) => edits.get(name)?.name ?? name
  }

  async #rename(texts: ReadonlyMap<string, string>, inserted: string): Promise<OutputEdits> {
    const affected = [...importersOf(this.#metafile, texts.keys())]
    const names = new Map(affected.map((name) => [name, renameHash(name, inserted)]))
    const renamed = [...names].filter(([old, name]) => old !== name)
    const edits = new Map<string, { readonly name: string; readonly text: string }>()
    for (const name of this.names) {
      const script = name.replace(/\.map$/, '')
      const fresh = names.get(script)
      if (fresh === undefined) continue
      let text = texts.get(name) ?? (await this.text(name))
      for (const [old, newName] of renamed) text = text.replaceAll(basename(old), basename(newName))
      edits.set(name, { name: name.replace(script, fresh), text })
    }
    return edits
  }

  /** Adds message files as outputs. `importers` are the scripts that import them. */
  async add(folder: string, files: readonly PrebuiltChunk[], importers: readonly string[]): Promise<void> {
    const { outputs } = this.#metafile
    for (const { name, module } of files) {
      const path = toPosix(relative(this.#root, resolve(folder, name)))
      const isModule = !name.endsWith('.json')
      outputs[path] = { bytes: module.size, inputs: {}, imports: [], exports: isModule ? ['default'] : [] }
      if (!isModule) continue
      for (const importer of importers) outputs[importer]?.imports.push({ path, kind: 'dynamic-import' })
    }
    if (this.#inMemory) this.#result.outputFiles?.push(...files.map((file) => outputFile(folder, file)))
    else await writeFiles(folder, files)
  }
}

function outputFile(folder: string, { name, module }: PrebuiltChunk): OutputFile {
  const content = module.bytes
  const hash = name.split('.').at(-2) ?? ''
  return {
    path: resolve(folder, name),
    contents: content,
    hash,
    get text() {
      return content.toString('utf8')
    },
  }
}

const BATCH = 64

/** Writes the message files. Skips a file that exists with the same size, because its name contains a content hash. */
async function writeFiles(folder: string, files: readonly PrebuiltChunk[]): Promise<void> {
  const folders = new Set(files.map(({ name }) => dirname(resolve(folder, name))))
  for (const path of folders) await mkdir(path, { recursive: true })
  const write = async ({ name, module }: PrebuiltChunk) => {
    const path = resolve(folder, name)
    const known = name.endsWith('.json') ? undefined : await stat(path).catch(() => undefined)
    if (known?.size !== module.size) await writeFile(path, module.bytes)
  }
  for (let at = 0; at < files.length; at += BATCH) await Promise.all(files.slice(at, at + BATCH).map(write))
}

function renameInMetafile(metafile: Metafile, edits: OutputEdits): void {
  const nameOf = (name: string) => edits.get(name)?.name ?? name
  metafile.outputs = Object.fromEntries(
    Object.entries(metafile.outputs).map(([name, output]) => {
      const edit = edits.get(name)
      const bytes = edit ? Buffer.byteLength(edit.text) : output.bytes
      const imports = output.imports.map((imported) => ({ ...imported, path: nameOf(imported.path) }))
      return [nameOf(name), { ...output, bytes, imports }]
    }),
  )
}

const sameNames = (texts: ReadonlyMap<string, string>): OutputEdits =>
  new Map([...texts].map(([name, text]) => [name, { name, text }]))

/** Returns the given outputs, and all outputs that import them directly or indirectly. */
function importersOf({ outputs }: Metafile, names: Iterable<string>): Set<string> {
  const affected = new Set(names)
  for (let size = -1; size !== affected.size; ) {
    size = affected.size
    for (const [name, { imports }] of Object.entries(outputs)) {
      if (imports.some(({ path }) => affected.has(path))) affected.add(name)
    }
  }
  return affected
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const ESBUILD_HASH = /[A-Z2-7]{8}(?=[^/]*$)/

/** Replaces the hash in a name with a new one of the same length. A name without a hash is unchanged. */
function renameHash(name: string, content: string): string {
  return name.replace(ESBUILD_HASH, (old) => {
    const hex = hashOf(`${old}\n${content}`, 16)
    return Array.from({ length: 8 }, (_, i) => ALPHABET[Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16) % 32]).join('')
  })
}
