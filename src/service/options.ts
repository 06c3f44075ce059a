/** The options of `createLocalService`, their defaults, and what they declare for all projects. */

import { LocalizationError, messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { ServiceNames } from '../shared/service-names.ts'
import type { FaultRule } from './faults.ts'
import { checkLanguage } from './import-file.ts'
import type { AnswerInfo } from './metrics.ts'
import type { ProviderOptions } from './providers.ts'
import type { RateLimitOptions } from './rate-limit.ts'
import type { DriverName } from './store/driver.ts'
import { LATEST, PRODUCTION } from './store/projects.ts'
import type { ServiceStore, Store } from './store/store.ts'

/** A language of every project. Default name: the language's English name. */
export interface LanguageDeclaration {
  readonly key: string
  readonly name?: string | undefined
}

export interface CustomerDeclaration {
  readonly key: string
  readonly description?: string | undefined
}

/** Features outside the contract (`service-facts.md`). Switch them off to test a client without them. */
export interface ServiceFeatures {
  /** `GET /api/v4/export`. */
  readonly exportV4: boolean
  /** `PATCH /api/v2/translations/bulk` and `POST /api/v1/translation-keys/bulk`. */
  readonly bulk: boolean
  /** `GET /api/v2/project`. */
  readonly projectInfo: boolean
  /** `GET /api/v1/translation-keys`: reads a key's description, tags and limit. The contract can only write them. */
  readonly keyInfo: boolean
  /** `pageDetails` in query responses. */
  readonly pageDetails: boolean
  /**
   * `If-Match` and `If-None-Match` for the v2 PATCH and for imports, announced by the response header
   * `Conditional-Writes`. If switched off, these headers are ignored. No other service is known to support them.
   */
  readonly conditionalWrites: boolean
  /**
   * The `Published-Digest` header in the response for an environment's status. It changes only when the published
   * content changes. No other service is known to support it.
   */
  readonly publishedDigest: boolean
}

/** A request as it arrived. */
export interface RequestInfo {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
}

export interface LocalServiceOptions {
  /**
   * The folder for the data file. If neither this nor `databaseUrl` is set, the data is in memory, and `close()`
   * deletes it.
   */
  readonly dataDir?: string | undefined
  /**
   * Stores the data in PostgreSQL instead of a data folder: `postgres://user:password@host:5432/database`. Requires the
   * `pg` package. Any number of processes can run the service on one database, or on one schema
   * (`?options=-c%20search_path%3Dschema`). All of them need the same options.
   */
  readonly databaseUrl?: string | undefined
  /** The port to listen on. 0 means any free port. Default 0. */
  readonly port?: number | undefined
  /** The address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined
  /**
   * The port of a second listener, which serves exported files from another origin than the API, as the real service
   * does. 0 means any free port. By default, there is no second listener, and files are served at `{baseUrl}/files/`.
   */
  readonly filesPort?: number | undefined
  /**
   * The service's URL for clients behind a proxy, such as `https://localization.example.com`. Used in the URLs of
   * exported files. Default: the listener's URL.
   */
  readonly publicUrl?: string | undefined
  /** The language that a new project is created with. Default `en`. */
  readonly defaultLanguage?: string | undefined
  /** Languages of every project, new or existing. The contract has no endpoint to create languages. */
  readonly languages?: readonly (string | LanguageDeclaration)[] | undefined
  /** Customers of every project, new or existing. The contract has no endpoint to create customers. */
  readonly customers?: readonly (string | CustomerDeclaration)[] | undefined
  /**
   * Custom environments in publishing order, between `_latest` and `_production`. To set the complete order, include
   * those two. `_latest` always comes first. Each custom environment is published from the one before it.
   */
  readonly environments?: readonly string[] | undefined
  /** Features outside the contract. Default: all are on. */
  readonly features?: Partial<ServiceFeatures> | undefined
  /**
   * The maximum number of requests per minute from each project, or from each client address if there is no API key.
   * Default: no limit.
   */
  readonly rateLimit?: number | RateLimitOptions | undefined
  /** Faults to inject, for testing clients. */
  readonly faults?: readonly FaultRule[] | undefined
  /**
   * Machine translation providers. A provider that is not configured is replaced by a pseudo-localizer, which says so
   * in the job's summary.
   */
  readonly providers?: ProviderOptions | undefined
  /** The maximum size of an import file, in bytes. Default 256 MB. */
  readonly maxUploadBytes?: number | undefined
  /** The maximum size of a JSON body, in bytes. Default 16 MB. */
  readonly maxBodyBytes?: number | undefined
  /** The time for which an exported file can be downloaded, in milliseconds. Default 10 minutes. */
  readonly fileLifetimeMs?: number | undefined
  /** Called before a publish finishes. The publish waits for the returned promise. For testing concurrent requests. */
  readonly duringPublish?: (() => Promise<unknown>) | undefined
  /**
   * A fixed personal token, for example the one from the last run. Default: a new token at each start. If a PostgreSQL
   * database already has personal tokens, only this process accepts the new token.
   */
  readonly personalToken?: string | undefined
  /** Revokes unnamed personal tokens from earlier starts. Default: true if there is no `databaseUrl`. */
  readonly revokeTokens?: boolean | undefined
  /** The header for the project API key. Default `X-Service-Token`. */
  readonly tokenHeader?: string | undefined
  /**
   * The names used for providers and for provider B's fields in requests and responses about jobs. Like `service.names`
   * in the configuration. Default: the contract's names.
   */
  readonly names?: ServiceNames | undefined
  /** The SQLite build to use. Default: `node:sqlite` if the runtime has it, otherwise WebAssembly. */
  readonly driver?: DriverName | undefined
  /** Called with each request before it is handled. */
  readonly onRequest?: ((request: RequestInfo) => void) | undefined
  /** Called after each response. The argument contains no secrets. */
  readonly onAnswer?: ((answer: AnswerInfo) => void) | undefined
  /**
   * Serves metrics at `/metrics` in Prometheus's text format. Access requires the personal token, or `token`, which
   * gives access to nothing else. Default false.
   */
  readonly metrics?: boolean | { readonly token: string } | undefined
  /**
   * The time for which the service still accepts requests after `close()` is called, in milliseconds. `/ready` returns
   * 503 during this time. Default 0.
   */
  readonly drainMs?: number | undefined
  /** The time that running requests have to finish when the service closes, in milliseconds. Default 5 seconds. */
  readonly finishMs?: number | undefined
  /** Default: nothing is logged. */
  readonly logger?: Logger | undefined
  /** Returns the time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

export interface Declarations {
  readonly defaultLanguage: string
  readonly languages: readonly LanguageDeclaration[]
  readonly customers: readonly CustomerDeclaration[]
  readonly environments: readonly string[]
}

/** @throws LocalizationError `SERVICE_START` if a name is invalid. */
export function parseDeclarations(options: LocalServiceOptions): Declarations {
  const { defaultLanguage = 'en' } = options
  const languages = (options.languages ?? []).map((item) => (typeof item === 'string' ? { key: item } : item))
  const customers = (options.customers ?? []).map((item) => (typeof item === 'string' ? { key: item } : item))
  const environments = (options.environments ?? []).filter((key) => key !== LATEST)
  try {
    for (const key of [defaultLanguage, ...languages.map(({ key }) => key)]) checkLanguage(key)
  } catch (error) {
    throw new LocalizationError(messageOf(error), { code: 'SERVICE_START' })
  }
  if (customers.some(({ key }) => key === '')) {
    throw new LocalizationError("a customer's key is empty", { code: 'SERVICE_START' })
  }
  const wrong = environments.find((key) => key !== PRODUCTION && !/^[A-Za-z0-9][\w.-]*$/.test(key))
  if (wrong !== undefined) {
    throw new LocalizationError(`an environment cannot be named ${JSON.stringify(wrong)}`, {
      code: 'SERVICE_START',
      hint: 'The name must start with a letter or digit, and contain only letters, digits, "_", "-" and ".".',
    })
  }
  const tail = environments.includes(PRODUCTION) ? [] : [PRODUCTION]
  return { defaultLanguage, languages, customers, environments: [LATEST, ...environments, ...tail] }
}

export async function declareForAll(store: ServiceStore, declarations: Declarations): Promise<void> {
  for (const { id } of await store.projects.all()) await store.transaction((tx) => declare(tx, id, declarations))
}

/**
 * Locks the project only if something is not stored yet, so that a start usually need not wait for writes by other
 * processes. Must be called in a transaction.
 */
export async function declare({ projects }: Store, projectId: number, declarations: Declarations): Promise<void> {
  await projects.addLanguages(projectId, declarations.languages)
  for (const customer of declarations.customers) await projects.addCustomer(projectId, customer)
  await projects.setEnvironments(projectId, declarations.environments)
}
