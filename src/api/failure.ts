/** One attempt that failed, and the one place where it becomes an `ApiError`: secrets out, hint in. */

import { LocalizationError } from '../errors.ts'
import { grouped } from '../shared/figures.ts'
import { ApiError, type ApiErrorCode, hintOf, type Target } from './errors.ts'
import { excerpt, redactAddress, redactThrown } from './redact.ts'
import type { Failure } from './retry.ts'
import { ExchangeFailure } from './transport.ts'

export interface AttemptFailureOptions {
  readonly code: ApiErrorCode
  readonly failure: Failure
  readonly status?: number | undefined
  /** The service's words, as they came. */
  readonly serviceMessage?: string | undefined
  /** The other parts of its error body, as they came. */
  readonly serviceCode?: string | undefined
  readonly serviceErrors?: readonly string[] | undefined
  readonly traceId?: string | undefined
  readonly cause?: unknown
  /** What to do, where it is known better than from the code. */
  readonly hint?: string | undefined
}

/** Internal: never reaches a user, because it may hold secrets. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure'
  readonly code: ApiErrorCode
  readonly failure: Failure
  readonly status: number | undefined
  readonly serviceMessage: string | undefined
  readonly serviceCode: string | undefined
  readonly serviceErrors: readonly string[]
  readonly traceId: string | undefined
  readonly hint: string | undefined

  constructor(message: string, options: AttemptFailureOptions) {
    super(message, { cause: options.cause })
    this.code = options.code
    this.failure = options.failure
    this.status = options.status
    this.serviceMessage = options.serviceMessage
    this.serviceCode = options.serviceCode
    this.serviceErrors = options.serviceErrors ?? []
    this.traceId = options.traceId
    this.hint = options.hint
  }
}

/** What an error tells about the call it ends. */
export interface FailedCall {
  readonly method: string
  readonly url: URL
  readonly target: Target
  readonly idempotent: boolean
  /** For calls that are not idempotent: where to look whether it was carried out. */
  readonly lookAt?: string | undefined
  readonly secrets: readonly string[]
  /** Gives a failed attempt its proper meaning where the endpoint has one of its own. */
  readonly codeOf?: ((failure: AttemptFailure) => ApiErrorCode) | undefined
}

/** What an attempt threw, as a failure. What is no failure of the exchange, such as a file that cannot be read, is thrown on. */
export function attemptFailureOf(thrown: unknown): AttemptFailure {
  if (thrown instanceof AttemptFailure) return thrown
  if (thrown instanceof LocalizationError || !(thrown instanceof ExchangeFailure)) throw thrown
  const { kind, message, status, cause, hint } = thrown
  const of = (code: ApiErrorCode, failure: Failure) =>
    new AttemptFailure(message, { code, failure, status, cause, hint })
  switch (kind) {
    case 'unsent':
      return of('API_NETWORK', { kind: 'unsent' })
    case 'broken':
      return of('API_NETWORK', { kind: 'broken' })
    case 'untrusted':
      return of('API_NETWORK', { kind: 'final' })
    case 'too-large':
      return of('API_TOO_LARGE', { kind: 'final' })
    case 'encoding':
      return of('API_UNEXPECTED_ANSWER', { kind: 'final' })
  }
}

/** Of the errors that a service lists, those that an `ApiError` keeps. */
const MOST_ERRORS = 100

/** The error for the attempt that was the last. */
export function errorOf(call: FailedCall, failed: AttemptFailure, attempts: number): ApiError {
  const shown = (text: string | undefined) => (text && excerpt(text, call.secrets)) || undefined
  const serviceMessage = shown(failed.serviceMessage)
  const retryAfterMs = failed.failure.kind === 'status' ? failed.failure.retryAfterMs : undefined
  const said = serviceMessage ? `, ${JSON.stringify(serviceMessage)}` : ''
  const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${grouped(Math.ceil(retryAfterMs / 1000))} s`
  return makeError(call, {
    code: call.codeOf?.(failed) ?? failed.code,
    message: `${excerpt(failed.message, call.secrets)}${said}${wait}`,
    attempts,
    status: failed.status,
    serviceMessage,
    serviceCode: shown(failed.serviceCode),
    serviceErrors: failed.serviceErrors.slice(0, MOST_ERRORS).map((text) => excerpt(text, call.secrets)),
    traceId: shown(failed.traceId),
    retryAfterMs,
    uncertain: attempts > 0 && mayHaveHappened(failed),
    cause: failed.cause,
    hint: failed.hint,
  })
}

export interface EndedCall {
  /** Whether time was up; else somebody's signal ended it. */
  readonly timedOut: boolean
  readonly timeoutMs: number
  readonly attempts: number
  /** Whether a request was under way. */
  readonly underWay: boolean
  readonly last: AttemptFailure | undefined
  readonly reason: unknown
}

/** The error for a call that was ended from outside. */
export function endedError(call: FailedCall, ended: EndedCall): ApiError {
  const { timedOut, timeoutMs, attempts, last } = ended
  const before = last === undefined ? '' : `; the attempt before failed: ${excerpt(last.message, call.secrets)}`
  return makeError(call, {
    code: timedOut ? 'API_TIMEOUT' : 'API_ABORTED',
    message: timedOut ? `no whole answer within ${grouped(timeoutMs)} ms${before}` : 'aborted',
    attempts,
    status: undefined,
    serviceMessage: undefined,
    uncertain: ended.underWay || (last !== undefined && mayHaveHappened(last)),
    cause: timedOut ? last?.cause : ended.reason,
  })
}

interface ErrorParts {
  readonly code: ApiErrorCode
  readonly message: string
  readonly attempts: number
  readonly status: number | undefined
  readonly serviceMessage: string | undefined
  readonly serviceCode?: string | undefined
  readonly serviceErrors?: readonly string[]
  readonly traceId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly uncertain: boolean
  readonly cause: unknown
  readonly hint?: string | undefined
}

function makeError(call: FailedCall, parts: ErrorParts): ApiError {
  const address = redactAddress(call.url, call.secrets)
  const times = parts.attempts > 1 ? ` (${parts.attempts} attempts)` : ''
  const uncertain = parts.uncertain && !call.idempotent
  const look = call.lookAt === undefined ? '' : `: look at ${call.lookAt} before you repeat it`
  return new ApiError(`${call.method} ${address}: ${parts.message}${times}`, {
    ...parts,
    uncertain,
    hint: uncertain
      ? `It may have been carried out all the same${look}.`
      : (parts.hint ?? hintOf(parts.code, call.target, parts.attempts > 0)),
    method: call.method,
    address,
    cause: redactThrown(parts.cause, call.secrets),
  })
}

/** Failures after which the service may have done what was asked. */
function mayHaveHappened({ failure, code }: AttemptFailure): boolean {
  if (failure.kind === 'status') return failure.status >= 500
  return failure.kind === 'broken' || code === 'API_UNEXPECTED_ANSWER' || code === 'API_TOO_LARGE'
}
