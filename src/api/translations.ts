import * as z from 'zod'
import { textDigest } from '../shared/hash.ts'
import { parseBody, parseChecked } from './answer.ts'
import type { Caller, CallOptions } from './call.ts'
import { ifFound, isApiError, throwPartial } from './errors.ts'
import { queryAll, type TranslationPage } from './pages.ts'
import {
  type BulkResult,
  bulkResultSchema,
  type CreateKeyRequest,
  type KeyInfo,
  type KeyReference,
  keyInfoSchema,
  LIMITS,
  type SetTranslationRequest,
  type Translation,
  type TranslationQuery,
  translationPageSchema,
  type translationSchema,
  type UpdateTranslationItem,
  type UpdateTranslationsResult,
  updateTranslationsResultSchema,
} from './schemas.ts'
import type { Exchange } from './transport.ts'

/** The contract's "Translations" section. Requires the project API key. */
export interface TranslationsApi {
  /**
   * Sets a text (v2 PATCH). The key, language and customer must exist. Without a `reviewStatus`, the text becomes
   * `NOT_REVIEWED`. A text has at most 65,535 characters, and must not exceed the key's own limit. The request is
   * retried after a failure.
   *
   * ```ts
   * await client.translations.set({ key: 'title', language: 'en', text: 'Welcome' }, { expected: 'Hello' })
   * ```
   * @throws ApiError `API_NOT_FOUND` if the key, language or customer does not exist, `API_VALIDATION` if a limit is
   * exceeded, `API_PRECONDITION_FAILED` if the service's text differs from `expected`.
   */
  set(
    request: SetTranslationRequest,
    options?: CallOptions & {
      /**
       * The text that the service must currently have; `null` or `''` if it must have none. If the service has another
       * text, nothing is written. Default: any text. The client retries a failed request only if the service cannot
       * have written anything; otherwise the error is `uncertain`. This is an extension that is not in the contract:
       * check `Client.conditionalWrites` first.
       */
      readonly expected?: string | null | undefined
    },
  ): Promise<void>
  /** One page. Pages are numbered from 0. `size` is at most 500, by default 100. Sends `Cache-Control: no-cache`. */
  query(query?: TranslationQuery, options?: CallOptions): Promise<TranslationPage>
  /**
   * All matching translations from all pages, each once. Ignores `page`; `size` defaults to 500. `timeoutMs` applies to
   * each page. If the data changes between pages, all pages are read again. If there are several pages and the service
   * sends no total, the pages are read until two readings are equal, so at least twice.
   * @throws ApiError `API_UNEXPECTED_ANSWER` if translations are added or deleted during each of three readings.
   */
  queryAll(query?: TranslationQuery, options?: CallOptions): AsyncGenerator<Translation, void, undefined>
  /**
   * Updates texts (v1 PATCH, soon deprecated) in consecutive requests of 500 items, and adds up the counts. Rejected
   * items do not throw; they are in `failures`. `timeoutMs` applies to each request.
   * @throws PartialError with the counts and failures from the requests before the failed one.
   */
  update(
    items: readonly UpdateTranslationItem[],
    options?: CallOptions & {
      /** Creates missing keys (`CREATE_KEY_IF_NOT_FOUND`). Default false. */
      readonly createKeys?: boolean | undefined
    },
  ): Promise<UpdateTranslationsResult>
}

const UPDATE_ITEMS = 500

/**
 * Parses a page. If all rows are valid, only their defaults are added, because the schema would copy every row and
 * field.
 */
function parsePage(answer: Exchange): z.output<typeof translationPageSchema> {
  const body = parseBody(answer)
  const { data, ...rest } = Object(body) as { readonly data?: unknown }
  if (!Array.isArray(data) || !data.every(isRow)) return parseChecked(answer, body, translationPageSchema)
  const page = parseChecked(answer, { ...rest, data: [] }, translationPageSchema)
  for (const row of data) {
    row.namespace ??= ''
    row.text ??= ''
  }
  return { ...page, data: data as Translation[] }
}

/** True if the row is valid under `translationSchema`. */
function isRow(row: unknown): row is z.input<typeof translationSchema> {
  if (typeof row !== 'object' || row === null) return false
  const { key, namespace, language, text, reviewStatus, lastModifiedAt, customerId } = row as Record<string, unknown>
  return (
    typeof key === 'string' &&
    typeof language === 'string' &&
    (typeof text === 'string' || text === undefined || text === null) &&
    (typeof namespace === 'string' || namespace === undefined || namespace === null) &&
    (typeof reviewStatus === 'string' || reviewStatus === undefined) &&
    (typeof lastModifiedAt === 'string' || lastModifiedAt === undefined) &&
    (typeof customerId === 'string' || customerId === undefined || customerId === null)
  )
}

