/** The configuration as code receives it: files, options and environment put together. Frozen; paths are absolute. */
import type { ServiceNames } from '../shared/service-names.ts'
import type { RequestDispatcher } from './dispatcher.ts'
import type { ParsedOptions } from './schema.ts'
import type { SourceName } from './sources.ts'

export type ServiceErrorPolicy = NonNullable<ParsedOptions['onServiceError']>
export type MessageShape = ParsedOptions['shape']

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** The resolved value of an option that is a switch or a section: `true` became the section's defaults. */
type Section<Option> = DeepReadonly<Extract<Option, object>> | false

/** The options that are only checked and completed with their defaults. `schema.ts` describes each one. */
type CheckedOptions = Omit<
  ParsedOptions,
  'service' | 'source' | 'onServiceError' | 'push' | 'pull' | 'prune' | 'files' | 'keySeparator' | 'types'
>

export interface FilePattern {
  /** Relative to the project's root, with forward slashes. */
  readonly pattern: string
  /** The object inside each file that holds the texts. Default: the whole file. */
  readonly root?: string
}

export interface ResolvedServiceConfig {
  /** Absolute address without a trailing slash; `'local'` starts the local service; `undefined` if there is none. */
  readonly baseUrl: string | undefined
  readonly cdnUrl: string | undefined
  /**
   * The project API key. Never logged, never written, never part of a module. Not enumerable, like `personalToken`:
   * inspecting or serializing the configuration does not show it, and spreading `service` loses it. Pass `service`
   * on as it is.
   */
  readonly apiKey: string | undefined
  readonly personalToken: string | undefined
  /** Headers of every request, by lower-case name. Not enumerable, because some are secrets (see `headerSecrets`). */
  readonly headers: Readonly<Record<string, string>>
  /** Carries every request instead of the direct connection or the proxy. Not enumerable. */
  readonly dispatcher: RequestDispatcher | undefined
  /** Variables that the service needs and that are not set: `LOCALIZATION_API_KEY`, and those of headers. */
  readonly missingVariables: readonly string[]
  readonly tokenHeader: string
  /** How the service spells names of the contract. */
  readonly names: ServiceNames
  readonly projectToken: string | undefined
  /** Total time for one call with its retries, in milliseconds. */
  readonly timeoutMs: number
  /** How often a failed call is repeated. 0: never. */
  readonly retries: number
  readonly requestsPerMinute: number | undefined
  readonly concurrency: number
}

/** By absolute path: a hash of the content that was read. `undefined`: there was no such file. */
export type ConfigDependencies = ReadonlyMap<string, string | undefined>

/** Called when a file is read, or found to be absent. */
export type OnDependency = (path: string, hash: string | undefined) => void

export interface ResolvedConfig extends DeepReadonly<CheckedOptions> {
  /** The project's folder: every relative path of the configuration starts here. */
  readonly root: string
  /** The file that the configuration came from, for messages and watching. */
  readonly configFile: string | undefined
  /** Every file that was looked for, `.env` files included. */
  readonly configDependencies: ConfigDependencies
  readonly service: ResolvedServiceConfig
  readonly source: SourceName
  readonly files: readonly FilePattern[]
  /** Never empty. `PATH_JOINT` where names are not joined. */
  readonly keySeparator: string
  /** What a build and a dev server do when the service fails, tried in order. */
  readonly onServiceError: {
    readonly build: readonly ServiceErrorPolicy[]
    readonly dev: readonly ServiceErrorPolicy[]
  }
  readonly push: Section<ParsedOptions['push']>
  readonly pull: Section<ParsedOptions['pull']>
  readonly prune: Section<ParsedOptions['prune']>
  /** `file` is absolute. */
  readonly types: Section<ParsedOptions['types']>
}
