/** Names, counts and conflicts of texts in the results of pull, push, diff and resolve. */
import * as z from 'zod'
import { partId, type TextRef } from '../catalog/text-id.ts'
import { printable } from '../shared/escape.ts'
import { count, grouped } from '../shared/figures.ts'
import { groupBy } from '../shared/split.ts'
import type { TextRecord } from '../sync/records.ts'
import { type Column, listOf, type Paint, quoted, table } from './text.ts'

/** A text's name, as `--json` prints it. */
export const textRefResult = z.object({
  language: z.string(),
  namespace: z.string(),
  key: z.string(),
  customer: z.string().nullable(),
})
export const reasonResult = textRefResult.extend({ reason: z.string() })
export const conflictResult = textRefResult.extend({
  base: z.string().nullable(),
  ours: z.string().nullable(),
  theirs: z.string().nullable(),
})
const FIGURES = ['added', 'changed', 'deleted', 'conflicts'] as const
export const partResult = textRefResult.omit({ key: true }).extend({
  added: z.number().int(),
  changed: z.number().int(),
  deleted: z.number().int(),
  conflicts: z.number().int(),
})
type PartSummary = z.infer<typeof partResult>

export function refResult({ language, namespace, key, customer }: TextRef): z.infer<typeof textRefResult> {
  return { language, namespace, key, customer: customer ?? null }
}

export function conflictOf({ ref, base, ours, theirs }: TextRecord): z.infer<typeof conflictResult> {
  return { ...refResult(ref), base: base ?? null, ours: ours ?? null, theirs: theirs ?? null }
}

export function withReasons(texts: readonly { readonly ref: TextRef; readonly reason: string }[]) {
  return texts.map(({ ref, reason }) => ({ ...refResult(ref), reason }))
}

/** One row per language, namespace and customer with changes, sorted by name. */
export function summarize(
  changes: Partial<Readonly<Record<(typeof FIGURES)[number], readonly TextRecord[]>>>,
): PartSummary[] {
  const parts = new Map<string, PartSummary>()
  for (const name of FIGURES) {
    for (const { ref } of changes[name] ?? []) {
      const { language, namespace, customer = null } = ref
      const id = partId(ref)
      const part = parts.get(id) ?? { language, namespace, customer, added: 0, changed: 0, deleted: 0, conflicts: 0 }
      part[name]++
      parts.set(id, part)
    }
  }
  return [...parts.values()].sort(byName)
}

type Name = Pick<TextName, 'language' | 'namespace' | 'customer'> & Partial<Pick<TextRef, 'key'>>

export function byName(a: Name, b: Name): number {
  if (a.language !== b.language) return a.language < b.language ? -1 : 1
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1
  const [ofA, ofB] = [a.customer ?? '', b.customer ?? '']
  if (ofA !== ofB) return ofA < ofB ? -1 : 1
  return (a.key ?? '') < (b.key ?? '') ? -1 : 1
}

/** A table with more rows than this is reduced to one row per language. */
export const MAX_ROWS = 20

/** Omits columns that contain only zeros. */
export function summaryTable(parts: readonly PartSummary[], paint: Paint): string[] {
  if (parts.length === 0) return []
  const figures = FIGURES.filter((name) => parts.some((part) => part[name] > 0))
  const isShort = parts.length > MAX_ROWS
  const columns: Column<PartSummary & { readonly namespaces?: number }>[] = [
    ['language', ({ language }) => language],
    isShort ? ['namespaces', ({ namespaces = 0 }) => namespaces] : ['namespace', ({ namespace }) => namespace],
  ]
  if (parts.some(({ customer }) => customer !== null)) columns.push(['customer', ({ customer }) => customer])
  for (const name of figures) {
    const value = (part: PartSummary) => {
      const figure = part[name] === 0 ? '' : grouped(part[name])
      return name === 'conflicts' ? paint('red', figure) : figure
    }
    columns.push([name, value, 'right'])
  }
  return [table(isShort ? sumByLanguage(parts) : parts, columns, paint)]
}

/** One row per language and customer, with sums and the number of changed namespaces. */
function sumByLanguage(parts: readonly PartSummary[]) {
  return groupBy(parts, ({ language, customer }) => JSON.stringify([language, customer])).map((group) => {
    const sum = (name: (typeof FIGURES)[number]) => group.reduce((total, part) => total + part[name], 0)
    const sums = { added: sum('added'), changed: sum('changed'), deleted: sum('deleted'), conflicts: sum('conflicts') }
    return { ...(group[0] as PartSummary), ...sums, namespaces: group.length }
  })
}

export type TextName = Omit<TextRef, 'customer'> & { readonly customer?: string | null | undefined }

/** Formats a text's name, such as `pl/common "title"` or `pl/common (acme) "title"`. */
export function nameOf({ language, namespace, key, customer }: TextName): string {
  return `${language}/${printable(namespace)}${customer ? ` (${customer})` : ''} ${quoted(key, 80)}`
}

/** Lists the first ten failed texts with their reasons. */
export function reasonLines(title: string, texts: readonly z.infer<typeof reasonResult>[], paint: Paint): string[] {
  const line = (one: z.infer<typeof reasonResult>) => `${paint('red', title)} ${nameOf(one)}: ${printable(one.reason)}`
  return listOf(texts, 10, line, (rest) => `and ${grouped(rest)} more ${title}`)
}

/** Warns that the result does not include these files. */
export function skippedLines(files: readonly string[]): string[] {
  if (files.length === 0) return []
  const names = listOf(files, 3, String, (rest) => `and ${grouped(rest)} more`)
  return [`left out ${count(files.length, 'file')} that cannot be read: ${names.join(', ')}`]
}

export function conflictLines(conflicts: readonly TextName[], paint: Paint): string[] {
  if (conflicts.length === 0) return []
  return [
    `${paint('red', count(conflicts.length, 'conflict'))}: both sides changed, nothing was overwritten`,
    ...listOf(
      conflicts,
      3,
      (ref) => `  ${nameOf(ref)}`,
      (rest) => `  and ${grouped(rest)} more`,
    ),
    'See them with: localization diff --conflicts. Decide with: localization resolve',
  ]
}
