/** One call: pacing, credentials, attempts, and the one place where a failure becomes an `ApiError`. */
import type { Readable } from 'node:stream'
import { LocalizationError } from '../errors.ts'
import { apiAddress, parseFileAddress, type QueryValue } from './address.ts'
import { AttemptFailure, looksLikeHtml, statusFailure, unexpected } from './answer.ts'
import { type Clock, createDeadline } from './clock.ts'
import { ApiError, type ApiErrorCode, hintOf, type Target } from './errors.ts'
import { createGate, createRateLimiter, createRetryBudget } from './limits.ts'
import { excerpt, redactAddress, redactThrown } from './redact.ts'
import { decide, parseRetryAfter, type RetryPolicy } from './retry.ts'
import { type Exchange, ExchangeFailure, type ExchangeRequest, type Transport } from './transport.ts'

/** What every method takes last. */
export interface CallOptions {
  /** Ends the call with `API_ABORTED`. */
  readonly signal?: AbortSignal | undefined
  /** Total time of this call with its retries, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined
}

export interface ApiRequest extends CallOptions {
  readonly method: ExchangeRequest['method']
  /** Below `baseUrl`. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly credential: 'project' | 'personal'
  readonly json?: unknown
  /** Opens the body anew for each attempt. */
  readonly upload?: () => Promise<{ stream: Readable; headers: Record<string, string> }>
  /** Whether carrying it out twice is the same as once. */
  readonly idempotent: boolean
  /** For calls that are not idempotent: where to look whether it was carried out. */
  readonly lookAt?: string
  /** Secrets of this request alone. */
  readonly secrets?: readonly string[]
  /** Gives a failed attempt its proper meaning where the endpoint has one of its own. */
  readonly codeOf?: (failure: AttemptFailure) => ApiErrorCode
}

export interface Caller {
  /** Calls the service; `read` turns the answer into the value, inside the attempt. */
  api<T>(request: ApiRequest, read: (exchange: Exchange) => T): Promise<Called<T>>
  /** Fetches without any credential, through three redirects at most. Answers 200, 304 and 404 reach `read` where `statuses` names them. */
  file<T>(request: FileRequest, read: (exchange: Exchange) => T): Promise<Called<T>>
  readonly clock: Clock
}

export interface Called<T> {
  readonly value: T
  readonly attempts: number
}

export interface FileRequest extends CallOptions {
  readonly url: URL
  readonly target: 'file' | 'hosting'
  readonly headers?: Readonly<Record<string, string>>
  /** Statuses beside success that `read` takes. */
  readonly statuses?: readonly number[]
}

export interface CallerOptions {
  readonly transport: Transport
  readonly baseUrl: URL | undefined
  readonly apiKey: string | undefined
  readonly personalToken: string | undefined
  readonly tokenHeader: string
  readonly timeoutMs: number
  readonly policy: RetryPolicy
  readonly requestsPerMinute: number | undefined
  readonly concurrency: number
  readonly maxBytes: number
  readonly secrets: readonly string[]
  readonly signals: readonly (AbortSignal | undefined)[]
  readonly clock: Clock
  readonly random: () => number
}

const MAX_REDIRECTS = 3

