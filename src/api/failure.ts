/** A failed attempt. Only this module turns it into an `ApiError`, removes the secrets and adds the hint. */
import type { Deadline } from '../shared/clock.ts'
import { grouped } from '../shared/figures.ts'
import { ApiError, type ApiErrorCode } from './errors.ts'
import { excerpt, redactAddress, redactThrown } from './redact.ts'

/** Determines whether a call may be retried. */
export type Failure =
  /** The connection failed before any byte of the request was sent. */
  | { readonly kind: 'unsent' }
  /** The connection broke or the response is incomplete, so the service may have executed the request. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs?: number | undefined }
  /** A retry cannot help, for example because the response is not JSON, or because the certificate is unknown. */
  | { readonly kind: 'final' }

/** Internal. Never shown to users, because it may contain secrets. */
export interface FailureDetails {
  readonly code: ApiErrorCode
  readonly failure: Failure
  readonly status?: number | undefined
  /** The service's raw message. */
  readonly serviceMessage?: string | undefined
  /** The service's raw error code. */
  readonly serviceCode?: string | undefined
  readonly serviceErrors?: readonly string[] | undefined
  readonly traceId?: string | undefined
  readonly cause?: unknown
  /** A hint that is more specific than the code's own. */
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

/** The details of a call that appear in its error. */
export interface FailedCall {
  readonly method: string
  readonly url: URL
  readonly target: Target
  readonly idempotent: boolean
  /** Where to check whether the service executed the call. Only for calls that are not idempotent. */
  readonly lookAt?: string | undefined
  readonly secrets: readonly string[]
  /** Returns a code for failures that have a special meaning at this endpoint. */
  readonly codeOf?: ((failure: FailureDetails) => ApiErrorCode) | undefined
}

/** The maximum number of `serviceErrors` in an `ApiError`. */
const MAX_ERRORS = 100

export function errorOf(call: FailedCall, { message, details }: AttemptFailure, attempts: number): ApiError {
  const { failure, status, serviceErrors = [], cause, hint } = details
  const shown = (text: string | undefined) => (text && excerpt(text, call.secrets)) || undefined
  const serviceMessage = shown(details.serviceMessage)
  const words = serviceMessage ? `, ${JSON.stringify(serviceMessage)}` : ''
  const retryAfterMs = failure.kind === 'status' ? failure.retryAfterMs : undefined
  const wait = retryAfterMs === undefined ? '' : `; retry after ${grouped(Math.ceil(retryAfterMs / 1000))} s`
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

/** The attempts of a call so far. */
export interface Progress {
  attempts: number
  isUnderWay: boolean
  last: AttemptFailure | undefined
}

/** The error for a call that ended because its time was up or because of a signal. */
export function endedError(
  call: FailedCall,
  { timedOut, signal }: Deadline,
  timeoutMs: number,
  { attempts, isUnderWay, last }: Progress,
): ApiError {
  const uncertain = isUnderWay || (last !== undefined && mayHaveHappened(last.details))
  if (!timedOut) return createError(call, 'aborted', { code: 'API_ABORTED', attempts, uncertain, cause: signal.reason })
  const before = last === undefined ? '' : `; the previous attempt failed: ${excerpt(last.message, call.secrets)}`
  const message = `no complete response within ${grouped(timeoutMs)} ms${before}`
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
  const look = lookAt === undefined ? '' : `. Check with ${lookAt} before you repeat it`
  return new ApiError(`${method} ${address}: ${message}${times}`, {
    ...parts,
    uncertain,
    hint: uncertain ? `The service may have executed it${look}.` : (parts.hint ?? hintOf(parts.code, target)),
    method,
    address,
    cause: redactThrown(parts.cause, secrets),
  })
}

/** True if the service may have executed the request despite the failure. */
function mayHaveHappened({ failure, code }: FailureDetails): boolean {
  if (failure.kind === 'status') return failure.status >= 500
  return failure.kind === 'broken' || code === 'API_UNEXPECTED_ANSWER' || code === 'API_TOO_LARGE'
}

/** The target of a request, on which the hint depends. */
type Target = 'project' | 'personal' | 'file' | 'hosting'

const CODES: Readonly<Record<number, ApiErrorCode>> = {
  401: 'API_AUTHENTICATION',
  402: 'API_PLAN',
  403: 'API_AUTHENTICATION',
  404: 'API_NOT_FOUND',
  405: 'API_NOT_FOUND',
  407: 'API_AUTHENTICATION',
  408: 'API_TIMEOUT',
  409: 'API_CONFLICT',
  410: 'API_NOT_FOUND',
  412: 'API_PRECONDITION_FAILED',
  429: 'API_RATE_LIMIT',
}

export function codeOfStatus(status: number): ApiErrorCode {
  if (status < 300) return 'API_UNEXPECTED_ANSWER'
  if (status < 400) return 'API_REDIRECT'
  return status < 500 ? (CODES[status] ?? 'API_VALIDATION') : 'API_SERVER'
}

const EXPIRED = 'The URLs of exported files expire. Export again.'

/** For each code, one hint for all targets or one hint per target; `other` is for the targets that are not listed. */
const HINTS: Partial<Record<ApiErrorCode, string | (Partial<Record<Target, string>> & { other?: string })>> = {
  API_AUTHENTICATION: {
    file: EXPIRED,
    hosting: "Check the project's hosting settings and `service.cdnUrl`.",
    personal: 'Check `service.personalToken` or LOCALIZATION_PERSONAL_TOKEN.',
    project: 'Check `service.apiKey` or LOCALIZATION_API_KEY, and `service.tokenHeader`.',
  },
  API_PLAN: "The project's plan does not include this call.",
  API_NOT_FOUND: {
    file: EXPIRED,
    hosting: 'Publish the environment first, or check `service.projectToken` and `environment`.',
    other: 'Check the requested name, and `service.baseUrl` or LOCALIZATION_BASE_URL.',
  },
  API_CONFLICT: 'Wait until the other request has finished, then try again.',
  API_PRECONDITION_FAILED: 'Someone changed it in the meantime. Read it again and retry.',
  API_RATE_LIMIT: "Wait, or set `service.requestsPerMinute` below the service's limit.",
  API_SERVER: 'The service reported an internal error. Try again later.',
  API_NETWORK: {
    hosting: 'Check the network and `service.cdnUrl` or LOCALIZATION_CDN_URL.',
    other: 'Check the network, the proxy settings, and `service.baseUrl` or LOCALIZATION_BASE_URL.',
  },
  API_TIMEOUT: 'Try again, or raise `service.timeoutMs`.',
  API_UNEXPECTED_ANSWER: {
    file: "Export again. If the error persists, report it to the service's operator.",
    hosting: 'Check that `service.cdnUrl` is the URL of the published files.',
    other: 'Check that `service.baseUrl` is the URL of the service, not of a login page or proxy.',
  },
  API_TOO_LARGE: 'Raise `maxBytes` if the file is really that large.',
  API_REDIRECT: {
    project: 'Set `service.baseUrl` to the URL it redirects to, if you trust it.',
    personal: 'Set `service.baseUrl` to the URL it redirects to, if you trust it.',
  },
}

function hintOf(code: ApiErrorCode, target: Target): string | undefined {
  const hint = HINTS[code]
  return typeof hint === 'object' ? (hint[target] ?? hint.other) : hint
}
