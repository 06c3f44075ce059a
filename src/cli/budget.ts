/** The result of `localization budget`: as data, as text, as annotations for GitHub. */
import * as z from 'zod'
import { type BudgetCause, type BudgetResult, type BudgetsResult, isExceeded } from '../report/budgets.ts'
import { count } from '../shared/figures.ts'
import { printable } from '../shared/printable.ts'
import { formatSize } from '../shared/size.ts'
import { REASON_TEXTS } from '../usage/reason.ts'
import { formatAnnotations } from './check/report.ts'
import { type Paint, table } from './text.ts'

export const budgetResult = z.object({
  ok: z.boolean(),
  chunks: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['entry', 'lazy']),
      ok: z.boolean(),
      keys: z.number().int(),
      /** In `language`, where it is most. */
      bytes: z.number().int(),
      language: z.string(),
      limit: z.number(),
      /** The causes are what came since the other report. Otherwise they are all that the chunk brings. */
      compared: z.boolean(),
      causes: z.array(
        z.object({
          reason: z.string(),
          code: z.string().nullable(),
          namespaces: z.array(z.string()),
          keys: z.number().int(),
          bytes: z.number().int(),
          file: z.string().nullable(),
          line: z.number().int().nullable(),
          column: z.number().int().nullable(),
        }),
      ),
    }),
  ),
  /** Names and patterns of the option that match nothing. */
  unmatched: z.array(z.object({ pattern: z.string(), hint: z.string().nullable() })),
})
type Shown = z.infer<typeof budgetResult>
type ShownChunk = Shown['chunks'][number]
type ShownCause = ShownChunk['causes'][number]

export function createBudgetData({ chunks, unmatched }: BudgetsResult): Shown {
  return {
    ok: unmatched.length === 0 && !chunks.some(isExceeded),
    chunks: chunks.map(shownChunk),
    unmatched: unmatched.map(({ pattern, hint = null }) => ({ pattern, hint })),
  }
}

function shownChunk(chunk: BudgetResult): ShownChunk {
  const { name, kind, keys, bytes, language, limit, isCompared, causes } = chunk
  const ok = !isExceeded(chunk)
  return { name, kind, ok, keys, bytes, language, limit, compared: isCompared, causes: causes.map(shownCause) }
}

function shownCause({ reason, by, at = '', namespaces, keys, bytes }: BudgetCause): ShownCause {
  const [, file = null, line, column] = /^(.*):(\d+):(\d+)$/.exec(at) ?? []
  const place = { file, line: line ? Number(line) : null, column: column ? Number(column) : null }
  return { reason, code: by ?? null, namespaces: [...namespaces], keys, bytes, ...place }
}

/** How many causes are shown. `--verbose` and `--json` have all. */
const SHOWN = 5

export function formatBudgets({ chunks, unmatched, ok }: Shown, paint: Paint, all = false): string {
  const overview = table(
    chunks,
    [
      { title: 'chunk', value: ({ name }) => printable(name) },
      { title: 'keys', align: 'right', value: ({ keys }) => String(keys) },
      { title: 'texts', align: 'right', value: ({ bytes }) => formatSize(bytes) },
      { title: 'language', value: ({ language }) => language },
      { title: 'budget', align: 'right', value: ({ limit }) => formatSize(limit) },
      {
        title: '',
        value: (chunk) => (chunk.ok ? '' : paint('red', `over by ${formatSize(chunk.bytes - chunk.limit)}`)),
      },
    ],
    paint,
  )
  const over = chunks.filter((chunk) => !chunk.ok)
  const verdict = `${count(over.length, 'chunk')} of ${chunks.length} over the budget`
  return [
    ...(chunks.length > 0 ? [overview] : []),
    ...over.flatMap((chunk) => ['', titleOf(chunk), ...causeLines(chunk, paint, all)]),
    ...unmatched.map((each) => `${paint('red', 'error')} ${unmatchedText(each)}`),
    `${ok ? paint('green', 'ok') : paint('red', 'not ok')}: ${verdict}`,
  ].join('\n')
}

function titleOf({ name, bytes, limit, language, compared }: ShownChunk): string {
  const over = `${formatSize(bytes - limit)} over its budget of ${formatSize(limit)} in ${language}`
  const what = compared ? 'New since the report within the budgets' : 'What costs most'
  return `${printable(name)} is ${over}. ${what}:`
}

function causeLines({ causes, compared }: ShownChunk, paint: Paint, all = false): string[] {
  const shown = all ? causes : causes.slice(0, SHOWN)
  const rest = causes.length - shown.length
  return [
    ...shown.map((cause) => `  ${causeText(cause, compared)}`),
    ...(rest > 0 ? [paint('dim', `  and ${count(rest, 'more cause')} (--verbose shows all)`)] : []),
  ]
}

function causeText({ reason, code, namespaces, keys, bytes, file, line, column }: ShownCause, isNew: boolean): string {
  const where = file === null ? '' : `${file}:${line}:${column}: `
  const place = namespaces.length > 3 ? `${namespaces.length} namespaces` : namespaces.join(', ')
  const what = `${count(keys, 'key')} of ${place}`
  const why = REASON_TEXTS[reason as keyof typeof REASON_TEXTS] ?? reason
  return printable(
    `${where}${isNew ? '+' : ''}${formatSize(bytes)}, ${what}, ${why}${code === null ? '' : `: ${code}`}`,
  )
}

const unmatchedText = ({ pattern, hint }: Shown['unmatched'][number]) =>
  [`budgets: ${JSON.stringify(pattern)} is no entry and no lazily loaded chunk of the last build.`, hint ?? '']
    .join(' ')
    .trim()

/** For each chunk over its budget, one at its first cause. */
export function formatBudgetAnnotations({ chunks, unmatched }: Shown): string {
  const nowhere = { file: null, line: null, column: null }
  const rule = { rule: 'budget', severity: 'error', language: null, namespace: null } as const
  const over = chunks.filter(({ ok }) => !ok)
  const findings = [
    ...over.map((chunk) => {
      const causes = chunk.causes.slice(0, SHOWN).map((cause) => causeText(cause, chunk.compared))
      const { file, line, column } = chunk.causes[0] ?? nowhere
      return { ...rule, message: [titleOf(chunk), ...causes].join('\n'), file, line, column }
    }),
    ...unmatched.map((each) => ({ ...rule, ...nowhere, message: unmatchedText(each) })),
  ]
  return formatAnnotations({ findings })
}
