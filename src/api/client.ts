/** The client: connects the transport and the resources. */
import { setMaxListeners } from 'node:events'
import { Caller } from './call.ts'
import { type ClientOptions, checkClient, checkNumber } from './client-options.ts'
import { createEnvironments, type EnvironmentsApi } from './environments.ts'
import { createExports, type ExportsApi } from './exports.ts'
import { createHosting, type HostingApi } from './hosting.ts'
import { createImports, type ImportsApi } from './imports.ts'
import { createJobs, type JobsApi } from './jobs.ts'
import type { Reservation } from './pace.ts'
import {
  type CredentialsApi,
  createCredentials,
  createProject,
  createProjects,
  type ProjectApi,
  type ProjectsApi,
} from './projects.ts'
import { createKeys, createTranslations, type KeysApi, type TranslationsApi } from './translations.ts'

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
  const closing = new AbortController()
  // Every running call listens to this signal, so many listeners are not a leak.
  setMaxListeners(0, closing.signal)
  const checked = checkClient(options, closing.signal)
  const { transport, cdnUrl } = checked
  const caller = new Caller(checked)
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
