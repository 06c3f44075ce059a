import { type ErrorCode, LocalizationError } from '../errors.ts'

export type ApiErrorCode = Extract<ErrorCode, `API_${string}`>

export interface ApiErrorOptions {
  readonly code: ApiErrorCode
  readonly hint?: string | undefined
  readonly method: string
  readonly address: string
  readonly status?: number | undefined
  readonly serviceMessage?: string | undefined
  readonly serviceCode?: string | undefined
  readonly serviceErrors?: readonly string[] | undefined
  readonly traceId?: string | undefined
  readonly attempts?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly uncertain?: boolean | undefined
  readonly cause?: unknown
}

/**
 * A failed call to the service. Safe to print, inspect and serialize: no field, including the cause, contains a token.
 *
 * ```ts
 * try { await client.environments.publish('_production') }
 * catch (error) { if (isApiError(error, 'API_CONFLICT')) waitAndRepeat() }
 * ```
 * Use `isApiError` instead of `instanceof`: it also recognizes errors from another installed copy of this package.
 */
export class ApiError extends LocalizationError {
  override readonly name: string = 'ApiError'
  declare readonly code: ApiErrorCode
  readonly method: string
  /** The URL, without secrets. */
  readonly address: string
  /** The HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined
  /** The service's error message, or the first 200 characters of its body. */
  readonly serviceMessage: string | undefined
  /** The service's error code, such as `KEY_NOT_FOUND`; `undefined` if there is none. */
  readonly serviceCode: string | undefined
  /** The individual errors that the service lists: at most 100, each with at most 200 characters. */
  readonly serviceErrors: readonly string[]
  /** The ID by which the service's operators can find the request. */
  readonly traceId: string | undefined
  /** The number of requests that were attempted; 0 if the call was rejected before the first one. */
  readonly attempts: number
  /** The time that the service asked the client to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /**
   * True if the service may have executed the request. It is then not retried automatically: check the service before
   * you repeat it.
   */
  readonly uncertain: boolean

  constructor(message: string, options: ApiErrorOptions) {
    super(message, {
      code: options.code,
      cause: options.cause,
      ...(options.hint !== undefined && { hint: options.hint }),
    })
    this.method = options.method
    this.address = options.address
    this.status = options.status
    this.serviceMessage = options.serviceMessage
    this.serviceCode = options.serviceCode
    this.serviceErrors = options.serviceErrors ?? []
    this.traceId = options.traceId
    this.attempts = options.attempts ?? 0
    this.retryAfterMs = options.retryAfterMs
    this.uncertain = options.uncertain ?? false
  }

  toJSON(): Record<string, unknown> {
    return { message: this.message, ...(this as object) }
  }
}

/**
 * Thrown if `translations.update` or `keys.deleteMany` fails after its first request. Has all fields of the failed
 * request's error, and the results of the requests before it.
 *
 * ```ts
 * try { await client.translations.update(items) }
 * catch (error) {
 *   if (!(error instanceof PartialError)) throw error
 *   console.log(error.partial, 'repeat from', items[error.itemsDone])
 * }
 * ```
 */
export class PartialError<T = unknown> extends ApiError {
  override readonly name: string = 'PartialError'
  /** The result of the requests before the failed one, in the same form as the call's result. */
  readonly partial: T
  /** The number of items in the requests before the failed one. To continue, start with the item at this index. */
  readonly itemsDone: number

  constructor(error: ApiError, partial: T, itemsDone: number) {
    // The message already includes the hint.
    super(error.message, { ...error, hint: undefined, cause: error.cause })
    Object.assign(this, { hint: error.hint })
    this.partial = partial
    this.itemsDone = itemsDone
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), partial: this.partial, itemsDone: this.itemsDone }
  }
}

/** Rethrows a later request's error together with the earlier requests' results. */
export function throwPartial(thrown: unknown, partial: unknown, itemsDone: number): never {
  throw thrown instanceof ApiError ? new PartialError(thrown, partial, itemsDone) : thrown
}

type ApiErrorOf<Code extends ApiErrorCode> = Code extends ApiErrorCode ? ApiError & { readonly code: Code } : never

/**
 * Marks the errors from every installed copy of this package: `instanceof` recognizes only those from the same copy.
 */
const MARK = Symbol.for('unplugin-localization/ApiError')
Object.defineProperty(ApiError.prototype, MARK, { value: true })

/**
 * True for an `ApiError` from any installed copy of this package. If codes are given, the error must have one of them.
 */
export function isApiError<Code extends ApiErrorCode = ApiErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiErrorOf<Code> {
  if (typeof error !== 'object' || error === null || !(MARK in error)) return false
  return codes.length === 0 || ('code' in error && (codes as readonly unknown[]).includes(error.code))
}

export function isTemporary(error: unknown): boolean {
  return isApiError(error, 'API_NETWORK', 'API_TIMEOUT', 'API_SERVER', 'API_RATE_LIMIT')
}

/** The result of a call; `undefined` if the service does not have the resource or the endpoint. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (thrown) {
    if (isApiError(thrown, 'API_NOT_FOUND')) return undefined
    throw thrown
  }
}
