/** One line for people each, with the figures that matter. */
import { showText, type TextRef } from '../catalog/text-id.ts'
import { count } from '../shared/figures.ts'
import type { HeldText, HoldReason, TextRecord } from './text-record.ts'

/** `3 texts (en/common, pl/common)`; of more than three files the first two. */
export function describeTexts(refs: readonly TextRef[]): string {
  const parts = [...new Set(refs.map(({ language, namespace }) => `${language}/${namespace}`))].sort()
  const where = parts.length > 3 ? `${parts.slice(0, 2).join(', ')} and ${parts.length - 2} more` : parts.join(', ')
  return `${count(refs.length, 'text')} (${where})`
}

const WHY: Record<HoldReason, string> = {
  start: 'already different when the server started',
  batch: 'more at once than push.holdAbove',
  switch: 'changed with the git branch',
}

export function describeHolds(holds: readonly HeldText[]): string {
  const reasons = [...new Set(holds.map(({ hold }) => WHY[hold]))].join('; ')
  return `held, not pushed: ${describeTexts(holds.map(({ ref }) => ref))}, ${reasons}. To send them: localization push`
}

export function describeConflict({ ref, base, ours, theirs }: TextRecord, where: string): string {
  const show = (text: string | undefined) => (text === undefined ? 'nothing' : shorten(JSON.stringify(text)))
  return `${where}: conflict over ${showText(ref)}: base ${show(base)}, file ${show(ours)}, service ${show(theirs)}. Nothing is overwritten; decide with: localization resolve --ours | --theirs`
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}..."` : text
}
