/** One attempt that failed, and the one place where it becomes an `ApiError`: secrets out, hint in. */
import { grouped } from '../shared/figures.ts'
import { ApiError, type ApiErrorCode } from './errors.ts'
import { hintOf, type Target } from './hints.ts'
import { excerpt, redactAddress, redactThrown } from './redact.ts'
import type { Failure } from './retry.ts'

/** Internal: never reaches a user, because it may hold secrets. */
export interface FailureDetails {
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

export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure'
  constructor(
    message: string,
    readonly details: FailureDetails,
  ) {
    super(message, { cause: details.cause })
  }
}

/** The part of a call that its error shows. */
export interface FailedCall {
  readonly method: string
  readonly url: URL
  readonly target: Target
  readonly idempotent: boolean
  /** For calls that are not idempotent: where to look whether the call was carried out. */
  readonly lookAt?: string | undefined
  readonly secrets: readonly string[]
  /** Gives a failed attempt its proper meaning where the endpoint has one of its own. */
  readonly codeOf?: ((failure: FailureDetails) => ApiErrorCode) | undefined
}

/** Of the errors that a service lists, an `ApiError` keeps so many. */
const MAX_ERRORS = 100

/** The error for the attempt that was the last. */
export function errorOf(call: FailedCall, { message, details }: AttemptFailure, attempts: number): ApiError {
  const { failure, status, serviceErrors = [], cause, hint } = details
  const shown = (text: string | undefined) => (text && excerpt(text, call.secrets)) || undefined
  const serviceMessage = shown(details.serviceMessage)
  const words = serviceMessage ? `, ${JSON.stringify(serviceMessage)}` : ''
  const retryAfterMs = failure.kind === 'status' ? failure.retryAfterMs : undefined
  const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${grouped(Math.ceil(retryAfterMs / 1000))} s`
  return createError(call, `${excerpt(message, call.secrets)}${words}${wait}`, {
    code: call.codeOf?.(details) ?? details.code,
    attempts,
    status,
    serviceMessage,
    serviceCode: shown(details.serviceCode),
    serviceErrors: serviceErrors.slice(0, MAX_ERRORS).map((text) => excerpt(text, call.secrets)),
    traceId: shown(details.traceId),
    retryAfterMs,
    uncertain: attempts > 0 && mayHaveHappened(details),
    cause,
    hint,
  })
}

export interface EndedCall {
  /** Time was up. Otherwise a signal ended the call. */
  readonly timedOut: boolean
  readonly timeoutMs: number
  readonly attempts: number
  readonly isUnderWay: boolean
  readonly last: AttemptFailure | undefined
  readonly reason: unknown
}

/** The error for a call that was ended from outside. */
export function endedError(call: FailedCall, ended: EndedCall): ApiError {
  const { timedOut, timeoutMs, attempts, last, isUnderWay, reason } = ended
  const uncertain = isUnderWay || (last !== undefined && mayHaveHappened(last.details))
  if (!timedOut) return createError(call, 'aborted', { code: 'API_ABORTED', attempts, uncertain, cause: reason })
  const before = last === undefined ? '' : `; the attempt before failed: ${excerpt(last.message, call.secrets)}`
  const message = `no whole answer within ${grouped(timeoutMs)} ms${before}`
  return createError(call, message, { code: 'API_TIMEOUT', attempts, uncertain, cause: last?.cause })
}

interface ErrorParts extends Omit<FailureDetails, 'failure'> {
  readonly attempts: number
  readonly retryAfterMs?: number | undefined
  readonly uncertain: boolean
}

function createError(call: FailedCall, message: string, parts: ErrorParts): ApiError {
  const { method, url, target, idempotent, lookAt, secrets } = call
  const address = redactAddress(url, secrets)
  const times = parts.attempts > 1 ? ` (${parts.attempts} attempts)` : ''
  const uncertain = parts.uncertain && !idempotent
  const look = lookAt === undefined ? '' : `: look at ${lookAt} before you repeat it`
  return new ApiError(`${method} ${address}: ${message}${times}`, {
    ...parts,
    uncertain,
    hint: uncertain ? `It may have been carried out all the same${look}.` : (parts.hint ?? hintOf(parts.code, target)),
    method,
    address,
    cause: redactThrown(parts.cause, secrets),
  })
}

/** Failures after which the service may have done what was asked. */
function mayHaveHappened({ failure, code }: FailureDetails): boolean {
  if (failure.kind === 'status') return failure.status >= 500
  return failure.kind === 'broken' || code === 'API_UNEXPECTED_ANSWER' || code === 'API_TOO_LARGE'
}