export function createCaller(options: CallerOptions): Caller {
  const { transport, clock, policy, random, maxBytes } = options
  const gate = createGate(options.concurrency)
  const limiter = createRateLimiter(options.requestsPerMinute)
  const budget = createRetryBudget()

  interface Run extends CallOptions {
    readonly method: string
    readonly url: URL
    readonly target: Target
    readonly idempotent: boolean
    readonly lookAt?: string | undefined
    readonly secrets: readonly string[]
    readonly codeOf?: ((failure: AttemptFailure) => ApiErrorCode) | undefined
  }

  async function run<T>(call: Run, attempt: (signal: AbortSignal) => Promise<T>): Promise<Called<T>> {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs
    const deadline = createDeadline([...options.signals, call.signal])
    let leave: (() => void) | undefined
    let attempts = 0
    let last: AttemptFailure | undefined
    try {
      leave = await gate.enter(deadline.signal)
      let remainingMs = timeoutMs
      for (;;) {
        await pace(deadline.signal)
        const startedAt = clock.now()
        deadline.start(remainingMs)
        attempts++
        try {
          const value = await attempt(deadline.signal)
          budget.refund()
          return { value, attempts }
        } catch (thrown) {
          if (deadline.signal.aborted) throw thrown
          last = attemptFailureOf(thrown)
          remainingMs -= clock.now() - startedAt
          const { failure } = last
          const decision = decide({ failure, idempotent: call.idempotent, attempts, remainingMs, policy, random })
          if (!decision.repeat || !budget.take()) throw errorOf(call, last, attempts)
          // What one request was told holds for all: the others would only be told the same.
          if (failure.kind === 'status' && failure.status === 429) limiter.holdUntil(clock.now() + decision.delayMs)
          await clock.sleep(decision.delayMs, deadline.signal)
          remainingMs -= decision.delayMs
        }
        deadline.stop()
      }
    } catch (thrown) {
      if (!deadline.signal.aborted || thrown instanceof ApiError) throw thrown
      throw endedError(call, { timedOut: deadline.timedOut, timeoutMs, attempts, last, reason: deadline.signal.reason })
    } finally {
      leave?.()
      deadline.clear()
    }
  }

  /** Waits for the client's own limits. Not part of a call's time. */
  async function pace(signal: AbortSignal): Promise<void> {
    const waitMs = limiter.reserve(clock.now())
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    for (let heldMs = limiter.heldMs(clock.now()); heldMs > 0; heldMs = limiter.heldMs(clock.now())) {
      await clock.sleep(heldMs, signal)
    }
    if (signal.aborted) throw signal.reason
  }

  function errorOf(call: Run, failed: AttemptFailure, attempts: number): ApiError {
    const code = call.codeOf?.(failed) ?? failed.code
    const serviceMessage =
      failed.serviceMessage === undefined ? undefined : excerpt(failed.serviceMessage, call.secrets)
    const retryAfterMs = failed.failure.kind === 'status' ? failed.failure.retryAfterMs : undefined
    const uncertain = !call.idempotent && attempts > 0 && mayHaveHappened(failed)
    const said = serviceMessage ? `, ${JSON.stringify(serviceMessage)}` : ''
    const wait =
      retryAfterMs === undefined ? '' : `; it asks to wait ${Math.ceil(retryAfterMs / 1000).toLocaleString('en')} s`
    return makeError(call, {
      code,
      message: `${excerpt(failed.message, call.secrets)}${said}${wait}`,
      attempts,
      status: failed.status,
      serviceMessage,
      retryAfterMs,
      uncertain,
      cause: failed.cause,
    })
  }

  function endedError(
    call: Run,
    ended: {
      timedOut: boolean
      timeoutMs: number
      attempts: number
      last: AttemptFailure | undefined
      reason: unknown
    },
  ): ApiError {
    const { timedOut, timeoutMs, attempts, last } = ended
    return makeError(call, {
      code: timedOut ? 'API_TIMEOUT' : 'API_ABORTED',
      message: timedOut ? `no whole answer within ${timeoutMs.toLocaleString('en')} ms` : 'aborted',
      attempts,
      status: last?.status,
      serviceMessage: last?.serviceMessage === undefined ? undefined : excerpt(last.serviceMessage, call.secrets),
      uncertain: !call.idempotent && attempts > 0,
      cause: timedOut ? last : ended.reason,
    })
  }

  function makeError(
    call: Run,
    of: {
      code: ApiErrorCode
      message: string
      attempts: number
      status: number | undefined
      serviceMessage: string | undefined
      retryAfterMs?: number | undefined
      uncertain: boolean
      cause: unknown
    },
  ): ApiError {
    const address = redactAddress(call.url, call.secrets)
    const times = of.attempts > 1 ? ` (${of.attempts} attempts)` : ''
    const hint =
      of.uncertain && call.lookAt !== undefined
        ? `It may have been carried out all the same: look at ${call.lookAt} before you repeat it.`
        : of.code === 'API_ABORTED'
          ? undefined
          : hintOf(of.code, call.target)
    return new ApiError(`${call.method} ${address}: ${of.message}${times}`, {
      ...of,
      hint,
      method: call.method,
      address,
      cause: redactThrown(of.cause, call.secrets),
    })
  }

  /** One exchange of which only a success, or a status named in `statuses`, gets through. */
  async function exchange(request: ExchangeRequest, statuses: readonly number[] = []): Promise<Exchange> {
    const answer = await transport.exchange(request)
    if ((answer.status >= 200 && answer.status < 300) || statuses.includes(answer.status)) return answer
    const retryAfterMs = parseRetryAfter(answer.header('retry-after'), answer.header('date'), clock.wallNow())
    throw statusFailure(answer, retryAfterMs)
  }

  return {
    clock,
    api<T>(request: ApiRequest, read: (exchange: Exchange) => T): Promise<Called<T>> {
      const { baseUrl } = options
      if (!baseUrl) return Promise.reject(missingOption('service.baseUrl', 'LOCALIZATION_BASE_URL'))
      const url = apiAddress(baseUrl, request.path, request.query)
      const secrets = [...options.secrets, ...(request.secrets ?? [])]
      const { method, credential: target } = request
      const call: Run = { ...request, method, url, target, secrets }
      const token = target === 'project' ? options.apiKey : options.personalToken
      if (token === undefined) {
        const failed = new AttemptFailure(
          target === 'project' ? 'no project API key is set' : 'no personal token is set',
          {
            code: 'API_AUTHENTICATION',
            failure: { kind: 'final' },
          },
        )
        return Promise.reject(errorOf(call, failed, 0))
      }
      const headers: Record<string, string> = {
        accept: 'application/json',
        [target === 'project' ? options.tokenHeader : 'authorization']: token,
        ...(request.json !== undefined && { 'content-type': 'application/json' }),
      }
      const json = request.json === undefined ? undefined : JSON.stringify(request.json)
      return run(call, async (signal) => {
        const upload = await request.upload?.()
        try {
          const body = upload?.stream ?? json
          return read(
            await exchange({ method, url, headers: { ...headers, ...upload?.headers }, body, signal, maxBytes }),
          )
        } catch (thrown) {
          throw redirectFailure(thrown) ?? thrown
        } finally {
          upload?.stream.destroy()
        }
      })
    },
    file<T>({ url, target, headers = {}, statuses, ...callOptions }: FileRequest, read: (exchange: Exchange) => T) {
      const call: Run = { ...callOptions, method: 'GET', url, target, idempotent: true, secrets: options.secrets }
      return run(call, async (signal) => {
        let at = url
        for (let hop = 0; ; hop++) {
          const request = { method: 'GET', url: at, headers, signal, maxBytes } as const
          const answer = await exchange(request, [301, 302, 303, 307, 308, ...(statuses ?? [])])
          const location = answer.header('location')
          if (answer.status < 301 || answer.status === 304 || answer.status > 308) {
            if (answer.status < 300 && looksLikeHtml(answer)) throw unexpected('an HTML page instead of a file', answer)
            return read(answer)
          }
          if (location === undefined || hop === MAX_REDIRECTS) {
            throw new AttemptFailure(
              location === undefined ? 'a redirect to nowhere' : `more than ${MAX_REDIRECTS} redirects`,
              {
                code: 'API_REDIRECT',
                failure: { kind: 'final' },
                status: answer.status,
              },
            )
          }
          at = parseFileAddress(location, at)
        }
      })
    },
  }
}

