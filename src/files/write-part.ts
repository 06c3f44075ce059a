/** Writes texts into a translation file, unless it has changed since it was read. */

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { ResolvedConfig } from '../config/types.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { displayPath } from '../shared/paths.ts'
import type { UpdateOptions } from './formats/format.ts'
import type { TranslationFile } from './patterns.ts'
import { readFailure } from './read.ts'
import { isSameContent, type KnownFile } from './snapshot.ts'
import { type TextChanges, updateTranslationText } from './update.ts'

/**
 * The outcome of a write. Only `written` means that something was written. `changed`: the file differs from what the
 * reader saw. `broken`: the file has an error or cannot be read. `unmatched`: no pattern covers the texts.
 * `unnameable`: the file name would be too long.
 */
export type WriteOutcome = 'written' | 'changed' | 'broken' | 'unmatched' | 'unnameable'

export interface WrittenPart {
  readonly outcome: WriteOutcome
  /** The file's bytes after the write. Not set if another program saved the file right after the write. */
  readonly bytes?: Buffer | undefined
}

/** The longest file name, in bytes (Linux) or characters (macOS, Windows). */
const LONGEST_NAME = 255

export function isNameTooLong(path: string): boolean {
  return Buffer.byteLength(basename(path)) > LONGEST_NAME
}

/**
 * @param expected the file as the reader saw it; `undefined` if there was none
 * @param given see `UpdateOptions`
 */
export async function writePart(
  { root, keySeparator, shape }: Pick<ResolvedConfig, 'root' | 'keySeparator' | 'shape'>,
  { path, wrappers }: TranslationFile,
  expected: KnownFile | undefined,
  texts: TextChanges,
  given: Pick<UpdateOptions, 'branches' | 'model'> = {},
): Promise<WrittenPart> {
  const before = readBytes(path)
  const known = expected?.content
  if (before === 'unreadable') return { outcome: known && known.bytes === undefined ? 'broken' : 'changed' }
  if ((before === undefined) !== (known === undefined) || !isSameContent(before, known?.bytes))
    return { outcome: 'changed' }
  if (known && known.findings.length > 0) return { outcome: 'broken' }
  if (!before && [...texts.values()].every((text) => text === undefined)) return { outcome: 'written' }
  const current = before?.toString('utf8')
  const options = { keySeparator, shape, ...given, wrappers, file: displayPath(root, path) }
  const next = updateTranslationText(current, texts, options)
  if (next === current) return { outcome: 'written' }
  let isChanged = false
  const confirm = async () => {
    const now = readBytes(path)
    isChanged = now === 'unreadable' || !isSameContent(now, before)
    if (isChanged) throw new Error('another program saved the file in the meantime')
  }
  try {
    await writeFileAtomic(path, next, { confirm })
  } catch (error) {
    if (isChanged) return { outcome: 'changed' }
    throw error
  }
  const bytes = Buffer.from(next)
  const after = readBytes(path)
  // If the new file is unreadable, another program is probably blocking it for a moment, as happens on Windows.
  return { outcome: 'written', bytes: after === 'unreadable' || after?.equals(bytes) ? bytes : undefined }
}

function readBytes(path: string): Buffer | undefined | 'unreadable' {
  try {
    return readFileSync(path)
  } catch (cause) {
    return readFailure(cause, path) && 'unreadable'
  }
}
