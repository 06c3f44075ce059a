/** How `localization check --unused` judged each key. */
import * as z from 'zod'
import { grouped } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { REASON_TEXTS, type UseReason } from '../../usage/model.ts'
import type { KeyName } from '../../usage/unused.ts'
import { quoted } from '../text.ts'

/** `named`: unused, but a text or a template has it. */
const TEXTS = { ...REASON_TEXTS, named: 'unused, but a text in the code has it', unused: 'unused' }

type Judgement = keyof typeof TEXTS
const JUDGEMENTS = Object.keys(TEXTS) as Judgement[]

export const judgedKey = z.object({
  namespace: z.string(),
  key: z.string(),
  judgement: z.enum(JUDGEMENTS),
  /** The key, pattern, text or call that decides, as the code has it. */
  by: z.string().nullable(),
  /** File, line and column. */
  at: z.string().nullable(),
})
export type JudgedKey = z.infer<typeof judgedKey>

/** @param reason why the key counts as used, or which text in the code has an unused key */
export function judge({ namespace, key }: KeyName, isUnused: boolean, reason: UseReason | undefined): JudgedKey {
  const judgement = isUnused ? (reason ? 'named' : 'unused') : (reason?.kind ?? 'array')
  return { namespace, key, judgement, by: reason?.name ?? null, at: placeOf(reason) }
}

function placeOf({ file, line, column }: Partial<UseReason> = {}): string | null {
  return file === undefined ? null : [file, line, column].filter((part) => part !== undefined).join(':')
}

/** A line with figures; with `all`, a line for each key. */
export function formatJudged(keys: readonly JudgedKey[], all: boolean): string[] {
  const figures = JUDGEMENTS.flatMap((judgement) => {
    const number = keys.filter((each) => each.judgement === judgement).length
    return number === 0 ? [] : [`${grouped(number)} ${TEXTS[judgement]}`]
  })
  if (!all) return figures.length === 0 ? [] : [`${figures.join(', ')} (--verbose lists each key)`]
  return keys.map(({ namespace, key, judgement, by, at }) => {
    const code = by === null || by === key ? '' : `: ${printable(by)}`
    return `  ${printable(namespace)} ${quoted(key, 100)} ${TEXTS[judgement]}${code}${at === null ? '' : ` (${at})`}`
  })
}
