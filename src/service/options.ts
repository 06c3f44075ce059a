/** The options of `createLocalService`, and their defaults. */
import type { Logger } from '../logger.ts'
import type { ServiceNames } from '../shared/service-names.ts'
import type { FaultRule } from './faults.ts'
import type { AnswerInfo } from './metrics.ts'
import type { ProviderOptions } from './providers.ts'
import type { RateLimitOptions } from './rate-limit.ts'
import type { DriverName } from './store/driver.ts'

/** A language of every project. By default, `name` is its English name. */
export interface LanguageDeclaration {
  readonly key: string
  readonly name?: string | undefined
}

export interface CustomerDeclaration {
  readonly key: string
  readonly description?: string | undefined
}

/** Parts that the contract does not have (`service-facts.md`). Switch them off to test a client without them. */
export interface ServiceFeatures {
  /** `GET /api/v4/export`. */
  readonly exportV4: boolean
  /** `PATCH /api/v2/translations/bulk` and `POST /api/v1/translation-keys/bulk`. */
  readonly bulk: boolean
  /** `GET /api/v2/project`. */
  readonly projectInfo: boolean
  /** `GET /api/v1/translation-keys`: the description, tags and limit of a key, which the contract can only write. */
  readonly keyInfo: boolean
  /** `pageDetails` in the response of the query. */
  readonly pageDetails: boolean
  /**
   * `If-Match` and `If-None-Match` of the v2 PATCH and of the import, announced by the header `Conditional-Writes`.
   * Switched off, these headers are ignored. No service of the contract is known to support it.
   */
  readonly conditionalWrites: boolean
  /**
   * The header `Published-Digest` of an environment's status, which changes only when the published content changes. No
   * service of the contract is known to support it.
   */
  readonly publishedDigest: boolean
}

/** One request as it arrived. */
export interface RequestInfo {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
}

export interface LocalServiceOptions {
  /** The folder of the data file. Without it and without `databaseUrl`, `close()` deletes all data. */
  readonly dataDir?: string | undefined
  /**
   * PostgreSQL instead of a data folder: `postgres://user:password@host:5432/database`. Needs the package `pg`. Any
   * number of processes can run the service on one database (or one schema: `?options=-c%20search_path%3Dschema`). All
   * of them need the same options.
   */
  readonly databaseUrl?: string | undefined
  /** The port to listen on. 0, the default, means any free port. */
  readonly port?: number | undefined
  /** The address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined
  /**
   * Port of a second listener for exported files, which gives them another origin than the API, as in the field. 0
   * takes a free one. Default: no second listener; the files are at `{baseUrl}/files/`.
   */
  readonly filesPort?: number | undefined
  /**
   * The address of the service for clients behind a proxy, such as `https://localization.example.com`. Used in the
   * addresses of exported files. Default: the address of the listener.
   */
  readonly publicUrl?: string | undefined
  /** The only language of a new project. Default `en`. */
  readonly defaultLanguage?: string | undefined
  /** Languages of every project, new or existing. The contract has no endpoint that creates languages. */
  readonly languages?: readonly (string | LanguageDeclaration)[] | undefined
  /** Customers of every project, new or existing. The contract has no endpoint that creates customers. */
  readonly customers?: readonly (string | CustomerDeclaration)[] | undefined
  /**
   * Custom environments in publishing order, between `_latest` and `_production`. Include those two to set the whole
   * order; `_latest` is always first. A custom environment is published from the one before it.
   */
  readonly environments?: readonly string[] | undefined
  /** Parts to switch off that the contract does not have. All are on by default. */
  readonly features?: Partial<ServiceFeatures> | undefined
  /** Requests per minute for each project, or for each address without an API key. Default: no limit. */
  readonly rateLimit?: number | RateLimitOptions | undefined
  /** Faults to inject, for tests of clients. */
  readonly faults?: readonly FaultRule[] | undefined
  /** Machine translation. The pseudo-localizer replaces providers that are not configured, and says so. */
  readonly providers?: ProviderOptions | undefined
  /** The maximum size of an import file in bytes. Default 256 MB. */
  readonly maxUploadBytes?: number | undefined
  /** The maximum size of a JSON body in bytes. Default 16 MB. */
  readonly maxBodyBytes?: number | undefined
  /** The time for which an exported file can be fetched. Default 10 minutes. */
  readonly fileLifetimeMs?: number | undefined
  /** Delays the end of a publish until the returned promise resolves, for tests of concurrent requests. */
  readonly duringPublish?: (() => Promise<unknown>) | undefined
  /**
   * A fixed personal token, such as the one of the last run. Default: a new one at each start. On a database that has
   * personal tokens, only this process accepts the new one.
   */
  readonly personalToken?: string | undefined
  /** Revokes the personal tokens of earlier starts, except those with a name. Default: true without `databaseUrl`. */
  readonly revokeTokens?: boolean | undefined
  /** The header for the project API key. Default `X-Service-Token`. */
  readonly tokenHeader?: string | undefined
  /**
   * The names of the providers and of provider B's members in requests and responses about jobs. Like `service.names`
   * of the configuration. Default: the names of the contract.
   */
  readonly names?: ServiceNames | undefined
  /** The SQLite build to use. Default: `node:sqlite` if the runtime has it. */
  readonly driver?: DriverName | undefined
  /** Called with every request before it is answered. */
  readonly onRequest?: ((request: RequestInfo) => void) | undefined
  /** Called after every response. The argument contains no secrets. */
  readonly onAnswer?: ((answer: AnswerInfo) => void) | undefined
  /**
   * Metrics at `/metrics`, in the text format of Prometheus. They need the personal token, or a token that gives access
   * only to them. Default false.
   */
  readonly metrics?: boolean | { readonly token: string } | undefined
  /**
   * The time for which `close()` still accepts requests after `/ready` has turned to 503, for load balancers. Default
   * 0.
   */
  readonly drainMs?: number | undefined
  /** The time that running requests have to finish when the service closes. Default 5 seconds. */
  readonly finishMs?: number | undefined
  /** The logger. By default, nothing is logged. */
  readonly logger?: Logger | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}