/** An API answer that redirects is refused: HTTP libraries carry `X-Service-Token` along to whatever origin it names. */
function redirectFailure(thrown: unknown): AttemptFailure | undefined {
  if (!(thrown instanceof AttemptFailure) || thrown.code !== 'API_REDIRECT') return undefined
  return new AttemptFailure(`${thrown.message}, a redirect, which is not followed`, {
    code: 'API_REDIRECT',
    failure: { kind: 'final' },
    ...(thrown.status !== undefined && { status: thrown.status }),
  })
}

/** Failures after which the service may have done what was asked. */
function mayHaveHappened({ failure, code }: AttemptFailure): boolean {
  if (failure.kind === 'status') return failure.status >= 500
  return failure.kind === 'broken' || code === 'API_UNEXPECTED_ANSWER' || code === 'API_TOO_LARGE'
}

function attemptFailureOf(thrown: unknown): AttemptFailure {
  if (thrown instanceof AttemptFailure) return thrown
  if (thrown instanceof LocalizationError || !(thrown instanceof ExchangeFailure)) throw thrown
  const { kind, message, status, cause } = thrown
  const of = (code: ApiErrorCode, failure: AttemptFailure['failure']) =>
    new AttemptFailure(message, { code, failure, cause, ...(status !== undefined && { status }) })
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

export function missingOption(option: string, variable: string): LocalizationError {
  return new LocalizationError(`\`${option}\` is not set`, {
    code: 'CONFIG_INVALID',
    hint: `Set it, or the environment variable ${variable}.`,
  })
}
