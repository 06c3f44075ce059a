/** Puts texts into their files: each file is written once, whole or not at all, and only over the texts that were seen in it. */
import { type PartRef, partId, type TextRef, textOrGap } from '../catalog/text-id.ts'
import type { FileIndex, TextChange, WriteOutcome } from './file-index.ts'
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
 * To be called while nobody else scans or writes, right after a scan. Errors: FILE_WRITE, FILE_KEY_COLLISION, FILE_NAME_COLLISION,
 * FILE_PATTERN and the like.
 */
export async function applyEdits(
  files: FileIndex,
  edits: readonly TextEdit[],
  { isCurrent = () => true, isUntrusted = false, signal, onError, onProgress }: EditOptions = {},
): Promise<EditResult> {
  const outcomes: (WriteOutcome | undefined)[] = edits.map((edit) =>
    textOrGap(files.text(edit.ref)) === textOrGap(edit.expected) && isCurrent(edit) ? undefined : 'changed',
  )
  const groups = groupByPart(edits, outcomes)
  const changes: TextChange[] = []
  const written: string[] = []
  // Before anything is written: half of the texts would be in the wrong file on the next disk.
  if (!onError)
    files.checkNames(groups.filter(({ at }) => at.some((i) => edits[i]?.text !== undefined)).map(({ part }) => part))
  let done = edits.length - groups.reduce((sum, { at }) => sum + at.length, 0)
  for (const { part, at } of groups) {
    if (signal?.aborted) break
    const all = at.flatMap((i): TextChange[] => {
      const edit = edits[i]
      return edit ? [{ ref: edit.ref, before: files.text(edit.ref), after: edit.text }] : []
    })
    const some = all.filter(({ before, after }) => before !== after)
    try {
      const path = files.pathOf(part)
      if (path !== undefined && isUntrusted && some.length > 0) await assertInsidePatterns(files.patterns, path)
      const texts = new Map(some.map(({ ref, after }) => [ref.key, after]))
      const outcome = some.length === 0 ? 'written' : await files.write(part, texts)
      for (const i of at) outcomes[i] = outcome
      if (outcome === 'written' && path !== undefined && some.length > 0) {
        written.push(path)
        for (const change of some) changes.push(change)
      }
    } catch (error) {
      if (!onError) throw error
      onError(
        all.map(({ ref }) => ref),
        error,
      )
    }
    done += at.length
    onProgress?.(done)
  }
  return { outcomes, changes, files: written }
}

/** The places of edits that are still to be made. */
function groupByPart(edits: readonly TextEdit[], outcomes: readonly (WriteOutcome | undefined)[]) {
  const groups = new Map<string, { readonly part: PartRef; readonly at: number[] }>()
  edits.forEach(({ ref: { key: _, ...part } }, i) => {
    if (outcomes[i] !== undefined) return
    const id = partId(part)
    const group = groups.get(id) ?? { part, at: [] }
    group.at.push(i)
    groups.set(id, group)
  })
  return [...groups.values()]
}
