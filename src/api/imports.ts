import * as z from 'zod'
import { parseBody, parseChecked } from './answer.ts'
import type { ApiRequest, Caller, CallOptions } from './call.ts'
import { expectTexts } from './conditions.ts'
import { isReopenable, openForm, type UploadFile } from './multipart.ts'
import { type ImportQuery, type ImportResult, importResultSchema } from './schemas.ts'

export interface ImportRequest extends ImportQuery {
  /**
   * The content as bytes or a string, a `{ path }`, or a stream. A string is never a path. A file at a path is
   * streamed.
   */
  readonly file: UploadFile
  /** The file name in the form. Default `translations.json`. */
  readonly fileName?: string | undefined
}

/** The contract's "Import" section. Requires the project API key. */
export interface ImportsApi {
  /**
   * Imports a file. Existing texts are kept unless `importOptions` contains `REPLACE_TRANSLATION_IF_FOUND`. A failed
   * import is retried only if the file can be read again and the import does not publish.
   * @throws ApiError `API_VALIDATION` if the service cannot read the file (nothing was imported),
   * `API_PRECONDITION_FAILED` if the service's texts differ from `expected`; LocalizationError `FILE_READ` if the path
   * cannot be read.
   */
  upload(
    request: ImportRequest,
    options?: CallOptions & {
      /**
       * The texts that the service must currently have in `languageKey`, `namespace` and `customerId` for the file's
       * keys, as pairs in any order. For keys that have no text here, the service must have none either. If the texts
       * differ, nothing is imported. Default: any texts. Only for `single-language-json`. The client retries such a
       * call only if nothing can have been imported; otherwise the error is `uncertain`. This is an extension that is
       * not in the contract: check `Client.conditionalWrites` first.
       */
      readonly expected?: Iterable<readonly [key: string, text: string]> | undefined
    },
  ): Promise<ImportResult>
}

/** The result, in an envelope or, as in the contract, without one. */
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
