import * as z from 'zod'
import type { Caller, CallOptions } from './call.ts'
import { ifFound, isApiError, throwPartial } from './errors.ts'
import {
  type BulkResult,
  bulkResultSchema,
  type CreateKeyRequest,
  type KeyInfo,
  type KeyReference,
  keyInfoSchema,
  LIMITS,
} from './schemas.ts'

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
