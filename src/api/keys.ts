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
  /** Keys the service refused to delete, with its words. Empty for services that list none. */
  readonly failures: NonNullable<BulkResult['failures']>
}

/** Contract: Translation keys. Project API key. */
export interface KeysApi {
  /**
   * Creates a key. Only `key` is required; longest: key 500, namespace 128, description 500 characters, 5 tags. Never
   * repeated after an answer that did not come.
   * @throws ApiError `API_CONFLICT` when it exists (some services: `API_VALIDATION`), `API_VALIDATION` above a limit.
   */
  create(request: CreateKeyRequest, options?: CallOptions): Promise<void>
  /**
   * Description, tags and limit of a key. Not in the contract: probe, never depend on it. `undefined` where the service
   * has no such key or no such endpoint.
   */
  info(key: KeyReference, options?: CallOptions): Promise<KeyInfo | undefined>
  /**
   * Deletes a key with its translations; without a namespace, the one in the namespace `""`.
   * @throws ApiError `API_NOT_FOUND` when there is none.
   */
  delete(key: KeyReference, options?: CallOptions): Promise<void>
  /**
   * Deletes many, 100 a request, one request after the other. When one fails the keys before it are gone; repeating the
   * whole call is safe. `timeoutMs` holds for each request.
   * @throws PartialError with the failures of the requests before the one that failed.
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
        // Not there after an attempt whose answer was lost: that attempt deleted it.
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
        // The contract shows no answer; services that list failures do so in the envelope's `data`.
        const listed = z.object({ data: bulkResultSchema }).safeParse(answer)
        failures.push(...(listed.data?.data.failures ?? []))
      }
      return { failures }
    },
  }
}
