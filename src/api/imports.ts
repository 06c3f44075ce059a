import * as z from 'zod'
import { parseBody, parseChecked } from './answer.ts'
import type { ApiRequest, Caller, CallOptions } from './call.ts'
import { expectTexts } from './conditions.ts'
import { isReopenable, openForm, type UploadFile } from './multipart.ts'
import { type ImportQuery, type ImportResult, importResultSchema } from './schemas.ts'

export interface ImportRequest extends ImportQuery {
  /** Content (bytes, or a string, which is never a path), `{ path }`, or a stream. Paths are read as streams. */
  readonly file: UploadFile
  /** Name of the file part. Default `translations.json`. */
  readonly fileName?: string | undefined
}

/** Contract: Import. Project API key. */
export interface ImportsApi {
  /**
   * Imports a file. Existing texts stay unless `importOptions` holds `REPLACE_TRANSLATION_IF_FOUND`. Repeated after a
   * failure only when the file can be read again and nothing is published by it.
   * @throws ApiError `API_VALIDATION` for a file the service cannot read, which then changes nothing;
   * `API_PRECONDITION_FAILED` when the service has other texts than `expected`; LocalizationError `FILE_READ` for a
   * path that cannot be read.
   */
  upload(
    request: ImportRequest,
    options?: CallOptions & {
      /**
       * The texts that the service must still have for the file's keys in `languageKey`, `namespace` and `customerId`,
       * by key in any order; keys that are left out or empty must have none. Otherwise nothing is imported. Default:
       * any texts. For `single-language-json` only. Such a call is repeated only after failures that mean that nothing
       * was imported; else the error is `uncertain`. Extension, not in the contract: check `Client.conditionalWrites`
       * first.
       */
      readonly expected?: Iterable<readonly [key: string, text: string]> | undefined
    },
  ): Promise<ImportResult>
}

/** Bare as in the contract, or in the envelope. */
const answerSchema = z.union([
  z.looseObject({ data: importResultSchema }).transform(({ data }) => data),
  importResultSchema,
])

export function createImports(caller: Caller): ImportsApi {
  return {
    async upload({ file, fileName = 'translations.json', ...query }, { expected, ...options } = {}) {
      const publishes = query.importOptions?.includes('PUBLISH_AFTER_IMPORT') ?? false
      const request: ApiRequest = {
        method: 'POST',
        path: 'api/v2/import',
        query,
        idempotent: isReopenable(file) && !publishes && expected === undefined,
        upload: () => openForm(file, fileName),
        lookAt: '`translations.query()`',
        ...(expected && { headers: expectTexts(expected) }),
        ...options,
      }
      return caller.api(request, (answer) => {
        const value = parseBody(answer)
        const wrapped = answerSchema.safeParse(value)
        return wrapped.success ? wrapped.data : parseChecked(answer, value, importResultSchema)
      })
    },
  }
}
