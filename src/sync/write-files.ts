/** Writes texts of the service into files: each file whole or not at all, and only over the texts that the decision was based on. */
import { type PartRef, partId, type TextRef, textOrGap } from '../catalog/text-id.ts'
import type { FileIndex, WriteOutcome } from '../files/file-index.ts'
import { displayPath } from '../files/patterns.ts'
import type { TextRecords } from './records.ts'

export interface FileWrite {
  readonly ref: TextRef
  /** `undefined` takes the key out. */
  readonly text: string | undefined
  /** What the file must still have. */
  readonly basedOn: string | undefined
}

export interface FileWriteResult {
  readonly written: readonly FileWrite[]
  /** Relative to the root. */
  readonly files: readonly string[]
  readonly skipped: readonly { readonly file: string; readonly writes: readonly FileWrite[]; readonly reason: string }[]
}

export interface FileWriteOptions {
  readonly root: string
  readonly files: FileIndex
  readonly records: TextRecords
  /** Ends the writing between two files. */
  readonly signal?: AbortSignal | undefined
  /** Called where the disk or the file refuses. Default: it is thrown. */
  readonly onError?: ((refs: readonly TextRef[], error: unknown) => void) | undefined
  readonly onProgress?: ((done: number) => void) | undefined
}

const WHY: Readonly<Record<Exclude<WriteOutcome, 'written'>, string>> = {
  changed: 'was changed meanwhile',
  broken: 'cannot be read',
  homeless: 'has no place in the option files',
  unnameable: 'would have a longer name than a file may have',
}

/** To be called while nobody else scans or writes. Errors: FILE_WRITE, FILE_KEY_COLLISION, FILE_NAME_COLLISION and the like. */
export async function writeFiles(writes: Iterable<FileWrite>, options: FileWriteOptions): Promise<FileWriteResult> {
  const { root, files, records, signal, onError, onProgress } = options
  const groups = groupByPart(writes)
  const written: FileWrite[] = []
  const names: string[] = []
  const skipped: { file: string; writes: readonly FileWrite[]; reason: string }[] = []
  // Before anything is written: half of the texts would be in the wrong file on the next disk.
  if (!onError)
    files.checkNames(groups.filter(({ all }) => all.some(({ text }) => text !== undefined)).map(({ part }) => part))
  let done = 0
  for (const { part, all } of groups) {
    if (signal?.aborted) break
    const path = files.pathOf(part)
    const name = path === undefined ? `${part.language}/${part.namespace}` : displayPath(root, path)
    const skip = (some: readonly FileWrite[], outcome: Exclude<WriteOutcome, 'written'>) => {
      if (some.length > 0) skipped.push({ file: name, writes: some, reason: `${name} ${WHY[outcome]}` })
    }
    const isSame = ({ ref, basedOn }: FileWrite) => textOrGap(files.text(ref)) === textOrGap(basedOn)
    const same = all.filter(isSame)
    skip(
      all.filter((write) => !isSame(write)),
      'changed',
    )
    try {
      const outcome =
        same.length === 0 ? 'written' : await files.write(part, new Map(same.map(({ ref, text }) => [ref.key, text])))
      if (outcome !== 'written') skip(same, outcome)
      else if (same.length > 0) {
        records.wrote(same)
        for (const write of same) written.push(write)
        names.push(name)
      }
    } catch (error) {
      if (!onError) throw error
      onError(
        same.map(({ ref }) => ref),
        error,
      )
    }
    done += all.length
    onProgress?.(done)
  }
  return { written, files: names, skipped }
}

function groupByPart(writes: Iterable<FileWrite>) {
  const groups = new Map<string, { readonly part: PartRef; readonly all: FileWrite[] }>()
  for (const write of writes) {
    const { key: _, ...part } = write.ref
    const group = groups.get(partId(part)) ?? { part, all: [] }
    group.all.push(write)
    groups.set(partId(part), group)
  }
  return [...groups.values()]
}
