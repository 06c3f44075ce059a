/** What the endpoints take, checked: everything a browser sends is foreign. */
import * as z from 'zod'
import { LIMITS } from '../api/schemas.ts'
import { ROW_FILTERS } from './wire.ts'

const name = z.string().min(1).max(500)

const refSchema = z.strictObject({
  language: name,
  namespace: z.string().max(LIMITS.namespaceLength),
  key: name,
  customer: name.optional(),
})

const refs = z.array(refSchema).max(10_000)

export const editRequest = z.strictObject({
  ref: refSchema,
  text: z.string().max(LIMITS.textLength),
  /** What the file had when it was shown; `null`: nothing. */
  expected: z.string().nullable(),
  /** What the service had when it was shown, likewise. Left out: nobody saw it. */
  theirs: z.string().nullable().optional(),
})

export const resolveRequest = z.strictObject({
  conflicts: z
    .array(z.strictObject({ ref: refSchema, ours: z.string().nullable(), theirs: z.string().nullable() }))
    .min(1)
    .max(10_000),
  side: z.enum(['ours', 'theirs']),
})

/** `all`: whatever is held at that moment. */
export const holdsRequest = z.strictObject({ refs: z.union([refs, z.literal('all')]) })

export const translateRequest = z.strictObject({
  languages: z.array(name).min(1).max(500),
  provider: z.enum(['PROVIDER_A', 'PROVIDER_B']),
  replace: z.boolean(),
})

export const publishRequest = z.strictObject({ environment: z.string().regex(/^[\w.-]{1,200}$/) })

export const traceRequest = z.strictObject({
  texts: z.array(z.string().max(5_000)).max(2_000),
  /** The page's own language, where it says so. */
  language: z.string().max(100).optional(),
  /** Language and namespace of the modules the page has loaded. */
  loaded: z.array(z.tuple([z.string(), z.string()])).max(20_000),
})

export const rowsQuery = z.object({
  search: z.string().max(1_000).default(''),
  namespace: z.string().optional(),
  language: z.string().optional(),
  customer: z.string().optional(),
  filter: z.enum(ROW_FILTERS).default('all'),
  from: z.coerce.number().int().min(0).default(0),
  count: z.coerce.number().int().min(0).max(500).default(100),
})
export type RowsQuery = z.infer<typeof rowsQuery>

export const keyQuery = z.object({ namespace: z.string(), key: name, customer: z.string().optional() })

export type EditRequest = z.infer<typeof editRequest>
export type ResolveRequest = z.infer<typeof resolveRequest>
export type HoldsRequest = z.infer<typeof holdsRequest>
export type TranslateRequest = z.infer<typeof translateRequest>
export type PublishRequest = z.infer<typeof publishRequest>
export type TraceRequest = z.infer<typeof traceRequest>
