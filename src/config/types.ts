/** The inputs of a project's configuration, and the resolved one, which is frozen. */
import type { ServiceNames } from '../shared/service-names.ts'
import type { RequestDispatcher } from './dispatcher.ts'
import type { LocalizationOptions } from './options.ts'
import type { ParsedOptions } from './schema.ts'
import type { SourceName } from './sources.ts'

export type ServiceErrorPolicy = NonNullable<ParsedOptions['onServiceError']>

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** A resolved option that can be a boolean or a section. `true` becomes the section's defaults. */
type Section<Option> = DeepReadonly<Extract<Option, object>> | false

export interface FilePattern {
  readonly pattern: string
  /** The object in each file that contains the texts. Default: the whole file. */
  readonly root?: string
}

export interface ResolvedServiceConfig {
  /** An absolute URL without a trailing slash, `'local'` for the local service, or `undefined` for no service. */
  readonly baseUrl: string | undefined
  readonly cdnUrl: string | undefined
  /**
   * The project API key. Must never be logged, written, or put into a module. Like `personalToken`, it is not
   * enumerable, so it does not appear when the configuration is inspected or serialized. Spreading `service` loses it,
   * so always pass the `service` object itself.
   */
  readonly apiKey: string | undefined
  readonly personalToken: string | undefined
  /**
   * The headers of every request, by lowercase name. Not enumerable, because some are secrets (see `headerSecrets`).
   */
  readonly headers: Readonly<Record<string, string>>
  /** Handles all requests, in place of direct connections and the proxy. Not enumerable. */
  readonly dispatcher: RequestDispatcher | undefined
  /** Required variables that are not set: `LOCALIZATION_API_KEY`, and variables that headers refer to. */
  readonly missingVariables: readonly string[]
  readonly tokenHeader: string
  /** The names that the service uses in place of those in the contract. */
  readonly names: ServiceNames
  readonly projectToken: string | undefined
  /** The time limit for a call including retries, in milliseconds. */
  readonly timeoutMs: number
  /** The maximum number of retries after a failure; 0 for none. */
  readonly retries: number
  readonly requestsPerMinute: number | undefined
  readonly concurrency: number
}

/** The hash of each file that was read, by absolute path. The hash is `undefined` if the file did not exist. */
export type ConfigDependencies = ReadonlyMap<string, string | undefined>

/** Called for each file that was read or found missing. `hash` is `undefined` for a missing file. */
export type OnDependency = (path: string, hash: string | undefined) => void

/** `root` may be relative to the working directory. `root` and `mode` are passed to a configuration function. */
export interface LoadConfigInput {
  readonly root: string
  /**
   * The folders of the `.env` files, relative to the root. Later folders override earlier ones. `false` reads no files.
   * Default: the root.
   */
  readonly envDir?: string | readonly string[] | false | undefined
  /** The bundler's mode. `.env.<mode>` is read too. */
  readonly mode?: string | undefined
  /** The prefixes of the variables that the bundler exposes to the page, in addition to `CLIENT_PREFIXES`. */
  readonly clientPrefixes?: readonly string[] | undefined
  /** The plugin's options, which override those in the file. */
  readonly options?: LocalizationOptions | undefined
  /** The file to read instead of searching for one. `false` reads none. */
  readonly configFile?: string | false | undefined
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Default: derived from `env`. */
  readonly ci?: boolean
  /** Called for variables that are probably misspelled, and if the configuration loads slowly. */
  readonly warn?: ((message: string) => void) | undefined
  /** Called for each entry in `configDependencies`, even if loading fails. */
  readonly onDependency?: OnDependency
}

export interface ResolvedConfig
  extends DeepReadonly<
    Omit<
      ParsedOptions,
      | 'service'
      | 'source'
      | 'onServiceError'
      | 'push'
      | 'pull'
      | 'prune'
      | 'refresh'
      | 'files'
      | 'keySeparator'
      | 'types'
    >
  > {
  /** The absolute path of the project's folder. File patterns and globs are relative to it. */
  readonly root: string
  /** The absolute path of the configuration file, for messages and for watching it. */
  readonly configFile: string | undefined
  /** All files that may be read, including `.env` files. */
  readonly configDependencies: ConfigDependencies
  readonly service: ResolvedServiceConfig
  readonly source: SourceName
  readonly files: readonly FilePattern[]
  /** Never empty. `PATH_JOINT` if the option `keySeparator` is `false`. */
  readonly keySeparator: string
  /** The policies that builds and dev servers try, in order, if the service fails. */
  readonly onServiceError: {
    readonly build: readonly ServiceErrorPolicy[]
    readonly dev: readonly ServiceErrorPolicy[]
  }
  readonly push: Section<ParsedOptions['push']>
  readonly pull: Section<ParsedOptions['pull']>
  readonly prune: Section<ParsedOptions['prune']>
  readonly refresh: Section<ParsedOptions['refresh']>
  readonly types: Section<ParsedOptions['types']>
}
