/**
 * Puts texts into their files: each file is written once, whole or not at all, and only over the texts that were seen
 * in it.
 */
import { type PartRef, partId, type TextRef, textOrGap } from '../catalog/text-id.ts'
import { groupBy } from '../shared/split.ts'
import type { FileIndex, TextChange, WriteOutcome } from './file-index.ts'
import { partOf } from './files-state.ts'
import { assertInsidePatterns } from './inside.ts'

export interface TextEdit {
  readonly ref: TextRef
  /** `undefined` takes the key out. */
  readonly text: string | undefined
  /** What was seen in the file: it must still be there. */
  readonly expected: string | undefined
  /** What a person saw of the service; not given: nothing of it. */
  readonly theirs?: string | undefined
}

export interface EditOptions {
  /** Whether something else is as the person saw it, too. */
  readonly isCurrent?: ((edit: TextEdit) => boolean) | undefined
  /** The names come from a browser: they must not lead out of the patterns' folders. */
  readonly isUntrusted?: boolean
  /** Ends the writing between two files. */
  readonly signal?: AbortSignal | undefined
  /** Called where the disk or the file refuses. Default: it is thrown. */
  readonly onError?: ((refs: readonly TextRef[], error: unknown) => void) | undefined
  readonly onProgress?: ((done: number) => void) | undefined
}

export interface EditResult {
  /** One for each edit, in order; `undefined`: not tried, because of the signal or an error. */
  readonly outcomes: readonly (WriteOutcome | undefined)[]
  /** What the files hold otherwise now. */
  readonly changes: readonly TextChange[]
  /** Absolute paths of the files that were written. */
  readonly files: readonly string[]
}

/**
 * To be called while nobody else scans or writes, right after a scan. Errors: FILE_WRITE, FILE_KEY_COLLISION,
 * FILE_NAME_COLLISION, FILE_PATTERN and the like.
 */
export async function applyEdits(
  files: FileIndex,
  edits: readonly TextEdit[],
  { isCurrent = () => true, isUntrusted = false, signal, onError, onProgress }: EditOptions = {},
): Promise<EditResult> {
  const outcomes: (WriteOutcome | undefined)[] = edits.map((edit) =>
    textOrGap(files.text(edit.ref)) === textOrGap(edit.expected) && isCurrent(edit) ? undefined : 'changed',
  )
  const open = edits.filter((_, i) => outcomes[i] === undefined)
  const groups = groupBy(open, ({ ref }) => partId(ref))
  const changes: TextChange[] = []
  const written: string[] = []
  // Before anything is written: half of the texts would be in the wrong file on the next disk.
  const isMade = (group: readonly TextEdit[]) => group.some(({ text }) => text !== undefined)
  if (!onError) files.checkNames(groups.filter(isMade).map(partOfGroup))
  const place = new Map(edits.map((edit, i) => [edit, i]))
  let done = edits.length - open.length
  for (const group of groups) {
    if (signal?.aborted) break
    const part = partOfGroup(group)
    const all = group.map(({ ref, text }): TextChange => ({ ref, before: files.text(ref), after: text }))
    const some = all.filter(({ before, after }) => before !== after)
    try {
      const path = files.pathOf(part)
      if (path !== undefined && isUntrusted && some.length > 0) await assertInsidePatterns(files.patterns, path)
      const texts = new Map(some.map(({ ref, after }) => [ref.key, after]))
      const outcome = some.length === 0 ? 'written' : await files.write(part, texts)
      for (const edit of group) outcomes[place.get(edit) ?? 0] = outcome
      if (outcome === 'written' && path !== undefined && some.length > 0) {
        written.push(path)
        for (const change of some) changes.push(change)
      }
    } catch (error) {
      if (!onError) throw error
      const refs = group.map(({ ref }) => ref)
      onError(refs, error)
    }
    done += group.length
    onProgress?.(done)
  }
  return { outcomes, changes, files: written }
}

function partOfGroup(group: readonly TextEdit[]): PartRef {
  return partOf((group[0] as TextEdit).ref)
}
