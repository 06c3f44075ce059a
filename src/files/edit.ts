/** Texts that a person changes through us instead of an editor: into their files, one writing a file. */

import { type PartRef, partId, type TextRef, textOrGap } from '../catalog/text-id.ts'

import type { FileIndex, TextChange, WriteOutcome } from './file-index.ts'
import { assertInsidePatterns } from './inside.ts'

export interface TextEdit {
  readonly ref: TextRef
  /** `undefined` takes the key out. */
  readonly text: string | undefined
  /** What the person saw in the file. */
  readonly expected: string | undefined
  /** What the person saw of the service; not given: nothing of it. */
  readonly theirs?: string | undefined
}

export interface EditResult {
  /** One for each edit, in order. */
  readonly outcomes: readonly WriteOutcome[]
  /** What the files hold otherwise now. */
  readonly changes: readonly TextChange[]
  /** Absolute paths of the files that were written. */
  readonly files: readonly string[]
}

/**
 * To be called while nobody else scans or writes, right after a scan. `isCurrent`: what else must be as the person saw it.
 * Errors: FILE_WRITE, FILE_KEY_COLLISION, FILE_PATTERN and the like.
 */
export async function applyEdits(
  files: FileIndex,
  edits: readonly TextEdit[],
  isCurrent: (edit: TextEdit) => boolean = () => true,
): Promise<EditResult> {
  const outcomes: WriteOutcome[] = edits.map((edit) =>
    textOrGap(files.text(edit.ref)) === textOrGap(edit.expected) && isCurrent(edit) ? 'written' : 'changed',
  )
  const changes: TextChange[] = []
  const written: string[] = []
  for (const group of groupByPart(edits, outcomes)) {
    const { part, at } = group
    const texts = new Map(at.map((i) => [(edits[i] as TextEdit).ref.key, edits[i]?.text]))
    const before = new Map([...texts.keys()].map((key) => [key, files.text({ ...part, key })]))
    for (const [key, text] of texts) if (before.get(key) === text) texts.delete(key)
    if (texts.size === 0) continue
    const path = files.pathOf(part)
    const outcome = path === undefined ? 'homeless' : await writePart(files, part, path, texts)
    for (const i of at) outcomes[i] = outcome
    if (outcome !== 'written' || path === undefined) continue
    written.push(path)
    for (const [key, after] of texts) changes.push({ ref: { ...part, key }, before: before.get(key), after })
  }
  return { outcomes, changes, files: written }
}

async function writePart(files: FileIndex, part: PartRef, path: string, texts: Map<string, string | undefined>) {
  await assertInsidePatterns(files.patterns, path)
  return files.write(part, texts)
}

function groupByPart(edits: readonly TextEdit[], outcomes: readonly WriteOutcome[]) {
  const groups = new Map<string, { part: PartRef; at: number[] }>()
  edits.forEach(({ ref: { key: _, ...part } }, i) => {
    if (outcomes[i] !== 'written') return
    const group = groups.get(partId(part)) ?? { part, at: [] }
    group.at.push(i)
    groups.set(partId(part), group)
  })
  return groups.values()
}
