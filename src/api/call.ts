/**
 * Sends the API calls of all resources. Sends credentials only to the service's origin, and turns error statuses into
 * failures.
 */

import { Readable } from 'node:stream'
import type * as z from 'zod'
import { LocalizationError } from '../errors.ts'
import { apiAddress, parseFileAddress, type QueryValue } from './address.ts'
import { looksLikeHtml, parseAnything, parseEnvelope, statusFailure, unexpected } from './answer.ts'
import { parseRetryAfter, type Run, Runner } from './attempts.ts'
import type { CheckedClient } from './client-options.ts'
import type { ApiErrorCode } from './errors.ts'
import { AttemptFailure, errorOf, type FailureDetails } from './failure.ts'
import type { Reservation } from './pace.ts'
import { redactAddress } from './redact.ts'
import type { Exchange, ExchangeRequest } from './transport.ts'

/** The options that every method takes as its last parameter. */
export interface CallOptions {
  /** Aborts the call with `API_ABORTED`. */
  readonly signal?: AbortSignal | undefined
  /** The time limit for this call including retries, in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
  /** The maximum number of retries after a failure. Default: the client's `retries`. */
  readonly retries?: number | undefined
  /** Called with each accepted response. `header` returns a header by its lowercase name. */
  readonly onHeaders?: ((header: (name: string) => string | undefined) => void) | undefined
  /**
   * From `Client.reserve()`: this call uses one of the reserved requests and starts immediately, without waiting for
   * `requestsPerMinute` or `concurrency`. A method that sends several requests uses one for each; retries use none. If
   * none is left, or if the reservation is older than a minute, the call waits as usual. Downloads and hosting need no
   * reservation. During the pause after a 429, the call fails with `API_RATE_LIMIT` and `retryAfterMs`, and sends
   * nothing.
   */
  readonly reservation?: Reservation | undefined
}

export interface ApiRequest extends CallOptions {
  readonly method: ExchangeRequest['method']
  /** The path relative to `baseUrl`. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>>
  /** Default `project`. */
  readonly credential?: 'project' | 'personal'
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Opens the body. Called again for each attempt. */
  readonly upload?: () => Promise<{ readonly body: Readable | Buffer; readonly headers: Record<string, string> }>
  /**
   * True if sending the request twice has the same effect as sending it once. Default: true for every method except
   * POST.
   */
  readonly idempotent?: boolean
  readonly lookAt?: string
  /** Secrets that only this request contains. */
  readonly secrets?: readonly string[]
  readonly codeOf?: (failure: FailureDetails) => ApiErrorCode
}

/** The `ETag` and `Last-Modified` headers from the server. */
export interface FileValidators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

export interface FileRequest extends CallOptions {
  /** Default `GET`. */
  readonly method?: 'HEAD'
  readonly url: URL
  readonly target: 'file' | 'hosting'
  readonly headers?: Readonly<Record<string, string>>
  /** Those of an earlier response. If nothing has changed since then, the status is 304. */
  readonly validators?: FileValidators
  /** The statuses that are accepted in addition to success statuses. */
  readonly statuses?: readonly number[]
}

/** Turns a response into a value, or throws the attempt's failure. */
type Read<T> = (exchange: Exchange) => T

const MAX_REDIRECTS = 3
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

export class Caller {
  /** True if the latest API response announced conditional writes. */
  conditionalWrites = false
  private readonly apiRunner: Runner
  private readonly fileRunner: Runner

  constructor(readonly options: CheckedClient) {
    this.apiRunner = new Runner(options)
    // `requestsPerMinute` applies to the service, not to files on other hosts.
    this.fileRunner = new Runner({ ...options, requestsPerMinute: Number.POSITIVE_INFINITY })
  }

  /** Calls the service and validates the `data` in the response's envelope. */
  data<T extends z.ZodType>(request: ApiRequest, schema: T): Promise<z.output<T>> {
    return this.api(request, (answer) => parseEnvelope(answer, schema))
  }

  /** Calls an endpoint whose response is not documented. Returns the response if it is JSON. */
  send(request: ApiRequest): Promise<unknown> {
    return this.api(request, parseAnything)
  }

  async api<T>(request: ApiRequest, read: Read<T>): Promise<T> {
    const { apiKey, personalToken, tokenHeader, secrets, maxBytes } = this.options
    const { method, credential: target = 'project', idempotent = method !== 'POST' } = request
    const url = apiAddress(this.requireBaseUrl(), request.path, request.query)
    const call: Run = { ...request, url, target, idempotent, secrets: [...secrets, ...(request.secrets ?? [])] }
    const token = target === 'project' ? apiKey : personalToken
    if (token === undefined) throw errorOf(call, noToken(target), 0)
    const json = request.json === undefined ? undefined : JSON.stringify(request.json)
    const headers: Record<string, string> = {
      accept: 'application/json',
      [target === 'project' ? tokenHeader : 'authorization']: token,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    }
    return this.apiRunner.run(call, async (signal) => {
      const upload = await request.upload?.()
      const body = upload?.body ?? json
      try {
        const sent = { ...headers, ...upload?.headers }
        const answer = await this.exchangeApi({ method, url, headers: sent, body, signal, maxBytes })
        const value = read(answer)
        request.onHeaders?.(answer.header)
        return value
      } finally {
        if (upload?.body instanceof Readable) upload.body.destroy()
      }
    })
  }

