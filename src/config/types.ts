/** What code receives: the configuration after files, options and environment are put together. Frozen; paths absolute. */

export type SourceName = 'export' | 'hosting' | 'query' | 'files'
export type ServiceErrorPolicy = 'fail' | 'snapshot' | 'files'
export type MessageShape = 'flat' | 'nested'

/** An undici `Dispatcher` as far as the package needs it; written out because only the transport knows undici. */
export interface RequestDispatcher {
  dispatch(options: never, handler: never): boolean
}

export interface ResolvedServiceConfig {
  /** Absolute address without a trailing slash; `'local'` starts the local service; `undefined` when there is none. */
  readonly baseUrl: string | undefined
  readonly cdnUrl: string | undefined
  /**
   * The project API key. Never logged, never written, never part of a module. Not enumerable, like `personalToken`: inspecting or
   * serializing the configuration does not show it, and spreading `service` loses it. Hand `service` on as it is.
   */
  readonly apiKey: string | undefined
  readonly personalToken: string | undefined
  /** Headers of every request, by lower-case name. Some are secrets (see `headerSecrets`): not enumerable either. */
  readonly headers: Readonly<Record<string, string>>
  /** Carries every request instead of the direct connection or the proxy. Not enumerable. */
  readonly dispatcher: RequestDispatcher | undefined
  /** Variables that the service needs a value of and that are not set: `LOCALIZATION_API_KEY`, and those of headers. */
  readonly missingVariables: readonly string[]
  readonly tokenHeader: string
  readonly projectToken: string | undefined
  /** Total time for one call with its retries, in milliseconds. */
  readonly timeoutMs: number
  /** How often a failed call is repeated. 0: never. */
  readonly retries: number
  readonly requestsPerMinute: number | undefined
  readonly concurrency: number
}

export interface ResolvedPushConfig {
  readonly create: boolean
  readonly concurrency: number
  readonly holdAbove: number
}

export interface ResolvedPullConfig {
  readonly intervalMs: number
  readonly write: boolean
}

export interface ResolvedTypesConfig {
  /** Where the type declarations go, absolute. */
  readonly file: string
  /** Augment the library's types, each in a file beside `file`. */
  readonly i18next: boolean
  readonly vueI18n: boolean
}

export interface ResolvedPruneConfig {
  /** Keys that stay: names or globs. */
  readonly keep: readonly string[]
  /** The app's own translation functions: those of `usage` too. */
  readonly functions: readonly string[]
  /** What a call whose key cannot be known keeps. */
  readonly onUnknown: 'keep' | 'ignore'
  /** Files whose unknown calls keep nothing. */
  readonly ignoreIn: readonly string[]
  /** What only lazily imported code uses comes with it. */
  readonly perChunk: boolean
}

export interface ResolvedConfig {
  /** The project's folder: every relative path of the configuration starts here. */
  readonly root: string
  /** The file the configuration came from, for messages and watching. */
  readonly configFile: string | undefined
  /** Every file the configuration was read from, `.env` files included. */
  readonly configDependencies: readonly string[]
  readonly service: ResolvedServiceConfig
  readonly source: SourceName
  readonly environment: string
  /** Patterns relative to `root`, with forward slashes. */
  readonly files: readonly string[]
  /** Names or globs; `undefined`: all. In the app's spelling. */
  readonly languages: readonly string[] | undefined
  readonly namespaces: readonly string[] | undefined
  /** Service key to the app's code. */
  readonly languageMap: Readonly<Record<string, string>>
  /** `undefined`: what the source calls default, else `en`, else the first. */
  readonly defaultLanguage: string | undefined
  readonly fallback: Readonly<Record<string, readonly string[]>> | false
  readonly defaultNamespace: string
  /** The customer whose texts every message carries. */
  readonly customer: string | undefined
  /** The customers whose texts can be asked for with `?customer=`. Holds `customer` too. */
  readonly customers: readonly string[]
  readonly shape: MessageShape
  readonly keySeparator: string
  /** `icu`: texts with syntax are FormatJS syntax trees in the modules. */
  readonly compile: 'icu' | false
  readonly reviewed: boolean
  /** What a build and a dev server do when the service fails, tried in order. */
  readonly onServiceError: {
    readonly build: readonly ServiceErrorPolicy[]
    readonly dev: readonly ServiceErrorPolicy[]
  }
  readonly coverage: {
    readonly minimum: Readonly<Record<string, number>>
    readonly onMissing: 'warn' | 'error' | 'ignore'
  }
  readonly push: ResolvedPushConfig | false
  readonly pull: ResolvedPullConfig | false
  readonly prune: ResolvedPruneConfig | false
  /** Namespaces of the default language that a page begins to fetch at once; `true`: the default one. */
  readonly preload: boolean | readonly string[]
  /** `undefined`: as the bundler's options tell. */
  readonly library: boolean | undefined
  /** `json`: also as a file. */
  readonly report: boolean | 'json'
  readonly usage: {
    /** Globs of the sources that the command line reads; `!` leaves out. */
    readonly files: readonly string[]
    /** The app's own translation functions: those of `prune` too. */
    readonly functions: readonly string[]
  }
  /** The code of the pseudo-language. `languages` does not name it; the app gets it all the same. */
  readonly pseudo: string | false
  /** `network`: also for other machines. */
  readonly inspector: boolean | 'network'
  /** Texts can be changed where they stand in the page. */
  readonly edit: boolean
  readonly types: ResolvedTypesConfig | false
}
