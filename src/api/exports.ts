import { parseFileAddress } from './address.ts'
import { parseJson, unexpected } from './answer.ts'
import type { Caller, CallOptions, FileValidators } from './call.ts'
import { ifFound } from './errors.ts'
import {
  type ExportResult,
  type ExportV3Query,
  type ExportV4Query,
  type ExportV4Result,
  exportResultSchema,
  exportV4ResultSchema,
} from './schemas.ts'
import type { Exchange } from './transport.ts'

/** The contract's "Export" section. Requires the project API key; files are fetched without it. */
export interface ExportsApi {
  /** Creates one file without namespaces, and returns its URL, which expires. Deprecated by the service. */
  v3(query: ExportV3Query, options?: CallOptions): Promise<ExportResult>
  /** Creates files, optionally one per language and namespace. `undefined` if the service has no v4 export. */
  v4(query: ExportV4Query, options?: CallOptions): Promise<ExportV4Result | undefined>
  /**
   * Fetches an exported file without credentials. Allows only https (and http to loopback addresses). Follows up to
   * three redirects.
   * @throws ApiError `API_ORIGIN` for any other URL, `API_TOO_LARGE` for a file that exceeds `maxBytes`.
   */
  download(url: string, options?: CallOptions): Promise<Uint8Array>
  /** Like `download`, but parses the file as a JSON object. `__proto__` becomes an ordinary property. */
  downloadJson(url: string, options?: CallOptions): Promise<Record<string, unknown>>
  /**
   * Like `downloadJson`, but sends the validators of an earlier response from the same URL. Returns `undefined` if
   * nothing has changed since then.
   */
  downloadJsonIfChanged(
    url: string,
    validators: FileValidators,
    options?: CallOptions,
  ): Promise<Record<string, unknown> | undefined>
}

export function createExports(caller: Caller): ExportsApi {
  const addressOf = (url: string) => parseFileAddress(url, caller.options.baseUrl)
  return {
    v3: (query, options) =>
      caller.data({ method: 'GET', path: 'api/v3/export', query: { ...query }, ...options }, exportResultSchema),
    v4(query, options) {
      const request = { method: 'GET', path: 'api/v4/export', query: { ...query }, ...options } as const
      return ifFound(caller.data(request, exportV4ResultSchema))
    },
    download: async (url, options) =>
      caller.file({ url: addressOf(url), target: 'file', ...options }, (answer) => answer.body),
    downloadJson: async (url, options) => caller.file({ url: addressOf(url), target: 'file', ...options }, parseObject),
    downloadJsonIfChanged: async (url, validators, options) =>
      caller.file({ url: addressOf(url), target: 'file', validators, ...options }, (answer) =>
        answer.status === 304 ? undefined : parseObject(answer),
      ),
  }
}

function parseObject(answer: Exchange): Record<string, unknown> {
  const value = parseJson(answer)
  if (!isObject(value)) throw unexpected('the file is not a JSON object', answer)
  return value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
