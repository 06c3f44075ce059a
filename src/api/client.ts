/** The client: connects the transport and the resources. */
import { setMaxListeners } from 'node:events'
import type { RequestDispatcher } from '../config/dispatcher.ts'
import { headerSecrets } from '../config/headers.ts'
import { LocalizationError } from '../errors.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { problemOfNames, type ServiceNames } from '../shared/service-names.ts'
import { checkCredential, checkHeaderName, parseBaseAddress } from './address.ts'
import { Caller } from './call.ts'
import { type CredentialsApi, createCredentials } from './credentials.ts'
import { createEnvironments, type EnvironmentsApi } from './environments.ts'
import { createExports, type ExportsApi } from './exports.ts'
import { createHosting, type HostingApi } from './hosting.ts'
import { createImports, type ImportsApi } from './imports.ts'
import { createJobs, type JobsApi } from './jobs.ts'
import { createKeys, type KeysApi } from './keys.ts'
import type { Reservation } from './pace.ts'
import { createProject, createProjects, type ProjectApi, type ProjectsApi } from './projects.ts'
import { checkProxy, type ProxySettings, proxyFromEnvironment, proxySecrets } from './proxy.ts'
import { DEFAULT_POLICY, type RetryPolicy } from './retry.ts'
import { createTranslations, type TranslationsApi } from './translations.ts'
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

export interface Client {
  readonly projects: ProjectsApi
  readonly credentials: CredentialsApi
  readonly project: ProjectApi
  readonly jobs: JobsApi
  readonly environments: EnvironmentsApi
  readonly keys: KeysApi
  readonly translations: TranslationsApi
  readonly exports: ExportsApi
  readonly imports: ImportsApi
  readonly hosting: HostingApi
  /**
   * True if the latest API response, even an error, announced conditional writes; false before the first response.
   * While it is false, `expected` has no effect in `translations.set` and `imports.upload`: the service always writes.
   * Conditional writes are an extension that is not in the contract.
   */
  readonly conditionalWrites: boolean
  /**
   * Reserves requests for a writer that must not wait between reading and writing. Waits until the requests may
   * start under `requestsPerMinute`, and until any pause after a 429 is over. Sends nothing. `reservation.size` is at
   * most `requestsPerMinute`. Unused requests stay reserved for a minute, or until `reservation.release()`. Contract:
   * Errors (the rate limiter).
   *
   * ```ts
   * const reservation = await client.reserve(2)
   * const { translations } = await client.translations.query({ key: 'title', language: 'en' }, { reservation })
   * if (translations[0]?.text === 'Hello') {
   *   await client.translations.set({ key: 'title', language: 'en', text: 'Welcome' }, { reservation })
   * }
   * reservation.release()
   * ```
   * @throws ApiError `API_ABORTED` if `signal` is aborted or the client is closed during the wait; LocalizationError
   * `CONFIG_INVALID` if `requests` is less than 1.
   */
  reserve(requests: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<Reservation>
  /** Aborts running calls with `API_ABORTED`, and closes the connections. */
  close(): Promise<void>
}

/**
 * A client for every endpoint of the service. The last parameter of each method is `{ signal?, timeoutMs? }`. Methods
 * reject with an `ApiError`.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://localization.example', apiKey: process.env.LOCALIZATION_API_KEY })
 * await client.translations.set({ key: 'title', language: 'en', text: 'Hello' })
 * for await (const { key, text } of client.translations.queryAll({ language: 'en' })) save(key, text)
 * await client.close()
 * ```
 * @throws LocalizationError `CONFIG_INVALID` with the name of the invalid option.
 */
export function createClient(options: ClientOptions): Client {
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
  const transport = new Transport({ proxy, dispatcher: options.dispatcher })
  const closing = new AbortController()
  // Every running call listens to this signal, so many listeners are not a leak.
  setMaxListeners(0, closing.signal)
  const caller = new Caller({
    transport,
    baseUrl,
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
    headers,
    headersOrigin: (baseUrl ?? cdnUrl)?.origin,
    secrets: [apiKey, personalToken, ...headerSecrets(headers), ...proxySecrets(proxy)].filter(
      (secret) => secret !== undefined,
    ),
    signals: [closing.signal, options.signal],
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  })
  return {
    projects: createProjects(caller),
    credentials: createCredentials(caller),
    project: createProject(caller),
    jobs: createJobs(caller),
    environments: createEnvironments(caller),
    keys: createKeys(caller),
    translations: createTranslations(caller),
    exports: createExports(caller),
    imports: createImports(caller),
    hosting: createHosting(caller, cdnUrl),
    get conditionalWrites() {
      return caller.conditionalWrites
    },
    async reserve(requests, { signal } = {}) {
      return caller.reserve(Math.floor(checkNumber(requests, 1, 1, 'requests')), signal)
    },
    async close() {
      closing.abort(new Error('the client is closed'))
      await transport.close()
    },
  }
}

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

function checkNumber(value: number | undefined, fallback: number, least: number, option: string): number {
  if (value === undefined) return fallback
  if (Number.isNaN(value) || value < least) {
    throw new LocalizationError(`\`${option}\` must be a number of at least ${least}`, { code: 'CONFIG_INVALID' })
  }
  return value
}
