/** An endpoint of the inspector: a handler, and the schema that validates everything that a browser sends to it. */
import * as z from 'zod'
import { LIMITS } from '../api/schemas.ts'
import type { InspectedProject } from './inspected-project.ts'

export const MOST_REFS = 10_000
/** The maximum number of keys to delete or review at a time. Keep equal to `MOST_KEYS` in `page/controls.tsx`. */
const MOST_KEYS = 1_000

export const nothing = z.strictObject({})
export const name = z.string().min(1).max(500)
export const namespace = z.string().max(LIMITS.namespaceLength)
export const text = z.string().max(LIMITS.textLength)
export const ref = z.strictObject({ language: name, namespace, key: name, customer: name.optional() })
export const keyName = z.strictObject({ namespace, key: name })
export const keys = z.array(keyName).min(1).max(MOST_KEYS)

type Run<Schema extends z.ZodType, Answer> = (project: InspectedProject, request: z.output<Schema>) => Promise<Answer>

export function get<Schema extends z.ZodType, Answer>(schema: Schema, run: Run<Schema, Answer>) {
  return { method: 'GET', schema, run } as const
}

export function post<Schema extends z.ZodType, Answer>(schema: Schema, run: Run<Schema, Answer>) {
  return { method: 'POST', schema, run } as const
}
