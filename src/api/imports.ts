import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { LocalizationError, messageOf } from '../errors.ts'
import { textsDigest } from '../shared/hash.ts'
import { parseBody, parseChecked } from './answer.ts'
import type { ApiRequest, Caller, CallOptions } from './call.ts'
import { type ImportQuery, type ImportResult, importResultSchema } from './schemas.ts'

/** A file to upload: its content, its path, or a stream. A string is always content, never a path. */
export type UploadFile = Uint8Array | string | { readonly path: string } | AsyncIterable<Uint8Array>

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

/**
 * The header that makes an import conditional on the service's current texts for the file's keys. The service must have
 * the texts in `expected`, and no texts for the file's other keys.
 */
function expectTexts(expected: Iterable<readonly [key: string, text: string]>) {
  return { 'if-match': `"${textsDigest(expected)}"` }
}

/** True if the form can be opened more than once. */
function isReopenable(file: UploadFile): boolean {
  return typeof file === 'string' || file instanceof Uint8Array || 'path' in file
}

/** Opens the form, whose `file` part contains the file and its name. @throws FILE_READ if a path cannot be read. */
async function openForm(file: UploadFile, fileName: string) {
  const boundary = `form-${randomBytes(18).toString('hex')}`
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted(fileName)}"\r\n` +
      'Content-Type: application/json\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const type = `multipart/form-data; boundary=${boundary}`
  // Uses a single buffer, because streaming three chunks would be much slower for a small file.
  if (typeof file === 'string') {
    const body = Buffer.concat([head, Buffer.from(file), tail])
    return { body, headers: { 'content-type': type } }
  }
  const { content, length } = await openFile(file)
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield head
    yield* content
    yield tail
  }
  return {
    body: Readable.from(parts(), { objectMode: false }),
    headers: {
      'content-type': type,
      ...(length !== undefined && { 'content-length': String(head.length + length + tail.length) }),
    },
  }
}

async function openFile(
  file: Exclude<UploadFile, string>,
): Promise<{ content: AsyncIterable<Uint8Array> | Uint8Array[]; length?: number }> {
  if (file instanceof Uint8Array) return { content: [file], length: file.byteLength }
  if (!('path' in file)) return { content: file }
  try {
    const { size } = await stat(file.path)
    return { content: readPath(file.path), length: size }
  } catch (cause) {
    throw readError(file.path, cause)
  }
}

async function* readPath(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>
  } catch (cause) {
    throw readError(path, cause)
  }
}

/** Quotes a file name as browsers do: only quotes and line breaks are percent-encoded. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function readError(path: string, cause: unknown): LocalizationError {
  return new LocalizationError(`cannot be read: ${messageOf(cause)}`, {
    code: 'FILE_READ',
    place: { file: path },
    cause,
  })
}
