/** The options of the client, and their checks. */
import type { RequestDispatcher } from '../config/dispatcher.ts'
import { headerSecrets } from '../config/headers.ts'
import { LocalizationError } from '../errors.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { problemOfNames, type ServiceNames } from '../shared/service-names.ts'
import { checkCredential, checkHeaderName, parseBaseAddress } from './address.ts'
import { DEFAULT_POLICY, type RetryPolicy } from './pace.ts'
import { checkProxy, type ProxySettings, proxyFromEnvironment, proxySecrets } from './proxy.ts'
import { Transport } from './transport.ts'

export interface ClientOptions {
  /** The service's URL. Required except for hosting and downloads. Tokens are sent only to its origin. */
  readonly baseUrl?: string | undefined
  /** The URL of the published files. Required for hosting. */
  readonly cdnUrl?: string | undefined
  /** The project API key. */
  readonly apiKey?: string | undefined
  /** The personal token, for `projects` and `credentials`. */
  readonly personalToken?: string | undefined
  /** The header that contains the API key. Default `X-Service-Token`. */
  readonly tokenHeader?: string | undefined
  /**
   * The service's names for the providers and for provider B's fields, in requests and responses about jobs: `{
   * PROVIDER_B: 'ITS_NAME', providerBApiKey: 'itsNameApiKey' }`. Your code always uses the contract's names. Default:
   * the contract's names.
   */
  readonly names?: ServiceNames | undefined
  /**
   * Headers that a gateway in front of the service needs. They are sent with every request to the origin of `baseUrl`,
   * or of `cdnUrl` if there is no `baseUrl`. Values that look like credentials never appear in errors.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * The time limit for a call including retries, in milliseconds. Time spent waiting because of the client's own rate
   * limits does not count. Default 60,000.
   */
  readonly timeoutMs?: number | undefined
  /** The maximum number of retries after a failure. Default 3; 0 for none. */
  readonly retries?: number | undefined
  /** The maximum number of requests in any 60 seconds. Default: unlimited. */
  readonly requestsPerMinute?: number | undefined
  /** The maximum number of concurrent calls. Default 8. */
  readonly concurrency?: number | undefined
  /** The maximum size of a response or file after decoding, in bytes. Default 256 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * The longest `Retry-After` that the client waits for, in milliseconds. If the service asks for more, the call fails
   * immediately. Default 60,000.
   */
  readonly maxRetryAfterMs?: number | undefined
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal | undefined
  /**
   * The proxies; `false` for none. Default: taken from the usual environment variables when the client is created.
   * Loopback addresses never use a proxy.
   */
  readonly proxy?: ProxySettings | false | undefined
  /**
   * An undici 7 `Dispatcher` that sends every request, such as `new Agent({ connect: { cert, key } })` for a client
   * certificate. It replaces `proxy`. `close()` does not close it.
   */
  readonly dispatcher?: RequestDispatcher | undefined
  /** The clock. For tests. */
  readonly clock?: Clock | undefined
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). For tests. */
  readonly random?: (() => number) | undefined
}

/** The options with their defaults. `closing` aborts every call. Throws CONFIG_INVALID. */
export function checkClient(options: ClientOptions, closing: AbortSignal) {
  const baseUrl = options.baseUrl ? parseBaseAddress(options.baseUrl, 'service.baseUrl') : undefined
  const cdnUrl = options.cdnUrl ? parseBaseAddress(options.cdnUrl, 'service.cdnUrl') : undefined
  const apiKey = checkCredential(options.apiKey, 'service.apiKey')
  const personalToken = checkCredential(options.personalToken, 'service.personalToken')
  const headers = checkHeaders(options.headers ?? {})
  // A proxy from the environment is checked only when a request needs it.
  const proxy = options.proxy === undefined ? proxyFromEnvironment(process.env) : checkProxy(options.proxy || undefined)
  const policy: RetryPolicy = {
    ...DEFAULT_POLICY,
    retries: checkNumber(options.retries, DEFAULT_POLICY.retries, 0, 'service.retries'),
    retryAfterCapMs: checkNumber(options.maxRetryAfterMs, DEFAULT_POLICY.retryAfterCapMs, 0, 'maxRetryAfterMs'),
  }
  return {
    transport: new Transport(proxy, options.dispatcher),
    baseUrl,
    cdnUrl,
    apiKey,
    personalToken,
    tokenHeader: checkHeaderName(options.tokenHeader ?? 'X-Service-Token', 'service.tokenHeader'),
    names: checkNames(options.names ?? {}),
    timeoutMs: checkNumber(options.timeoutMs, 60_000, 1, 'service.timeoutMs'),
    policy,
    requestsPerMinute: Math.floor(
      checkNumber(options.requestsPerMinute, Number.POSITIVE_INFINITY, 1, 'service.requestsPerMinute'),
    ),
    concurrency: Math.floor(checkNumber(options.concurrency, 8, 1, 'service.concurrency')),
    maxBytes: checkNumber(options.maxBytes, 256 * 1024 * 1024, 1, 'maxBytes'),
    /** The headers of every request to `headersOrigin`, by lowercase name. A call's own headers override them. */
    headers,
    headersOrigin: (baseUrl ?? cdnUrl)?.origin,
    /** Strings that must not appear in errors. */
    secrets: [apiKey, personalToken, ...headerSecrets(headers), ...proxySecrets(proxy)].filter(
      (secret) => secret !== undefined,
    ),
    /** Any of these signals aborts every call. */
    signals: [closing, options.signal],
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

/** The checked options of a client, from which a `Caller` is made. */
export type CheckedClient = ReturnType<typeof checkClient>

function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const option = 'service.headers'
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      checkHeaderName(name, option),
      checkCredential(value, `${option}["${name}"]`) ?? '',
    ]),
  )
}

function checkNames(names: ServiceNames): ServiceNames {
  const problem = problemOfNames(names)
  if (problem === undefined) return names
  throw new LocalizationError(`\`service.names\` ${problem}`, { code: 'CONFIG_INVALID' })
}

export function checkNumber(value: number | undefined, fallback: number, least: number, option: string): number {
  if (value === undefined) return fallback
  if (Number.isNaN(value) || value < least) {
    throw new LocalizationError(`\`${option}\` must be a number of at least ${least}`, { code: 'CONFIG_INVALID' })
  }
  return value
}
