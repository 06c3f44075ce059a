/** The schemas of the endpoints' requests. Everything that a browser sends is validated with these. */
import * as z from 'zod'
import { LIMITS } from '../api/schemas.ts'

const MOST_REFS = 10_000
/** The maximum number of keys to delete or review at a time. `page/limits.ts` has the same number. */
const MOST_KEYS = 1_000

const name = z.string().min(1).max(500)
const namespace = z.string().max(LIMITS.namespaceLength)
const ref = z.strictObject({ language: name, namespace, key: name, customer: name.optional() })

// Control characters are not allowed in new keys, because they would be invisible in a file.
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches them on purpose
const newKey = name.regex(/^[^\u0000-\u001f\u007f]*\S[^\u0000-\u001f\u007f]*$/)
const keys = z
  .array(z.strictObject({ namespace, key: name }))
  .min(1)
  .max(MOST_KEYS)

export const nothing = z.strictObject({})

const filters = z.object({
  search: z.string().max(1_000).default(''),
  namespace: z.string().optional(),
  language: z.string().optional(),
  customer: z.string().optional(),
  filter: z
    .enum(['all', 'missing', 'fallback', 'differing', 'conflict', 'held', 'waiting', 'stale', 'unreviewed'])
    .default('all'),
  /** `key`, `state`, or `text:` and a language; a leading `-` reverses the order. */
  sort: z.string().max(600).optional(),
})

export const rows = filters.extend({
  from: z.coerce.number<number>().int().min(0).default(0),
  count: z.coerce.number<number>().int().min(0).max(500).default(100),
  /** Keeps the rows of the last response, even if their texts no longer match: the user is editing one of them. */
  stays: z.literal('yes').optional(),
})

/** Only the keys, for a selection. */
export const found = filters.extend({
  from: z.coerce.number<number>().int().min(0).default(0),
  count: z.coerce.number<number>().int().min(0).max(MOST_REFS).default(MOST_REFS),
})

/** `language`: only this one and the default language, without the locations in the code. */
export const key = z.object({
  namespace: z.string(),
  key: name,
  customer: z.string().optional(),
  language: z.string().optional(),
})

export const trace = z.strictObject({
  texts: z.array(z.string().max(5_000)).max(2_000),
  /** The page's language, if it declares one. */
  language: z.string().max(100).optional(),
  /** The language and namespace of each module that the page has loaded. */
  loaded: z.array(z.tuple([z.string(), z.string()])).max(20_000),
})

export const edit = z.strictObject({
  ref,
  text: z.string().max(LIMITS.textLength),
  /** The file's text when the user started editing. Absent if there was none. */
  expected: z.string().optional(),
  /** The service's text when the user started editing; empty if there was none. Absent if the user did not see it. */
  theirs: z.string().optional(),
})

/** A key that does not exist yet, with its first texts. */
export const create = z.strictObject({
  namespace,
  key: newKey,
  texts: z
    .array(z.strictObject({ language: name, text: z.string().min(1).max(LIMITS.textLength) }))
    .min(1)
    .max(500),
  /** Information for translators on the service, where the key is created immediately. */
  details: z
    .strictObject({
      description: z.string().max(LIMITS.descriptionLength).optional(),
      charactersLimit: z.number().int().min(1).max(LIMITS.textLength).optional(),
      tags: z.array(z.string().min(1).max(100)).max(LIMITS.tags).optional(),
    })
    .optional(),
})

/** Up to `MOST_REFS`, because they are only counted. */
export const missing = z.strictObject({ keys: z.array(z.strictObject({ namespace, key: name })).max(MOST_REFS) })

/** The preview of a deletion. `onService`: also deletes the keys on the service. */
export const removal = z.strictObject({ keys, onService: z.boolean() })

/** `seen`: from the response that the user saw. */
export const remove = removal.extend({ seen: z.string().max(100) })

/** `text`: of a single text, as the user saw it. */
export const review = z.strictObject({
  keys,
  languages: z.array(name).min(1).max(500),
  customer: name.optional(),
  isReviewed: z.boolean(),
  text: z.string().optional(),
})

/** A text in a page that is not a message. */
export const literal = z.object({ text: z.string().trim().min(3).max(1_000) })

/** A text that the user is typing. */
export const check = z.strictObject({ ref, text: z.string().max(LIMITS.textLength) })

/** Each conflict with both texts as the user saw them. */
export const resolve = z.strictObject({
  conflicts: z
    .array(z.strictObject({ ref, ours: z.string().optional(), theirs: z.string().optional() }))
    .min(1)
    .max(MOST_REFS),
  side: z.enum(['ours', 'theirs']),
})

/** A stale translation as the user saw it, with the default language's text. */
export const confirm = z.strictObject({ ref, text: z.string(), madeFrom: z.string(), source: z.string() })

/** `all`: every text that is held when the request arrives. */
export const held = z.strictObject({ refs: z.union([z.array(ref).max(MOST_REFS), z.literal('all')]) })

export const translate = z.strictObject({
  languages: z.array(name).min(1).max(500),
  provider: z.enum(['PROVIDER_A', 'PROVIDER_B']),
  replace: z.boolean(),
})

export const publish = z.strictObject({ environment: z.string().regex(/^[\w.-]{1,200}$/) })

export type RowsRequest = z.output<typeof rows>
export type FoundRequest = z.output<typeof found>
export type KeyRequest = z.output<typeof key>
export type TraceRequest = z.output<typeof trace>
export type EditRequest = z.output<typeof edit>
export type CreateRequest = z.output<typeof create>
export type RemovalRequest = z.output<typeof removal>
export type RemoveRequest = z.output<typeof remove>
export type ReviewRequest = z.output<typeof review>
export type CheckRequest = z.output<typeof check>
export type ResolveRequest = z.output<typeof resolve>
export type ConfirmRequest = z.output<typeof confirm>
export type HeldRefs = z.output<typeof held>['refs']
export type TranslateRequest = z.output<typeof translate>
