/** Putting texts into one translation file, as long as it holds what was seen of it. */
import { basename } from 'node:path'
import type { ResolvedConfig } from '../config/types.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { isSameContent, type KnownFile } from './files-state.ts'
import { displayPath, type TranslationFile } from './patterns.ts'
import { type TextChanges, updateTranslationText } from './write.ts'

export type WriteOutcome = 'written' | 'changed' | 'broken' | 'unmatched' | 'unnameable'

export interface WritePartInput {
  readonly config: Pick<ResolvedConfig, 'root' | 'keySeparator' | 'shape'>
  readonly file: TranslationFile
  /** What was seen of the file. `undefined`: it was not there. */
  readonly expected: KnownFile | undefined
  readonly texts: TextChanges
  /** `undefined`: the file is not there. Throws where it cannot be read. */
  readonly read: (path: string) => Promise<Buffer | undefined>
}

export interface WrittenPart {
  readonly outcome: WriteOutcome
  /** What the file holds now, where it was written and nobody saved right behind it. */
  readonly bytes?: Buffer | undefined
}

/** Bytes that a file's name may have on the disks of Linux, macOS (which counts characters) and Windows (likewise). */
const LONGEST_NAME = 255

export function isNameTooLong(path: string): boolean {
  return Buffer.byteLength(basename(path)) > LONGEST_NAME
}

export async function writePart({ config, file, expected, texts, read }: WritePartInput): Promise<WrittenPart> {
  const { root, keySeparator, shape } = config
  const { path } = file
  // What cannot be read is broken, where that was seen, and otherwise not what was seen.
  const before = await read(path).catch(() => null)
  if (before === null) return { outcome: expected && expected.bytes === undefined ? 'broken' : 'changed' }
  if ((before === undefined) !== (expected === undefined) || !isSameContent(before, expected?.bytes))
    return { outcome: 'changed' }
  if (expected && expected.findings.length > 0) return { outcome: 'broken' }
  if (!before && [...texts.values()].every((text) => text === undefined)) return { outcome: 'written' }
  const current = before?.toString('utf8')
  const next = updateTranslationText(current, texts, { keySeparator, shape, file: displayPath(root, path) })
  if (next === current) return { outcome: 'written' }
  let changed = false
  const confirm = async () => {
    changed = !isSameContent(await read(path), before)
    if (changed) throw new Error('somebody else saved it meanwhile')
  }
  try {
    await writeFileAtomic(path, next, { confirm })
  } catch (error) {
    if (changed) return { outcome: 'changed' }
    throw error
  }
  const bytes = await read(path).catch(() => undefined)
  return { outcome: 'written', bytes: bytes?.equals(Buffer.from(next)) ? bytes : undefined }
}
