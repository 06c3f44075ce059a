/** What the resources call with: credentials to the service's origin and nowhere else, redirects by hand, statuses to failures. */
import type { Readable } from 'node:stream'
import { LocalizationError } from '../errors.ts'
import { apiAddress, parseFileAddress, type QueryValue } from './address.ts'
import { looksLikeHtml, statusFailure, unexpected } from './answer.ts'
import { createRunner, type Run, type RunnerOptions } from './attempts.ts'
import type { Clock } from './clock.ts'
import { announcesConditionalWrites } from './conditional-writes.ts'
import type { ApiErrorCode } from './errors.ts'
import { AttemptFailure, errorOf } from './failure.ts'
import type { Reservation } from './pace.ts'
import { excerpt, redactAddress } from './redact.ts'
import { parseRetryAfter } from './retry.ts'
import type { Exchange, ExchangeRequest, Transport } from './transport.ts'

/** What every method takes last. */
export interface CallOptions {
  /** Ends the call with `API_ABORTED`. */
  readonly signal?: AbortSignal | undefined
  /** Total time of this call with its retries, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined
  /** How often this call is repeated after a failure. Default: the client's. */
  readonly retries?: number | undefined
  /** Told of the headers of each answer that was taken, by lower-case name. */
  readonly onHeaders?: ((header: (name: string) => string | undefined) => void) | undefined
  /**
   * From `Client.reserve()`: this call takes one of its requests and starts at once, without waiting for
   * `requestsPerMinute` or for a place under `concurrency`. A method that sends several requests takes one for each, a
   * repetition after a failure none. When none is left, or a minute has passed since they were reserved, the call waits
   * like any other. Downloads and hosting have no use for it. While the service has the client wait after a 429, the
   * call fails before it is sent: `API_RATE_LIMIT`, with `retryAfterMs`.
   */
  readonly reservation?: Reservation | undefined
}

export interface ApiRequest extends CallOptions {
  readonly method: ExchangeRequest['method']
  /** Below `baseUrl`. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly credential: 'project' | 'personal'
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Opens the body anew for each attempt. */
  readonly upload?: () => Promise<{ stream: Readable; headers: Record<string, string> }>
  /** Whether carrying it out twice is the same as once. */
  readonly idempotent: boolean
  readonly lookAt?: string
  /** Secrets of this request alone. */
  readonly secrets?: readonly string[]
  readonly codeOf?: (failure: AttemptFailure) => ApiErrorCode
}

export interface FileRequest extends CallOptions {
  readonly url: URL
  readonly target: 'file' | 'hosting'
  readonly headers?: Readonly<Record<string, string>>
  /** Statuses beside success that `read` takes. */
  readonly statuses?: readonly number[]
}

export interface Caller {
  /** Calls the service; `read` turns the answer into the value, and its failures are the attempt's. */
  api<T>(request: ApiRequest, read: (exchange: Exchange) => T): Promise<T>
  /** Fetches without any credential, through three redirects at most. */
  file<T>(request: FileRequest, read: (exchange: Exchange) => T): Promise<T>
  /** Waits until so many API requests may start at once. */
  reserve(requests: number, signal: AbortSignal | undefined): Promise<Reservation>
  /** Whether the last answer of the API announced conditional writes. */
  readonly conditionalWrites: boolean
  /** The service's words as an error may show them. */
  excerpt(text: string): string
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signals: readonly (AbortSignal | undefined)[]
}

export interface CallerOptions extends RunnerOptions {
  readonly transport: Transport
  readonly baseUrl: URL | undefined
  readonly apiKey: string | undefined
  readonly personalToken: string | undefined
  readonly tokenHeader: string
  /** Headers of every request to `headersOrigin`, by lower-case name. Those of the call itself win. */
  readonly headers: Readonly<Record<string, string>>
  readonly headersOrigin: string | undefined
  readonly maxBytes: number
  /** What no error may show. */
  readonly secrets: readonly string[]
}

const MAX_REDIRECTS = 3
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

