/**
 * Writes edited texts into their files. Each file is written at most once, and only if it still contains the expected
 * texts.
 */

import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type PartRef, partId, partOf, type TextRef, textOrGap } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { displayPath, isInside } from '../shared/paths.ts'
import { groupBy } from '../shared/split.ts'
import type { SeenFiles, TextChange, WriteOutcome } from './file-index.ts'
import { findCollisions } from './list.ts'
import type { FilePatterns } from './patterns.ts'

export interface TextEdit {
  readonly ref: TextRef
  /** The new text; `undefined` removes the key. */
  readonly text: string | undefined
  readonly expected: string | undefined
  /** The service's text that the user saw. Not set if there was none. */
  readonly theirs?: string | undefined
}

export interface EditOptions {
  /** An additional condition for an edit. */
  readonly isCurrent?: ((edit: TextEdit) => boolean) | undefined
  /** Stops the work between two files. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called with the error of a file, or of a key that has no place in its file. The file's other texts are written. If
   * this function is not set, the first error ends the work.
   */
  readonly onError?: ((refs: readonly TextRef[], error: unknown) => void) | undefined
  readonly onProgress?: ((done: number) => void) | undefined
}

export interface EditResult {
  /** One outcome per edit, in order; `undefined` if the edit failed or was not tried. */
  readonly outcomes: readonly (WriteOutcome | undefined)[]
  readonly changes: readonly TextChange[]
  /** The absolute paths of the written files. */
  readonly files: readonly string[]
  /** The error that ended the work, if `onError` is not set. Some files may have been written. */
  readonly failure?: { readonly error: unknown } | undefined
}

/** Like `writeEdits`, but throws the error that ended the work. */
export async function applyEdits(...given: Parameters<typeof writeEdits>): Promise<EditResult> {
  const result = await writeEdits(...given)
  if (result.failure) throw result.failure.error
  return result
}

/**
 * Writes edits into files. Must be called right after a scan, while nothing else scans or writes. Throws
 * FILE_NAME_COLLISION before the first write. Later errors are in the result: FILE_WRITE, FILE_KEY_COLLISION,
 * FILE_PATTERN and others.
 */
export async function writeEdits(
  files: SeenFiles,
  edits: readonly TextEdit[],
  { isCurrent = () => true, signal, onError, onProgress }: EditOptions = {},
): Promise<EditResult> {
  const { index } = files
  const outcomes: (WriteOutcome | undefined)[] = edits.map((edit) =>
    textOrGap(files.seen.text(edit.ref)) === textOrGap(edit.expected) && isCurrent(edit) ? undefined : 'changed',
  )
  const open = edits.filter((_, i) => outcomes[i] === undefined)
  const groups = groupBy(open, ({ ref }) => partId(ref))
  const changes: TextChange[] = []
  const written: string[] = []
  // Checked before the first write, so that an error leaves all files unchanged.
  const isMade = (group: readonly TextEdit[]) => group.some(({ text }) => text !== undefined)
  if (!onError) checkNames(files, groups.filter(isMade).map(partOfGroup))
  const place = new Map(edits.map((edit, i) => [edit, i]))
  let done = edits.length - open.length
  let failure: EditResult['failure']
  for (const group of groups) {
    if (signal?.aborted || failure) break
    const part = partOfGroup(group)
    const all = group.map(({ ref, text }): TextChange => ({ ref, before: files.seen.text(ref), after: text }))
    const some = all.filter(({ before, after }) => before !== after)
    try {
      if (onError && isMade(group)) checkNames(files, [part])
      const path = index.pathOf(part, files.seen)
      if (path !== undefined && some.length > 0) await assertInsidePatterns(index.patterns, path)
      const texts = new Map(some.map(({ ref, after }) => [ref.key, after]))
      const outcome = some.length === 0 ? 'written' : await index.write(files, part, texts)
      for (const edit of group) outcomes[place.get(edit) ?? 0] = outcome
      if (outcome === 'written' && path !== undefined && some.length > 0) {
        written.push(path)
        for (const change of some) changes.push(change)
      }
    } catch (error) {
      const isCollision = error instanceof LocalizationError && error.code === 'FILE_KEY_COLLISION'
      if (onError && isCollision && group.length > 1) {
        groups.push(...group.map((edit) => [edit]))
        continue
      }
      const refs = group.map(({ ref }) => ref)
      if (onError) onError(refs, error)
      else failure = { error }
    }
    done += group.length
    onProgress?.(done)
  }
  return { outcomes, changes, files: written, failure }
}

/**
 * Throws FILE_NAME_COLLISION if a file system could confuse the new files for these parts with each other or with
 * existing files.
 */
function checkNames({ index, seen }: SeenFiles, parts: readonly PartRef[]): void {
  const created = parts.flatMap((part) => {
    const path = index.pathOf(part, seen)
    return path === undefined || seen.files.has(path) ? [] : (index.patterns.match(path) ?? [])
  })
  if (created.length === 0) return
  const { root } = index.patterns
  const existing = seen.list
  const known = new Set(findCollisions(existing, root).map(({ message }) => message))
  const found = findCollisions([...existing, ...created], root).find(({ message }) => !known.has(message))
  if (found) throw new LocalizationError(found.message, found)
}

function partOfGroup(group: readonly TextEdit[]): PartRef {
  return partOf((group[0] as TextEdit).ref)
}

/**
 * Throws FILE_WRITE if the path is not that of a translation file, or if a symbolic link in it points out of the
 * pattern's folder.
 */
async function assertInsidePatterns(patterns: FilePatterns, path: string): Promise<void> {
  const file = patterns.match(path)
  const compiled = patterns.compiled.find(({ pattern }) => pattern === file?.pattern)
  if (compiled && isInside(await realPathOf(compiled.base), await realPathOf(path))) return
  throw new LocalizationError('not written: the file is outside the folders in the option "files"', {
    code: 'FILE_WRITE',
    place: { file: displayPath(patterns.root, path) },
  })
}

/** Resolves symbolic links in the part of the path that exists. */
async function realPathOf(path: string): Promise<string> {
  const parent = dirname(path)
  return realpath(path).catch(async (error: unknown) => {
    // A write reports why the rest of the path cannot be used.
    if (parent === path) throw error
    return `${await realPathOf(parent)}${path.slice(parent.length)}`
  })
}
