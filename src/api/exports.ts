import { parseFileAddress } from './address.ts'
import { parseEnvelope, parseJson, unexpected } from './answer.ts'
import type { Caller, CallOptions } from './call.ts'
import { isApiError } from './errors.ts'
import {
  type ExportResult,
  type ExportV3Query,
  type ExportV4Query,
  type ExportV4Result,
  exportResultSchema,
  exportV4ResultSchema,
} from './schemas.ts'

/** Contract: Export. Project API key; files are fetched without it. */
export interface ExportsApi {
  /** Makes a file and gives its address, which expires (deprecated by the service, no removal planned). One file carries no namespaces. */
  v3(query: ExportV3Query, options?: CallOptions): Promise<ExportResult>
  /** Makes files, one per language and namespace where asked for; `undefined` where the service has no v4, which is asked once. */
  v4(query: ExportV4Query, options?: CallOptions): Promise<ExportV4Result | undefined>
  /**
   * Fetches an exported file: https only, loopback exempt, three redirects at most, no credential.
   * @throws ApiError `API_ORIGIN` for any other address, `API_TOO_LARGE` above `maxBytes`.
   */
  download(url: string, options?: CallOptions): Promise<Uint8Array>
  /** The same, parsed: a JSON object, whose `__proto__` is an ordinary property. */
  downloadJson(url: string, options?: CallOptions): Promise<Record<string, unknown>>
}

export function createExports(caller: Caller): ExportsApi {
  let hasV4 = true
  const get = { method: 'GET', credential: 'project', idempotent: true } as const
  return {
    async v3(query, options) {
      const request = { ...get, path: 'api/v3/export', query: { ...query } }
      return await caller.api({ ...request, ...options }, (answer) => parseEnvelope(answer, exportResultSchema))
    },
    async v4(query, options) {
      if (!hasV4) return undefined
      const request = { ...get, path: 'api/v4/export', query: { ...query } }
      try {
        return await caller.api({ ...request, ...options }, (answer) => parseEnvelope(answer, exportV4ResultSchema))
      } catch (thrown) {
        if (!isApiError(thrown, 'API_NOT_FOUND')) throw thrown
        hasV4 = false
        return undefined
      }
    },
    async download(url, options) {
      const request = { url: parseFileAddress(url), target: 'file', ...options } as const
      return await caller.file(request, (answer) => answer.body)
    },
    async downloadJson(url, options) {
      const request = { url: parseFileAddress(url), target: 'file', ...options } as const
      return caller.file(request, (answer) => {
        const value = parseJson(answer)
        if (!isObject(value)) throw unexpected('the file is no JSON object', answer)
        return value
      })
    },
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
