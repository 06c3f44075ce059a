/** Figures per language and namespace, as pull, push and status show them. */

import * as z from 'zod'
import { partId, type TextRef } from '../catalog/text-id.ts'
import { grouped } from '../shared/figures.ts'
import { printable } from '../shared/printable.ts'
import type { TextRecord } from '../sync/text-record.ts'
import { type Column, type Paint, quoted, table } from './text.ts'

/** One text as `--json` names it. */
export const textRefResult = z.object({
  language: z.string(),
  namespace: z.string(),
  key: z.string(),
  customer: z.string().nullable(),
})
export const conflictResult = textRefResult.extend({
  base: z.string().nullable(),
  ours: z.string().nullable(),
  theirs: z.string().nullable(),
})
export const partResult = z.object({
  language: z.string(),
  namespace: z.string(),
  customer: z.string().nullable(),
  added: z.number().int(),
  changed: z.number().int(),
  deleted: z.number().int(),
  conflicts: z.number().int(),
})
export type PartSummary = z.infer<typeof partResult>

export function refResult({ language, namespace, key, customer }: TextRef): z.infer<typeof textRefResult> {
  return { language, namespace, key, customer: customer ?? null }
}

export function conflictOf({ ref, base, ours, theirs }: TextRecord): z.infer<typeof conflictResult> {
  return { ...refResult(ref), base: base ?? null, ours: ours ?? null, theirs: theirs ?? null }
}

export function withReasons(texts: readonly { readonly ref: TextRef; readonly reason: string }[]) {
  return texts.map(({ ref, reason }) => ({ ...refResult(ref), reason }))
}

export interface Changes {
  readonly added?: readonly TextRecord[]
  readonly changed?: readonly TextRecord[]
  readonly deleted?: readonly TextRecord[]
  readonly conflicts?: readonly TextRecord[]
}

/** One row for each part with anything in it, in the texts' order. */
export function summarize(changes: Changes): PartSummary[] {
  const parts = new Map<string, PartSummary>()
  for (const name of ['added', 'changed', 'deleted', 'conflicts'] as const) {
    for (const { ref } of changes[name] ?? []) {
      const { language, namespace, customer = null } = ref
      const id = partId(ref)
      const part = parts.get(id) ?? { language, namespace, customer, added: 0, changed: 0, deleted: 0, conflicts: 0 }
      part[name]++
      parts.set(id, part)
    }
  }
  return [...parts.values()].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))
}

function rowKey({ language, namespace, customer }: PartSummary): string {
  return `${language}\u0000${namespace}\u0000${customer ?? ''}`
}

/** Columns that are zero all the way down are left out. */
export function summaryTable(parts: readonly PartSummary[], paint: Paint): string {
  const figures = (['added', 'changed', 'deleted', 'conflicts'] as const).filter((name) =>
    parts.some((part) => part[name] > 0),
  )
  const columns: Column<PartSummary>[] = [
    { title: 'language', value: ({ language }) => language },
    { title: 'namespace', value: ({ namespace }) => printable(namespace) },
    ...(parts.some(({ customer }) => customer !== null)
      ? [{ title: 'customer', value: ({ customer }: PartSummary) => customer ?? '' }]
      : []),
    ...figures.map(
      (name): Column<PartSummary> => ({
        title: name,
        align: 'right',
        value: (part) => {
          const figure = part[name] === 0 ? '' : grouped(part[name])
          return name === 'conflicts' ? paint('red', figure) : figure
        },
      }),
    ),
  ]
  return table(parts, columns, paint)
}

/** `pl/common "title"`, with the customer where there is one. */
export function nameOf({ language, namespace, key, customer }: TextRef): string {
  return `${language}/${printable(namespace)}${customer === undefined ? '' : ` (${customer})`} ${quoted(key, 80)}`
}
