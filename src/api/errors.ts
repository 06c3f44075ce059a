import { type ErrorCode, LocalizationError } from '../errors.ts'

/** The codes a call to the service can fail with. */
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
 * A call to the service that failed. Safe to print, inspect and serialize: no field, cause included, holds a token.
 *
 * ```ts
 * try { await client.environments.publish('_production') }
 * catch (error) { if (isApiError(error, 'API_CONFLICT')) waitAndRepeat() }
 * ```
 * `isApiError` rather than `instanceof`: it also knows the errors of another installed copy of this package.
 */
export class ApiError extends LocalizationError {
  override readonly name: string = 'ApiError'
  declare readonly code: ApiErrorCode
  readonly method: string
  /** The address without secrets. */
  readonly address: string
  /** HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined
  /** The service's own words, or the first 200 characters of its body. */
  readonly serviceMessage: string | undefined
  /** The service's own code for the failure, such as `KEY_NOT_FOUND`; `undefined` where there is none. */
  readonly serviceCode: string | undefined
  /** What the service lists as single errors, at most 100, each at most 200 characters. */
  readonly serviceErrors: readonly string[]
  /** What the service's operators find the request by. */
  readonly traceId: string | undefined
  /** How many requests were sent, or tried to be. 0: refused before the first. */
  readonly attempts: number
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** True when the service may have carried out a request that is not repeated by itself: look before repeating it. */
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
 * A call of several requests of which a later one failed: `translations.update` and `keys.deleteMany`. It has
 * everything the failed request's error has, and what the requests before it brought.
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
  /** What the call would have resolved to, had it ended before the failed request. */
  readonly partial: T
  /** How many items, from the first on, the requests before the failed one held. */
  readonly itemsDone: number

  constructor(error: ApiError, partial: T, itemsDone: number) {
    // The message has the hint already.
    super(error.message, { ...error, hint: undefined, cause: error.cause })
    Object.assign(this, { hint: error.hint })
    this.partial = partial
    this.itemsDone = itemsDone
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), partial: this.partial, itemsDone: this.itemsDone }
  }
}

/** Throws what a request of several threw on, with what those before it brought. */
export function throwPartial(thrown: unknown, partial: unknown, itemsDone: number): never {
  throw thrown instanceof ApiError ? new PartialError(thrown, partial, itemsDone) : thrown
}

/** A union with one member for each code: `switch (error.code)` narrows the error too. */
type ApiErrorOf<Code extends ApiErrorCode> = Code extends ApiErrorCode ? ApiError & { readonly code: Code } : never

/** Marks the errors of every installed copy of this package; `instanceof` knows those of its own copy only. */
const MARK = Symbol.for('unplugin-localization/ApiError')
Object.defineProperty(ApiError.prototype, MARK, { value: true })

/** Whether it is an `ApiError`, of any installed copy of this package, and has one of the given codes, if any. */
export function isApiError<Code extends ApiErrorCode = ApiErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiErrorOf<Code> {
  if (typeof error !== 'object' || error === null || !(MARK in error)) return false
  return codes.length === 0 || ('code' in error && (codes as readonly unknown[]).includes(error.code))
}

/** The result of a call; `undefined` where the service has no such thing, or no such endpoint. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (thrown) {
    if (isApiError(thrown, 'API_NOT_FOUND')) return undefined
    throw thrown
  }
}
