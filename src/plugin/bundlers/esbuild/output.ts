/** What an esbuild build put out, on the disk or in memory, to be changed behind it. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BuildResult, Metafile } from 'esbuild'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'

export interface EsbuildOutput {
  /** As the metafile names it, from the working directory. */
  readonly name: string
  /** Absolute. */
  readonly path: string
  text(): Promise<string>
}

export interface OutputEdit {
  readonly text: string
  readonly name: string
}

export interface EsbuildOutputs {
  readonly all: readonly EsbuildOutput[]
  apply(edits: ReadonlyMap<string, OutputEdit>): Promise<void>
}

export function outputsOf(result: BuildResult, root: string, write: boolean): EsbuildOutputs {
  const names = Object.keys(result.metafile?.outputs ?? {})
  const inMemory = new Map((result.outputFiles ?? []).map((file) => [toPosix(resolve(root, file.path)), file]))
  return {
    all: names.map((name) => {
      const path = resolve(root, name)
      return {
        name,
        path,
        text: async () => (write ? readFile(path, 'utf8') : (inMemory.get(toPosix(path))?.text ?? '')),
      }
    }),
    async apply(edits) {
      for (const [name, edit] of edits) {
        const path = resolve(root, name)
        if (write) {
          await writeFile(resolve(root, edit.name), edit.text)
          if (edit.name !== name) await rm(path)
          continue
        }
        const file = inMemory.get(toPosix(path))
        if (!file) continue
        file.contents = Buffer.from(edit.text)
        file.path = resolve(root, edit.name)
      }
      renameInMetafile(result, edits)
    },
  }
}

function renameInMetafile(result: BuildResult, edits: ReadonlyMap<string, OutputEdit>): void {
  const { metafile } = result
  if (!metafile) return
  const nameOf = (name: string) => edits.get(name)?.name ?? name
  const sizeOf = (name: string) => {
    const edit = edits.get(name)
    return edit && Buffer.byteLength(edit.text)
  }
  const renamed: Metafile['outputs'] = {}
  for (const [name, output] of Object.entries(metafile.outputs)) {
    renamed[nameOf(name)] = {
      ...output,
      bytes: sizeOf(name) ?? output.bytes,
      imports: output.imports.map((imported) => ({ ...imported, path: nameOf(imported.path) })),
    }
  }
  metafile.outputs = renamed
}

/** Outputs that import one of these, and theirs in turn; these too. */
export function importersOf({ outputs }: Metafile, names: readonly string[]): Set<string> {
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

/** The name with another hash in it, as long as the old one; the same where it has none. */
export function renameHash(name: string, content: string): string {
  return name.replace(ESBUILD_HASH, (old) => {
    const hex = hashOf(`${old}\n${content}`, 16)
    return Array.from({ length: 8 }, (_, i) => ALPHABET[Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16) % 32]).join('')
  })
}
