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
  /** The service's own code for the failure, such as `KEY_NOT_FOUND`; `undefined` where it gives none. Facts: Errors. */
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
    const { name, code, message, hint, method, address, status, attempts, retryAfterMs, uncertain } = this
    const { serviceMessage, serviceCode, serviceErrors, traceId } = this
    const service = { serviceMessage, serviceCode, serviceErrors, traceId }
    return { name, code, message, hint, method, address, status, ...service, attempts, retryAfterMs, uncertain }
  }
}

/**
 * A call of several requests of which a later one failed: `translations.update` and `keys.deleteMany`. It has everything the failed
 * request's error has, and what the requests before it brought.
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

/** Whether it is an `ApiError`, of whatever installed copy of this package, and of one of the codes where any is given. */
export function isApiError<Code extends ApiErrorCode = ApiErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiErrorOf<Code> {
  if (typeof error !== 'object' || error === null || !(MARK in error)) return false
  return codes.length === 0 || ('code' in error && (codes as readonly unknown[]).includes(error.code))
}

/** What kind of address was asked: what to do next depends on it. */
export type Target = 'project' | 'personal' | 'file' | 'hosting'

/** The code for an answer's status, `undefined` where the status is a success. */
export function codeOfStatus(status: number): ApiErrorCode | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return 'API_REDIRECT'
  if (status >= 500) return 'API_SERVER'
  switch (status) {
    case 401:
    case 403:
    case 407:
      return 'API_AUTHENTICATION'
    case 402:
      return 'API_PLAN'
    case 404:
    case 405:
    case 410:
      return 'API_NOT_FOUND'
    case 408:
      return 'API_TIMEOUT'
    case 409:
      return 'API_CONFLICT'
    case 412:
      return 'API_PRECONDITION_FAILED'
    case 429:
      return 'API_RATE_LIMIT'
    default:
      return status >= 400 ? 'API_VALIDATION' : 'API_UNEXPECTED_ANSWER'
  }
}

/** What to do next, by code and by what was asked; `wasSent`: a request went out. */
export function hintOf(code: ApiErrorCode, target: Target, wasSent = true): string | undefined {
  if (code === 'API_AUTHENTICATION' && !wasSent) {
    return target === 'personal'
      ? 'Set LOCALIZATION_PERSONAL_TOKEN, or `service.personalToken`.'
      : 'Set LOCALIZATION_API_KEY, in the environment or in .env.local.'
  }
  switch (code) {
    case 'API_AUTHENTICATION':
      if (target === 'file') return 'The address of an exported file expires: export again.'
      if (target === 'hosting') return 'Check the hosting settings of the project and `service.cdnUrl`.'
      return target === 'personal'
        ? 'Check `service.personalToken` or LOCALIZATION_PERSONAL_TOKEN.'
        : 'Check `service.apiKey` or LOCALIZATION_API_KEY, and `service.tokenHeader`.'
    case 'API_PLAN':
      return "The project's plan does not include this call."
    case 'API_NOT_FOUND':
      if (target === 'file') return 'The address of an exported file expires: export again.'
      if (target === 'hosting')
        return 'Publish the environment first, or check `service.projectToken` and `environment`.'
      return 'Check the name that was asked for, and `service.baseUrl` or LOCALIZATION_BASE_URL.'
    case 'API_CONFLICT':
      return 'Wait until the running request has ended, then repeat.'
    case 'API_PRECONDITION_FAILED':
      return 'Somebody else changed it: read it again, and decide again.'
    case 'API_RATE_LIMIT':
      return 'Wait, or set `service.requestsPerMinute` below the limit of the service.'
    case 'API_SERVER':
      return 'The service has a fault of its own: try again later.'
    case 'API_NETWORK':
      return target === 'hosting'
        ? 'Check the network and `service.cdnUrl` or LOCALIZATION_CDN_URL.'
        : 'Check the network, the proxy settings, and `service.baseUrl` or LOCALIZATION_BASE_URL.'
    case 'API_TIMEOUT':
      return 'Try again, or raise `service.timeoutMs`.'
    case 'API_UNEXPECTED_ANSWER':
      if (target === 'file') return 'Export again; if it comes again, the fault is with the service.'
      return target === 'hosting'
        ? 'Check that `service.cdnUrl` is the address of the published files.'
        : 'Check that `service.baseUrl` is the address of the service and not of a login page or proxy.'
    case 'API_TOO_LARGE':
      return 'Raise `maxBytes` if the file is really that large.'
    case 'API_REDIRECT':
      return target === 'file' || target === 'hosting'
        ? undefined
        : 'Set `service.baseUrl` to the address it redirects to, if you trust it.'
    default:
      return undefined
  }
}