export function createCaller(options: CallerOptions): Caller {
  const { clock, maxBytes, secrets } = options
  const runApi = createRunner(options)
  // The limit of requests a minute is the service's; files lie elsewhere.
  const runFile = createRunner({ ...options, requestsPerMinute: undefined })
  let conditionalWrites = false

  /** A gateway's credentials stay with the gateway: no redirect and no file elsewhere gets them. */
  function exchange(request: ExchangeRequest): Promise<Exchange> {
    const extra = request.url.origin === options.headersOrigin ? options.headers : {}
    return options.transport.exchange({ ...request, headers: { ...extra, ...request.headers } })
  }

  /** Lets only a success, or a status named in `statuses`, through. */
  function checkStatus(answer: Exchange, statuses: readonly number[]): Exchange {
    if ((answer.status >= 200 && answer.status < 300) || statuses.includes(answer.status)) return answer
    throw statusFailure(answer, parseRetryAfter(answer.header('retry-after'), answer.header('date'), clock.wallNow()))
  }

  /** The service itself never redirects us: HTTP libraries carry `X-Service-Token` along to whatever origin is named. */
  async function exchangeApi(request: ExchangeRequest): Promise<Exchange> {
    const answer = await exchange(request)
    conditionalWrites = announcesConditionalWrites(answer.header)
    checkStatus(answer, REDIRECTS)
    if (!REDIRECTS.includes(answer.status)) return answer
    const location = answer.header('location') ?? ''
    const to = URL.canParse(location, request.url.href) ? redactAddress(new URL(location, request.url)) : 'nowhere'
    throw redirectFailure(answer, `a redirect to ${to}, which is not followed`)
  }

  async function follow(request: ExchangeRequest, statuses: readonly number[]): Promise<Exchange> {
    let { url } = request
    for (let hop = 0; ; hop++) {
      const answer = checkStatus(await exchange({ ...request, url }), [...REDIRECTS, ...statuses])
      if (!REDIRECTS.includes(answer.status)) return answer
      const location = answer.header('location')
      if (location === undefined) throw redirectFailure(answer, 'a redirect to nowhere')
      if (hop === MAX_REDIRECTS) throw redirectFailure(answer, `more than ${MAX_REDIRECTS} redirects`)
      url = parseFileAddress(location, url)
    }
  }

  function requireBaseUrl(): URL {
    if (!options.baseUrl) throw missingOption('service.baseUrl', 'LOCALIZATION_BASE_URL')
    return options.baseUrl
  }

  return {
    clock,
    timeoutMs: options.timeoutMs,
    signals: options.signals,
    excerpt: (text) => excerpt(text, secrets),
    get conditionalWrites() {
      return conditionalWrites
    },
    async reserve(requests, signal) {
      const call = { method: 'reserve', url: requireBaseUrl(), target: 'project', idempotent: true, secrets } as const
      return runApi.reserve(requests, { ...call, signal })
    },
    async api(request, read) {
      const baseUrl = requireBaseUrl()
      const url = apiAddress(baseUrl, request.path, request.query)
      const { method, credential: target } = request
      const call: Run = { ...request, url, target, secrets: [...secrets, ...(request.secrets ?? [])] }
      const token = target === 'project' ? options.apiKey : options.personalToken
      if (token === undefined) throw errorOf(call, noToken(target), 0)
      const json = request.json === undefined ? undefined : JSON.stringify(request.json)
      const headers: Record<string, string> = {
        accept: 'application/json',
        [target === 'project' ? options.tokenHeader : 'authorization']: token,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      }
      return runApi.run(call, async (signal) => {
        const upload = await request.upload?.()
        const body = upload?.stream ?? json
        try {
          const sent = { ...headers, ...upload?.headers }
          const answer = await exchangeApi({ method, url, headers: sent, body, signal, maxBytes })
          const value = read(answer)
          request.onHeaders?.(answer.header)
          return value
        } finally {
          upload?.stream.destroy()
        }
      })
    },
    file({ url, target, headers = {}, statuses = [], onHeaders, ...callOptions }, read) {
      const call: Run = { ...callOptions, method: 'GET', url, target, idempotent: true, secrets }
      return runFile.run(call, async (signal) => {
        const answer = await follow({ method: 'GET', url, headers, signal, maxBytes }, statuses)
        if (answer.status < 300 && looksLikeHtml(answer)) throw unexpected('an HTML page instead of a file', answer)
        const value = read(answer)
        onHeaders?.(answer.header)
        return value
      })
    },
  }
}

function redirectFailure({ status }: Exchange, message: string): AttemptFailure {
  return new AttemptFailure(`${status}, ${message}`, { code: 'API_REDIRECT', failure: { kind: 'final' }, status })
}

function noToken(target: 'project' | 'personal'): AttemptFailure {
  const what = target === 'project' ? 'project API key' : 'personal token'
  return new AttemptFailure(`no ${what} is set`, { code: 'API_AUTHENTICATION', failure: { kind: 'final' } })
}

export function missingOption(option: string, variable: string): LocalizationError {
  return new LocalizationError(`\`${option}\` is not set`, {
    code: 'CONFIG_INVALID',
    hint: `Set it, or the environment variable ${variable}.`,
  })
}
