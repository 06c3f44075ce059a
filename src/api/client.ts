/** Puts the transport and the resources together. */
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
  /** Address of the service. Needed for everything but hosting and downloads. The only origin that receives a token. */
  readonly baseUrl?: string | undefined
  /** Address of the published files. Needed for hosting. */
  readonly cdnUrl?: string | undefined
  /** Project API key. */
  readonly apiKey?: string | undefined
  /** Personal token, for `projects`. */
  readonly personalToken?: string | undefined
  /** Header that carries the API key. Default `X-Service-Token`. */
  readonly tokenHeader?: string | undefined
  /**
   * How the service spells the providers and the members of provider B in requests and answers about jobs:
   * `{ PROVIDER_B: 'ITS_NAME', providerBApiKey: 'itsNameApiKey' }`. Code uses the names of the contract. Default: those.
   */
  readonly names?: ServiceNames | undefined
  /**
   * Headers of every request to `baseUrl`'s origin (without `baseUrl`, `cdnUrl`'s), for a gateway in front of the
   * service. The values of those that look like credentials are shown in no error.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Milliseconds for a call with its retries, without waits for the client's own limits. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** How often a failed call is repeated. Default 3; 0: never. */
  readonly retries?: number | undefined
  /** Most requests in any sixty seconds. Default: no limit. */
  readonly requestsPerMinute?: number | undefined
  /** Most calls at once. Default 8. */
  readonly concurrency?: number | undefined
  /** Most bytes of one answer or file, decoded. Default 256 MiB. */
  readonly maxBytes?: number | undefined
  /** Longest `Retry-After` that is waited for, in milliseconds. Above it the call fails at once. Default 60,000. */
  readonly maxRetryAfterMs?: number | undefined
  /** Ends every call of this client. */
  readonly signal?: AbortSignal | undefined
  /** Proxies; `false`: none. Default: the usual environment variables, read now. Loopback never uses a proxy. */
  readonly proxy?: ProxySettings | false | undefined
  /**
   * An undici `Dispatcher` (7) that carries every request, such as `new Agent({ connect: { cert, key } })` for a client
   * certificate. It replaces the proxy. `close()` leaves it open.
   */
  readonly dispatcher?: RequestDispatcher | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
  /** For tests: a number from 0 up to, not including, 1. */
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
   * Whether the service announced conditional writes with its last API answer, errors included; false before the first
   * one. Where it is false, `expected` of `translations.set` and `imports.upload` protects nothing: the service writes
   * whatever it has. Extension, not in the contract.
   */
  readonly conditionalWrites: boolean
  /**
   * Waits until so many API requests may start at once under `requestsPerMinute` and until the service no longer has
   * the client wait after a 429, and books them: for a writer that must not wait between its reading and its writing.
   * Nothing is sent. `reservation.size` is at most `requestsPerMinute`. A request that no call takes
   * counts for a minute, or until `reservation.release()`. Contract: Errors (the rate limiter).
   *
   * ```ts
   * const reservation = await client.reserve(2)
   * const { translations } = await client.translations.query({ key: 'title', language: 'en' }, { reservation })
   * if (translations[0]?.text === 'Hello') {
   *   await client.translations.set({ key: 'title', language: 'en', text: 'Welcome' }, { reservation })
   * }
   * reservation.release()
   * ```
   * @throws ApiError `API_ABORTED` when `signal` or the client ends the wait; LocalizationError `CONFIG_INVALID` for
   * less than 1.
   */
  reserve(requests: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<Reservation>
  /** Ends running calls with `API_ABORTED` and closes the connections. */
  close(): Promise<void>
}

/**
 * A client for every endpoint of the service. Each method takes `{ signal?, timeoutMs? }` last and rejects with an
 * `ApiError`.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://localization.example', apiKey: process.env.LOCALIZATION_API_KEY })
 * await client.translations.set({ key: 'title', language: 'en', text: 'Hello' })
 * for await (const { key, text } of client.translations.queryAll({ language: 'en' })) save(key, text)
 * await client.close()
 * ```
 * @throws LocalizationError `CONFIG_INVALID` naming the option that cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = options.baseUrl ? parseBaseAddress(options.baseUrl, 'service.baseUrl') : undefined
  const cdnUrl = options.cdnUrl ? parseBaseAddress(options.cdnUrl, 'service.cdnUrl') : undefined
  const apiKey = checkCredential(options.apiKey, 'service.apiKey')
  const personalToken = checkCredential(options.personalToken, 'service.personalToken')
  const headers = checkHeaders(options.headers ?? {})
  // A proxy of the environment is checked when it is needed.
  const proxy = options.proxy === undefined ? proxyFromEnvironment(process.env) : checkProxy(options.proxy || undefined)
  const policy: RetryPolicy = {
    ...DEFAULT_POLICY,
    retries: checkNumber(options.retries, DEFAULT_POLICY.retries, 0, 'service.retries'),
    retryAfterCapMs: checkNumber(options.maxRetryAfterMs, DEFAULT_POLICY.retryAfterCapMs, 0, 'maxRetryAfterMs'),
  }
  const transport = new Transport({ proxy, dispatcher: options.dispatcher })
  const closing = new AbortController()
  // Every running call listens to it: that is no leak.
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
    throw new LocalizationError(`\`${option}\` must be a number from ${least} up`, { code: 'CONFIG_INVALID' })
  }
  return value
}