export function createTranslations(caller: Caller): TranslationsApi {
  async function query(filters: TranslationQuery = {}, options?: CallOptions): Promise<TranslationPage> {
    const headers = { 'cache-control': 'no-cache' }
    // Newer services call the filter `reviewStatus`. Services ignore the name that they do not know.
    const parameters = { ...filters, reviewStatus: filters.reviewsStatus }
    const request = { method: 'GET', path: 'api/v2/translations', headers, query: parameters, ...options } as const
    const page = await caller.api(request, parsePage)
    return { translations: page.data, pageDetails: page.pageDetails ?? undefined }
  }

  return {
    query,
    queryAll: (filters = {}, options) =>
      queryAll((page, size) => query({ ...filters, page, size }, options), filters.size),
    async set(json, { expected, ...options } = {}) {
      await caller.send({
        method: 'PATCH',
        path: 'api/v2/translations',
        json,
        // If the response to a successful conditional write is lost, a retry would fail, because the text is already
        // the new one.
        idempotent: expected === undefined,
        lookAt: '`translations.query()`',
        ...(expected !== undefined && { headers: expectText(expected) }),
        ...options,
      })
    },
    async update(items, { createKeys = false, ...options } = {}) {
      const total = { numberOfUpdates: 0, numberOfFailures: 0, numberOfInserts: 0, failures: [] as string[] }
      const query = createKeys ? { updateOptions: ['CREATE_KEY_IF_NOT_FOUND'] } : {}
      for (let at = 0; at < items.length; at += UPDATE_ITEMS) {
        const json = { content: items.slice(at, at + UPDATE_ITEMS) }
        const request = { method: 'PATCH', path: 'api/v1/translations', query, json, ...options } as const
        const result = await caller
          .data(request, updateTranslationsResultSchema)
          .catch((thrown) => throwPartial(thrown, total, at))
        total.numberOfUpdates += result.numberOfUpdates
        total.numberOfFailures += result.numberOfFailures
        total.numberOfInserts += result.numberOfInserts
        total.failures.push(...result.failures)
      }
      return total
    },
  }
}

/**
 * The header that makes a write conditional on the service's current text. `null` and `''` mean that the service must
 * have no text.
 */
function expectText(expected: string | null): Readonly<Record<string, string>> {
  return expected === null || expected === '' ? { 'if-none-match': '*' } : { 'if-match': `"${textDigest(expected)}"` }
}

export interface DeleteKeysResult {
  /** The keys that the service did not delete, with its reasons. Empty if the service lists none. */
  readonly failures: NonNullable<BulkResult['failures']>
}

/** The contract's "Translation keys" section. Requires the project API key. */
export interface KeysApi {
  /**
   * Creates a key. Only `key` is required. A key has at most 500 characters, a namespace 128 and a description 500. A
   * key has at most 5 tags. The request is not retried if its response is lost.
   * @throws ApiError `API_CONFLICT` if the key exists (some services return `API_VALIDATION`), `API_VALIDATION` if a
   * limit is exceeded.
   */
  create(request: CreateKeyRequest, options?: CallOptions): Promise<void>
  /**
   * A key's description, tags and character limit. The contract does not have this endpoint, so a service may lack it:
   * do not depend on it. `undefined` if the service has no such key or no such endpoint.
   */
  info(key: KeyReference, options?: CallOptions): Promise<KeyInfo | undefined>
  /**
   * Deletes a key and its translations. If `namespace` is omitted, it is `""`.
   * @throws ApiError `API_NOT_FOUND` if the key does not exist.
   */
  delete(key: KeyReference, options?: CallOptions): Promise<void>
  /**
   * Deletes any number of keys, in consecutive requests of up to 100. If a request fails, the keys in the earlier ones
   * are already deleted, and you can safely repeat the whole call. `timeoutMs` applies to each request.
   * @throws PartialError with the failures from the requests before the failed one.
   */
  deleteMany(keys: readonly KeyReference[], options?: CallOptions): Promise<DeleteKeysResult>
}

export function createKeys(caller: Caller): KeysApi {
  const path = 'api/v1/translation-keys'
  return {
    async create(json, options) {
      await caller.send({ method: 'POST', path, json, lookAt: '`translations.query({ key })`', ...options })
    },
    info: ({ key, namespace }, options) =>
      ifFound(caller.data({ method: 'GET', path, query: { key, namespace }, ...options }, keyInfoSchema)),
    async delete({ key, namespace }, options) {
      try {
        await caller.send({ method: 'DELETE', path, query: { key, namespace }, ...options })
      } catch (thrown) {
        // If an earlier attempt's response was lost and the key no longer exists, the earlier attempt deleted it.
        if (!(isApiError(thrown, 'API_NOT_FOUND') && thrown.attempts > 1)) throw thrown
      }
    },
    async deleteMany(keys, options) {
      const failures: DeleteKeysResult['failures'] = []
      for (let at = 0; at < keys.length; at += LIMITS.bulkItems) {
        const references = keys.slice(at, at + LIMITS.bulkItems)
        const json = { translationKeys: references.map(({ key, namespace = '' }) => ({ key, namespace })) }
        const answer = await caller
          .send({ method: 'DELETE', path: `${path}/bulk`, json, ...options })
          .catch((thrown) => throwPartial(thrown, { failures }, at))
        // The contract does not document the response. Services that list failures do so in the envelope's `data`.
        const listed = z.object({ data: bulkResultSchema }).safeParse(answer)
        failures.push(...(listed.data?.data.failures ?? []))
      }
      return { failures }
    },
  }
}
