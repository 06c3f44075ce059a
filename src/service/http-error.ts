/** Error responses (facts: Errors, limits, paging). */
import { STATUS_CODES } from 'node:http'

/** Stable codes of the service's own error responses. */
export type HttpErrorCode =
  | 'BAD_REQUEST'
  | 'CREDENTIALS'
  | 'CREDENTIAL_NEEDED'
  | 'NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'KEY_EXISTS'
  | 'LANGUAGE_NOT_FOUND'
  | 'CUSTOMER_NOT_FOUND'
  | 'ENVIRONMENT_NOT_FOUND'
  | 'JOB_NOT_FOUND'
  | 'NOT_PUBLISHED'
  | 'PUBLISH_RUNNING'
  | 'BACKUP_RUNNING'
  | 'PRECONDITION_FAILED'
  | 'CHARACTERS_LIMIT'
  | 'LANGUAGES_LIMIT'
  | 'TOO_LARGE'
  | 'UNSUPPORTED_TYPE'
  | 'RATE_LIMIT'
  | 'LOCK_LOST'
  | 'STORAGE_FULL'
  | 'DATABASE_UNAVAILABLE'
  | 'DATABASE_BUSY'
  | 'DATABASE_READ_ONLY'
  | 'DATABASE_UPGRADED'
  | 'FAULT'
  | 'INTERNAL'

export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: number,
    readonly code: HttpErrorCode,
    message: string,
    readonly details: {
      errors?: readonly string[]
      headers?: Readonly<Record<string, string>>
      /** For the log. */
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: details.cause })
  }
}

/** True if the service refused the request; false if the service failed. */
export function isRefusal(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status < 500
}

const RETRY_SOON = { 'retry-after': '1' }

/** Another process has the folder's lock, or the folder was removed. This process must not write. */
export const lockLost = () =>
  new HttpError(
    503,
    'LOCK_LOST',
    'Nothing was written: the service no longer has its data folder. Restart the service.',
  )

export const storageFull = (cause?: unknown) =>
  new HttpError(
    507,
    'STORAGE_FULL',
    "Nothing was written: the service's disk is full. Free some space and try again.",
    {
      cause,
    },
  )

/** The connection to the database failed. A commit may or may not have succeeded. */
export const databaseUnavailable = (cause: unknown) =>
  new HttpError(503, 'DATABASE_UNAVAILABLE', "The service's database is not responding. Try again.", {
    headers: RETRY_SOON,
    cause,
  })

/** The database or the connection pool is overloaded. */
export const databaseBusy = (reason: string, cause?: unknown) =>
  new HttpError(503, 'DATABASE_BUSY', `${reason} Nothing was written. Try again.`, {
    headers: RETRY_SOON,
    cause,
  })

/** The database is read-only: it is a standby after a failover, or its provider reacted to a full disk. */
export const databaseReadOnly = (cause?: unknown) =>
  new HttpError(503, 'DATABASE_READ_ONLY', "Nothing was written: the service's database is currently read-only.", {
    headers: RETRY_SOON,
    cause,
  })

/** Another release migrated the tables while this process was running. */
export const databaseUpgraded = (stored: number, known: number) =>
  new HttpError(
    503,
    'DATABASE_UPGRADED',
    `Nothing was written: the database tables have version ${stored}, but this process requires version ${known}. ` +
      'Restart it with the release that the other processes are running.',
    { headers: RETRY_SOON },
  )

export const badRequest = (message: string, errors?: readonly string[]) =>
  new HttpError(400, 'BAD_REQUEST', message, errors ? { errors } : {})

export const tooLargeOf = (maxBytes: number) =>
  new HttpError(413, 'TOO_LARGE', `The body is larger than ${maxBytes} bytes.`, { headers: { connection: 'close' } })

export const tooManyLanguages = (most: number) =>
  new HttpError(400, 'LANGUAGES_LIMIT', `A project can have at most ${most} languages. Nothing was written.`)

const notFound = (code: HttpErrorCode, what: string) =>
  new HttpError(404, code, `${what} does not exist in the project.`)

export const keyNotFound = (key: string, namespace: string) =>
  notFound('KEY_NOT_FOUND', `Translation key ${keyText(key, namespace)}`)

export const languageNotFound = (language: string) =>
  notFound('LANGUAGE_NOT_FOUND', `Language ${JSON.stringify(language)}`)

export const customerNotFound = (customer: string) =>
  notFound('CUSTOMER_NOT_FOUND', `Customer ${JSON.stringify(customer)}`)

/** A key's name, for messages. */
export function keyText(key: string, namespace: string): string {
  return namespace === '' ? JSON.stringify(key) : `${JSON.stringify(key)} in namespace ${JSON.stringify(namespace)}`
}

/** Returns `{status, title, msg, code, errors?, traceId}`. */
export function errorBody(error: HttpError, traceId: string): object {
  return {
    status: error.status,
    title: STATUS_CODES[error.status],
    msg: error.message,
    code: error.code,
    ...(error.details.errors && { errors: error.details.errors }),
    traceId,
  }
}
