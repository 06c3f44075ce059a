/** Connects the transport and the resources. */
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
  /** The address of the service. Required except for hosting and downloads. The only origin that receives a token. */
  readonly baseUrl?: string | undefined
  /** The address of the published files. Required for hosting. */
  readonly cdnUrl?: string | undefined
  /** The project API key. */
  readonly apiKey?: string | undefined
  /** The personal token, for `projects`. */
  readonly personalToken?: string | undefined
  /** The header that contains the API key. Default `X-Service-Token`. */
  readonly tokenHeader?: string | undefined
  /**
   * The service's names for the providers and for the fields of provider B, in requests and responses about jobs: `{
   * PROVIDER_B: 'ITS_NAME', providerBApiKey: 'itsNameApiKey' }`. Code uses the contract's names, which are also the
   * default.
   */
  readonly names?: ServiceNames | undefined
  /**
   * Headers of every request to the origin of `baseUrl` (or of `cdnUrl`, if there is no `baseUrl`), for a gateway in
   * front of the service. Values that look like credentials never appear in errors.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * The time for a call with its retries, in milliseconds. Waits for the client's own limits do not count. Default
   * 60,000.
   */
  readonly timeoutMs?: number | undefined
  /** The number of retries of a failed call. Default 3; 0 for none. */
  readonly retries?: number | undefined
  /** The maximum number of requests in any 60 seconds. Default: no limit. */
  readonly requestsPerMinute?: number | undefined
  /** The maximum number of concurrent calls. Default 8. */
  readonly concurrency?: number | undefined
  /** The maximum size of a decoded response or file, in bytes. Default 256 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * The longest `Retry-After` to wait for, in milliseconds. If it is longer, the call fails immediately. Default
   * 60,000.
   */
  readonly maxRetryAfterMs?: number | undefined
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal | undefined
  /**
   * Proxies; `false` for none. Default: the usual environment variables, read now. Loopback addresses never use a
   * proxy.
   */
  readonly proxy?: ProxySettings | false | undefined
  /**
   * An undici `Dispatcher` (7) that sends every request, such as `new Agent({ connect: { cert, key } })` for a client
   * certificate. Replaces the proxy. `close()` does not close it.
   */
  readonly dispatcher?: RequestDispatcher | undefined
  /** The clock, which tests replace. */
  readonly clock?: Clock | undefined
  /** Returns a number from 0 (inclusive) to 1 (exclusive). Tests replace it. */
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
   * True if the last API response, including errors, announced conditional writes; false before the first response. If
   * false, `expected` of `translations.set` and `imports.upload` has no effect: the service always writes. An
   * extension, which the contract does not have.
   */
  readonly conditionalWrites: boolean
  /**
   * Waits until this number of API requests may start, under `requestsPerMinute` and after the pause of a 429, and
   * reserves them for a writer that must not wait between reading and writing. Sends nothing. `reservation.size` is at
   * most `requestsPerMinute`. An unused request remains reserved for a minute, or until `reservation.release()`.
   * Contract: Errors (the rate limiter).
   *
   * ```ts
   * const reservation = await client.reserve(2)
   * const { translations } = await client.translations.query({ key: 'title', language: 'en' }, { reservation })
   * if (translations[0]?.text === 'Hello') {
   *   await client.translations.set({ key: 'title', language: 'en', text: 'Welcome' }, { reservation })
   * }
   * reservation.release()
   * ```
   * @throws ApiError `API_ABORTED` if `signal` or the client ends the wait; LocalizationError `CONFIG_INVALID` if
   * `requests` is less than 1.
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
  // A proxy from the environment is checked when it is needed.
  const proxy = options.proxy === undefined ? proxyFromEnvironment(process.env) : checkProxy(options.proxy || undefined)
  const policy: RetryPolicy = {
    ...DEFAULT_POLICY,
    retries: checkNumber(options.retries, DEFAULT_POLICY.retries, 0, 'service.retries'),
    retryAfterCapMs: checkNumber(options.maxRetryAfterMs, DEFAULT_POLICY.retryAfterCapMs, 0, 'maxRetryAfterMs'),
  }
  const transport = new Transport({ proxy, dispatcher: options.dispatcher })
  const closing = new AbortController()
  // Every running call listens to this signal. The number of listeners is not a leak.
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
