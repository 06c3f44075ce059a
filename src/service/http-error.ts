/** A refusal as the service answers it (facts: Errors, limits, paging). */

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
}

/** Stable codes of the service's own answers. */
export type HttpErrorCode =
  | 'BAD_REQUEST'
  | 'CREDENTIALS'
  | 'NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'KEY_EXISTS'
  | 'LANGUAGE_NOT_FOUND'
  | 'CUSTOMER_NOT_FOUND'
  | 'ENVIRONMENT_NOT_FOUND'
  | 'JOB_NOT_FOUND'
  | 'NOT_PUBLISHED'
  | 'PUBLISH_RUNNING'
  | 'PRECONDITION_FAILED'
  | 'CHARACTERS_LIMIT'
  | 'LANGUAGES_LIMIT'
  | 'TOO_LARGE'
  | 'UNSUPPORTED_TYPE'
  | 'RATE_LIMIT'
  | 'LOCK_LOST'
  | 'STORAGE_FULL'
  | 'FAULT'
  | 'INTERNAL'

export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: number,
    readonly code: HttpErrorCode,
    message: string,
    readonly details: { errors?: readonly string[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
  }
}

/** The folder's lock is somebody else's, or the folder was removed: nothing is written any more. */
export const lockLost = () =>
  new HttpError(503, 'LOCK_LOST', 'Nothing was written: the service no longer has its data folder. Start it again.')

export const storageFull = () =>
  new HttpError(507, 'STORAGE_FULL', 'Nothing was written: the disk of the service is full. Make room, and repeat.')

export const badRequest = (message: string, errors?: readonly string[]) =>
  new HttpError(400, 'BAD_REQUEST', message, errors ? { errors } : {})

export const tooLargeOf = (maxBytes: number) =>
  new HttpError(413, 'TOO_LARGE', `The body is larger than ${maxBytes} bytes.`, { headers: { connection: 'close' } })

export const tooManyLanguages = (most: number) =>
  new HttpError(400, 'LANGUAGES_LIMIT', `A project has at most ${most} languages. Nothing was written.`)

/** The error body: `{status, title, msg, code, errors?, traceId}`. */
export function errorBody(error: HttpError, traceId: string): object {
  return {
    status: error.status,
    title: TITLES[error.status] ?? 'Error',
    msg: error.message,
    code: error.code,
    ...(error.details.errors && { errors: error.details.errors }),
    traceId,
  }
}