  /** Fetches a file without credentials. Follows up to three redirects. */
  file<T>(
    { method: asked, statuses = [], headers = {}, validators = {}, onHeaders, ...request }: FileRequest,
    read: Read<T>,
  ): Promise<T> {
    const { secrets, maxBytes } = this.options
    const method = asked ?? 'GET'
    const condition = conditionOf(validators)
    const sent = { ...headers, ...condition.headers }
    const call: Run = { ...request, method, idempotent: true, secrets }
    return this.fileRunner.run(call, async (signal) => {
      const answer = await this.follow({ method, url: request.url, headers: sent, signal, maxBytes }, [
        ...condition.statuses,
        ...statuses,
      ])
      if (answer.status < 300 && looksLikeHtml(answer)) throw unexpected('an HTML page instead of a file', answer)
      const value = read(answer)
      onHeaders?.(answer.header)
      return value
    })
  }

  /** Waits until this many API requests may start. */
  async reserve(requests: number, signal: AbortSignal | undefined): Promise<Reservation> {
    const { secrets } = this.options
    const url = this.requireBaseUrl()
    return this.apiRunner.reserve(requests, {
      method: 'reserve',
      url,
      target: 'project',
      idempotent: true,
      secrets,
      signal,
    })
  }

  private requireBaseUrl(): URL {
    if (!this.options.baseUrl) throw missingOption('service.baseUrl', 'LOCALIZATION_BASE_URL')
    return this.options.baseUrl
  }

  /**
   * Sends a request. A gateway's credentials are sent only to its own origin, not to redirect targets or files on other
   * hosts.
   */
  private exchange(request: ExchangeRequest): Promise<Exchange> {
    const { transport, headers, headersOrigin } = this.options
    const extra = request.url.origin === headersOrigin ? headers : {}
    return transport.exchange({ ...request, headers: { ...extra, ...request.headers } })
  }

  /** Sends an API request. Does not follow redirects: HTTP libraries would forward `X-Service-Token` to any origin. */
  private async exchangeApi(request: ExchangeRequest): Promise<Exchange> {
    const answer = await this.exchange(request)
    this.conditionalWrites = announcesConditionalWrites(answer.header)
    this.checkStatus(answer, REDIRECTS)
    if (!REDIRECTS.includes(answer.status)) return answer
    const location = answer.header('location') ?? ''
    const to = URL.canParse(location, request.url.href) ? redactAddress(new URL(location, request.url)) : 'nowhere'
    throw redirectFailure(answer, `a redirect to ${to}, which the client does not follow`)
  }

  private async follow(request: ExchangeRequest, statuses: readonly number[]): Promise<Exchange> {
    let { url } = request
    for (let hop = 0; ; hop++) {
      const answer = await this.exchange({ ...request, url })
      this.checkStatus(answer, [...REDIRECTS, ...statuses])
      if (!REDIRECTS.includes(answer.status)) return answer
      const location = answer.header('location')
      if (location === undefined) throw redirectFailure(answer, 'a redirect without a Location header')
      if (hop === MAX_REDIRECTS) throw redirectFailure(answer, `more than ${MAX_REDIRECTS} redirects`)
      url = parseFileAddress(location, url, url)
    }
  }

  /** Throws unless the status is a success or in `statuses`. */
  private checkStatus(answer: Exchange, statuses: readonly number[]): void {
    if ((answer.status >= 200 && answer.status < 300) || statuses.includes(answer.status)) return
    const now = this.options.clock.wallNow()
    throw statusFailure(answer, parseRetryAfter(answer.header('retry-after'), answer.header('date'), now))
  }
}

function redirectFailure({ status }: Exchange, message: string): AttemptFailure {
  return new AttemptFailure(`${status}, ${message}`, { code: 'API_REDIRECT', failure: { kind: 'final' }, status })
}

function noToken(target: 'project' | 'personal'): AttemptFailure {
  const [what, hint] =
    target === 'project'
      ? ['project API key', 'Set LOCALIZATION_API_KEY in the environment or in .env.local.']
      : ['personal token', 'Set LOCALIZATION_PERSONAL_TOKEN, or `service.personalToken`.']
  return new AttemptFailure(`no ${what} set`, { code: 'API_AUTHENTICATION', failure: { kind: 'final' }, hint })
}

export function missingOption(option: string, variable: string): LocalizationError {
  return new LocalizationError(`\`${option}\` is not set`, {
    code: 'CONFIG_INVALID',
    hint: `Set it, or the environment variable ${variable}.`,
  })
}

/** The headers of a conditional request, and the status that its response may have in addition to success. */
function conditionOf({ etag, lastModified }: FileValidators) {
  const headers: Record<string, string> = {
    ...(etag !== undefined && { 'if-none-match': checkedEtag(etag) }),
    ...(lastModified !== undefined && { 'if-modified-since': new Date(lastModified).toUTCString() }),
  }
  return { headers, statuses: Object.keys(headers).length === 0 ? [] : [304] }
}

/** An entity tag from a response or a file on disk. `""` replaces a tag that is not valid in a header. */
function checkedEtag(etag: string): string {
  return /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag) ? etag : '""'
}

function announcesConditionalWrites(header: Exchange['header']): boolean {
  const items = (header('conditional-writes') ?? '').split(',')
  return items.some((item) => item.trim() === 'text-digest=sha-256')
}
