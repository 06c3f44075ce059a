/** What `createLocalService` takes, and its defaults. */
import type { Logger } from '../logger.ts'
import type { ServiceNames } from '../shared/service-names.ts'
import type { FaultRule } from './faults.ts'
import type { AnswerInfo } from './observe.ts'
import type { ProviderOptions } from './providers/types.ts'
import type { RateLimitOptions } from './rate-limit.ts'
import type { DriverName } from './store/driver.ts'

/** A language every project has; `name` defaults to its English name. */
export interface LanguageDeclaration {
  readonly key: string
  readonly name?: string | undefined
}

export interface CustomerDeclaration {
  readonly key: string
  readonly description?: string | undefined
}

/** Parts outside the contract (`service-facts.md`), so that a client can be tested without them. */
export interface ServiceFeatures {
  /** `GET /api/v4/export`. */
  readonly exportV4: boolean
  /** `PATCH /api/v2/translations/bulk` and `POST /api/v1/translation-keys/bulk`. */
  readonly bulk: boolean
  /** `GET /api/v2/project`. */
  readonly projectInfo: boolean
  /** `GET /api/v1/translation-keys`: the description, tags and limit of a key, which the contract only writes. */
  readonly keyInfo: boolean
  /** `pageDetails` in the query's answer. */
  readonly pageDetails: boolean
  /**
   * `If-Match` and `If-None-Match` of the v2 PATCH and of the import, announced by the header `Conditional-Writes`.
   * Switched off, these headers are ignored. No service of the contract is known to have it.
   */
  readonly conditionalWrites: boolean
  /**
   * The header `Published-Digest` of an environment's status: the same as long as the published content is, also after
   * another publish. No service of the contract is known to have it.
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
   * PostgreSQL in place of a data folder: `postgres://user:password@host:5432/database`. Needs the package `pg`. Any
   * number of processes run the service on one database (or one schema of it: `?options=-c%20search_path%3Dschema`).
   * All need the same options.
   */
  readonly databaseUrl?: string | undefined
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined
  /** Address to listen on. Default `127.0.0.1`: this machine only. */
  readonly host?: string | undefined
  /**
   * Port of a second listener that serves the export's files, so that they are on another origin than the API as they
   * are in the field; 0 takes a free one. Without it they are at `{baseUrl}/files/`.
   */
  readonly filesPort?: number | undefined
  /**
   * The address under which clients reach the service through a proxy, such as `https://localization.example.com`: that
   * of exported files in answers. Default: where the service listens.
   */
  readonly publicUrl?: string | undefined
  /** Default `en`: the one language of a new project. */
  readonly defaultLanguage?: string | undefined
  /** Languages every project has, new and old. The contract reads languages but has no endpoint that makes one. */
  readonly languages?: readonly (string | LanguageDeclaration)[] | undefined
  /** Customers every project has, new and old. The contract has no endpoint that makes one. */
  readonly customers?: readonly (string | CustomerDeclaration)[] | undefined
  /**
   * Custom environments in publishing order. Named alone they stand between `_latest` and `_production`; name those two
   * as well to set the whole order. `_latest` is always first. A custom one is published from the one before it.
   */
  readonly environments?: readonly string[] | undefined
  /** Parts outside the contract to leave out. All are on. */
  readonly features?: Partial<ServiceFeatures> | undefined
  /** Requests a minute per project and per address. Default: no limit. */
  readonly rateLimit?: number | RateLimitOptions | undefined
  /** Faults to inject, for tests of clients. */
  readonly faults?: readonly FaultRule[] | undefined
  /** Machine translation. A provider that is not named here is played by the pseudo-localizer, which says so. */
  readonly providers?: ProviderOptions | undefined
  /** Largest import file in bytes. Default 256 MB. */
  readonly maxUploadBytes?: number | undefined
  /** Largest JSON body in bytes. Default 16 MB. */
  readonly maxBodyBytes?: number | undefined
  /** How long an export's file can be fetched. Default 10 minutes. */
  readonly fileLifetimeMs?: number | undefined
  /** A publish ends no earlier than the promise it returns resolves: for tests of what meets a running publish. */
  readonly duringPublish?: (() => Promise<unknown>) | undefined
  /**
   * A fixed personal token, such as the one of the last run; otherwise a new one is made at each start. On a database
   * that has personal tokens, the new one is kept in this process only.
   */
  readonly personalToken?: string | undefined
  /** Ends the personal tokens of earlier starts, except those with a name. Default: true without `databaseUrl`. */
  readonly revokeTokens?: boolean | undefined
  /** Header that carries the project API key. Default `X-Service-Token`. */
  readonly tokenHeader?: string | undefined
  /**
   * How this service spells the providers and the members of provider B in requests and answers about jobs, as
   * `service.names` of the configuration says it of a service of the field. Default: as the contract.
   */
  readonly names?: ServiceNames | undefined
  /** Forces one SQLite build; otherwise `node:sqlite` where the runtime has it. */
  readonly driver?: DriverName | undefined
  /** Called with every request before it is answered. */
  readonly onRequest?: ((request: RequestInfo) => void) | undefined
  /** Called with every answer when it is over. Nothing in it is secret. */
  readonly onAnswer?: ((answer: AnswerInfo) => void) | undefined
  /**
   * Figures at `/metrics`, in the text format of Prometheus. They take the personal token, or a token for nothing else.
   * Default false.
   */
  readonly metrics?: boolean | { readonly token: string } | undefined
  /** How long `close()` still takes requests after `/ready` says 503, for load balancers to notice. Default 0. */
  readonly drainMs?: number | undefined
  /** How long requests that are being answered may take when the service closes. Default 5 seconds. */
  readonly finishMs?: number | undefined
  /** Default: silent. */
  readonly logger?: Logger | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}
