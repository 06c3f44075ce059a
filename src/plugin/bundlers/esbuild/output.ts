/**
 * The output of an esbuild build, which the plugin changes after the build. It is on disk or in memory, and source maps
 * may be inline or in separate files.
 */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import type { BuildOptions, BuildResult, Metafile, OutputFile } from 'esbuild'
import type { PrebuiltChunk } from '../../../output/prebuilt-chunks.ts'
import { escapeRegExp } from '../../../shared/escape.ts'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { CodeEdit } from '../../output-texts.ts'

/** The new name and text of each changed file. The key is the old name. */
type OutputEdits = ReadonlyMap<string, { readonly name: string; readonly text: string }>

export class EsbuildOutput {
  /** Paths relative to the working directory, as in the metafile. */
  readonly names: readonly string[]
  readonly #metafile: Metafile
  /** The files by absolute path, or `undefined` if esbuild has written them to disk. */
  readonly #inMemory: ReadonlyMap<string, OutputFile> | undefined

  constructor(
    private readonly result: BuildResult & { readonly metafile: Metafile },
    private readonly root: string,
    private readonly options: Pick<BuildOptions, 'entryNames' | 'chunkNames'>,
  ) {
    this.#metafile = result.metafile
    this.names = Object.keys(result.metafile.outputs)
    this.#inMemory = result.outputFiles && new Map(result.outputFiles.map((file) => [resolve(root, file.path), file]))
  }

  async text(name: string): Promise<string> {
    const path = resolve(this.root, name)
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
      const [oldPath, path] = [resolve(this.root, old), resolve(this.root, name)]
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
    const hash = hashPattern(this.options)
    const names = new Map(affected.map((name) => [name, name.replace(hash, (old) => newHash(old, inserted))]))
    const renamed = [...names].filter(([old, name]) => old !== name)
    const edits = new Map<string, { readonly name: string; readonly text: string }>()
    for (const name of this.names) {
      const script = name.replace(/\.map$/, '')
      const fresh = names.get(script)
      if (fresh === undefined) continue
      let text = texts.get(name) ?? (await this.text(name))
      for (const [old, newName] of renamed) text = text.replaceAll(basename(old), () => basename(newName))
      edits.set(name, { name: fresh + name.slice(script.length), text })
    }
    return edits
  }

  /** Adds message files as outputs. `importers` are the scripts that import them. */
  async add(folder: string, files: readonly PrebuiltChunk[], importers: readonly string[]): Promise<void> {
    const { outputs } = this.#metafile
    for (const { name, module } of files) {
      const path = toPosix(relative(this.root, resolve(folder, name)))
      const isModule = !name.endsWith('.json')
      outputs[path] = { bytes: module.size, inputs: {}, imports: [], exports: isModule ? ['default'] : [] }
      if (!isModule) continue
      for (const importer of importers) outputs[importer]?.imports.push({ path, kind: 'dynamic-import' })
    }
    if (this.#inMemory) this.result.outputFiles?.push(...files.map((file) => outputFile(folder, file)))
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

/** Matches the hash in the file names that have one. Words in upper case, such as `CHECKOUT.js`, look the same. */
function hashPattern({ entryNames = '', chunkNames = '[name]-[hash]' }: BuildOptions): RegExp {
  const patterns = [entryNames, chunkNames].flatMap((template) => {
    const ends = basename(template).split('[hash]')
    const [head, tail] = ends.map((end) => escapeRegExp(end).replace(/\\\[\w+\\\]/g, '[^/]*'))
    return tail === undefined ? [] : `(?<=(?:^|/)${head})[A-Z2-7]{8}(?=${tail}\\.[^/]*$)`
  })
  return new RegExp(patterns.join('|') || '(?!)')
}

function newHash(old: string, content: string): string {
  const hex = hashOf(`${old}\n${content}`, 16)
  return Array.from({ length: 8 }, (_, i) => ALPHABET[Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16) % 32]).join('')
}

/** Code with its source map. `map` is set only if the source map is in a separate file. */
export interface EditedCode {
  readonly code: string
  readonly map?: string | undefined
}

const INLINE_MAP = /(\n\/\/# sourceMappingURL=data:application\/json;base64,)([\w+/=]+)(\s*)$/

/**
 * Edits code that esbuild has written, and its source map. The edits may be in any order, but they must not overlap or
 * touch.
 */
export function editCode({ code, map }: EditedCode, edits: readonly CodeEdit[]): EditedCode {
  const inOrder = [...edits].sort((a, b) => a.start - b.start)
  let edited = ''
  let at = 0
  for (const { start, end, text } of inOrder) {
    edited += code.slice(at, start) + text
    at = end
  }
  edited += code.slice(at)
  const shifts = shiftsByLine(code, inOrder)
  return {
    code: edited.replace(INLINE_MAP, (_all, start: string, own: string, end: string) => {
      const shifted = shiftMap(Buffer.from(own, 'base64').toString(), shifts)
      return `${start}${Buffer.from(shifted).toString('base64')}${end}`
    }),
    map: map === undefined ? undefined : shiftMap(map, shifts),
  }
}

/** A replaced range of columns in a line, and by how much the length changed. */
interface Shift {
  readonly start: number
  readonly end: number
  readonly by: number
}

function shiftsByLine(code: string, edits: readonly CodeEdit[]): Map<number, Shift[]> {
  const shifts = new Map<number, Shift[]>()
  let line = 0
  let lineStart = 0
  for (const { start, end, text } of edits) {
    for (let next = code.indexOf('\n', lineStart); next !== -1 && next < start; next = code.indexOf('\n', lineStart)) {
      line++
      lineStart = next + 1
    }
    const ofLine = shifts.get(line) ?? []
    ofLine.push({ start: start - lineStart, end: end - lineStart, by: text.length - (end - start) })
    shifts.set(line, ofLine)
  }
  return shifts
}

function shiftMap(json: string, shifts: ReadonlyMap<number, readonly Shift[]>): string {
  const map = JSON.parse(json) as { mappings: string }
  const lines = decode(map.mappings)
  for (const [line, ofLine] of shifts) lines[line] = shiftSegments(lines[line] ?? [], ofLine)
  return `${JSON.stringify({ ...map, mappings: encode(lines) }, undefined, 2)}\n`
}

function shiftSegments(segments: readonly SourceMapSegment[], shifts: readonly Shift[]): SourceMapSegment[] {
  const shifted: SourceMapSegment[] = []
  let next = 0
  let by = 0
  for (const [column, ...origin] of segments) {
    for (let shift = shifts[next]; shift && shift.end <= column; shift = shifts[++next]) by += shift.by
    // A mapping that points into replaced code is dropped.
    if (column > (shifts[next]?.start ?? column)) continue
    shifted.push([column + by, ...origin] as SourceMapSegment)
  }
  return shifted
}
