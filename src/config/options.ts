/** Generated from `schema.ts` by `node scripts/options.mjs`: change the options there. */

import type { RequestDispatcher } from './dispatcher.ts'

/** The options of `localization.config.*` and of the plugin. All are optional. */
export interface LocalizationOptions {
  /** The service and how to call it. */
  service?: ServiceOptions | undefined
  /**
   * Where a build gets its texts: from the export, the published files, the query endpoint, or only local files.
   * @default `'export'` if there is an API key or the local service, else `'files'`
   */
  source?: 'export' | 'hosting' | 'query' | 'files' | undefined
  /** The environment for source `'hosting'`. @default '_production' */
  environment?: string | undefined
  /**
   * One or more patterns, relative to the root, with `{language}` and optionally `{namespace}` and `{customer}`. Use `{
   * pattern, root }` if an object in each file contains the texts. The extension determines the format: `.json`,
   * `.jsonc`, `.json5`, `.yaml` or `.yml`.
   * @default 'locales/{language}/{namespace}.json'
   */
  files?: string | FilesOptions | readonly (string | FilesOptions)[] | undefined
  /**
   * Use only these languages, in the app's spelling; globs such as `pt-*` work. List a language here if its name does
   * not look like a language tag: `['*', 'klingon']`.
   * @default all
   */
  languages?: readonly string[] | undefined
  /** Use only these namespaces; globs such as `views/*` work. @default all */
  namespaces?: readonly string[] | undefined
  /**
   * The app's codes for languages that have other names on the service and in file names: `{ pt_BR: 'pt-BR' }`.
   * @default {}
   */
  languageMap?: { readonly [name: string]: string } | undefined
  /**
   * The last language of every fallback chain.
   * @default the source's default language, else `en`, else the first language
   */
  defaultLanguage?: string | undefined
  /**
   * Languages that fill in missing texts: `{ 'de-CH': ['de', 'fr'] }`. A language without an entry takes texts from its
   * parents in CLDR (`es-MX`: `es-419`, `es`). Each chain ends with the default language. `false`: no fallback.
   * @default {}
   */
  fallback?: false | { readonly [name: string]: readonly string[] } | undefined
  /** The app's name for the service's namespace `""`, and for files without `{namespace}`. @default 'default' */
  defaultNamespace?: string | undefined
  /**
   * Begin vue-i18n keys and react-intl IDs with the namespace: `common.title`. `false`: `title`, for projects with one
   * namespace.
   * @default true
   */
  namespacePrefix?: boolean | undefined
  /** The customer whose texts override the general texts everywhere. */
  customer?: string | undefined
  /** The customers whose texts can be imported with `?customer=`. @default [] */
  customers?: readonly string[] | undefined
  /** The shape of the messages in the virtual modules. @default 'flat' */
  shape?: 'flat' | 'nested' | undefined
  /**
   * The separator that joins nested names into one key. `false`: names are not joined or split, and may contain dots or
   * be empty.
   * @default '.'
   */
  keySeparator?: false | string | undefined
  /** The separator before a plural category in keys (`item_one`), for checks. Use i18next's value. @default '_' */
  pluralSeparator?: string | undefined
  /**
   * Arrays, numbers, booleans and null in files: `keep` passes them to the page; `error` makes the build fail.
   * @default 'keep'
   */
  values?: 'keep' | 'error' | undefined
  /**
   * How to treat an empty text in a file: `gap` shows a fallback language's text; `keep` shows nothing.
   * @default 'gap'
   */
  emptyTexts?: 'gap' | 'keep' | undefined
  /** `'icu'` compiles messages during the build, so that react-intl needs no parser in the page. @default false */
  compile?: false | 'icu' | undefined
  /** Use only texts with review status `REVIEWED` (source `'query'`). @default false */
  reviewed?: boolean | undefined
  /**
   * How to handle a failing service: fail, use the last good snapshot, or use the local files.
   * @default build: `'fail'`; dev: `'snapshot'`, then `'files'`
   */
  onServiceError?: 'fail' | 'snapshot' | 'files' | undefined
  /** The required completeness of languages. */
  coverage?: CoverageOptions | undefined
  /**
   * Dev only: send edited texts to the service. Always off in CI.
   * @default `true` if there is an API key and a `baseUrl`
   */
  push?: boolean | PushOptions | undefined
  /** Dev only: show the service's changes in the page. @default false */
  pull?: boolean | PullOptions | undefined
  /** Leave out keys that the code does not use. @default false */
  prune?: boolean | PruneOptions | undefined
  /**
   * Preload the default language's texts in Vite's pages: `true` for the default namespace, or a list of namespaces.
   * @default false
   */
  preload?: boolean | readonly string[] | undefined
  /** `'live'`: `localization release` can put new texts into a finished build. See docs/live.md. @default 'build' */
  delivery?: 'build' | 'live' | undefined
  /** If `delivery` is `'live'`: open pages look for new texts and show them without a reload. @default false */
  refresh?: boolean | RefreshOptions | undefined
  /**
   * Set this if another bundler will process the output, as for a published package: `load()` then imports texts as
   * modules. Applies to Rollup, Rolldown and esbuild.
   * @default Vite's `build.lib`, webpack's `output.library`; see docs/build.md
   */
  library?: boolean | undefined
  /** Log each production build. `'json'`: also write `.localization/report.json`. @default true */
  report?: boolean | 'json' | undefined
  /** How to find keys in the sources. */
  usage?: UsageOptions | undefined
  /** The code of a pseudo-language generated from the default language, such as `'en-XA'`. @default false */
  pseudo?: false | string | undefined
  /**
   * Dev only: serve the inspector at `/__localization/`. `'network'`: other machines can open it too, and change texts.
   * @default true
   */
  inspector?: boolean | 'network' | undefined
  /** Dev only: hold Alt in the page and click a text to change it in every language. @default false */
  edit?: boolean | undefined
  /**
   * A file to commit, such as `localization.stale.json`, with the source of each translation. `check` then finds stale
   * translations in every clone and in CI.
   * @default the records stay on this machine, in `.localization/`
   */
  staleFile?: string | undefined
  /** The file for type declarations of your keys, such as `localization.d.ts`. `false`: none. @default false */
  types?: false | string | TypesOptions | undefined
}

/** The options of `names`. */
interface NamesOptions {
  /** The service's name for `PROVIDER_A`. */
  PROVIDER_A?: string | undefined
  /** The service's name for `PROVIDER_B`. */
  PROVIDER_B?: string | undefined
  /** The service's name for `providerBGlossaryId`. */
  providerBGlossaryId?: string | undefined
  /** The service's name for `providerBApiKey`. */
  providerBApiKey?: string | undefined
  /** The service's name for `providerBFormality`. */
  providerBFormality?: string | undefined
}

/** The options of `headers`. */
interface HeadersOptions {
  /** The environment variable's name. */
  env: string
}

/** The options of `service`. */
interface ServiceOptions {
  /** The service's URL. `'local'`: the dev server starts the local service. Environment: `LOCALIZATION_BASE_URL`. */
  baseUrl?: string | undefined
  /** The URL of the published files. Environment: `LOCALIZATION_CDN_URL`. */
  cdnUrl?: string | undefined
  /**
   * The project API key. Keep it out of this file: use `LOCALIZATION_API_KEY` in the environment or in `.env.local`.
   */
  apiKey?: string | undefined
  /** The personal token, for projects. Environment: `LOCALIZATION_PERSONAL_TOKEN`. */
  personalToken?: string | undefined
  /** The header that contains the API key. @default 'X-Service-Token' */
  tokenHeader?: string | undefined
  /**
   * The service's names for the translation providers and provider B's fields: `{ PROVIDER_B: 'ITS_NAME' }`. Commands
   * and code use the contract's names.
   */
  names?: NamesOptions | undefined
  /**
   * Headers for a gateway in front of the service. `{ 'X-Gateway-Token': { env: 'GATEWAY_TOKEN' } }` reads the value
   * from a variable. They are sent only to `baseUrl`'s origin.
   * @default {}
   */
  headers?: { readonly [name: string]: string | HeadersOptions } | undefined
  /**
   * An undici 7 `Dispatcher` that sends every request, such as an `Agent` with a client certificate. It replaces the
   * proxy. Your code closes it.
   */
  dispatcher?: RequestDispatcher | undefined
  /** The project's public token: the first part of hosting paths. */
  projectToken?: string | undefined
  /** The time limit for a call including retries, in milliseconds. @default 60000 */
  timeoutMs?: number | undefined
  /** The maximum number of retries after a failure. @default 3 */
  retries?: number | undefined
  /** The maximum number of requests per minute. Default: no limit. */
  requestsPerMinute?: number | undefined
  /** The maximum number of concurrent requests. @default 8 */
  concurrency?: number | undefined
}

/** The options of `files`. */
interface FilesOptions {
  /** A pattern, as in `files`. */
  pattern: string
  /**
   * The object in each file that contains the texts, such as `{language}` in Rails files. Separate nested names with
   * dots.
   */
  root: string
}

/** The options of `coverage`. */
interface CoverageOptions {
  /**
   * The minimum share of translated keys per language, from 0 to 1: `{ pl: 0.95 }`. A minimum for the default language
   * finds keys that only other languages have.
   * @default {}
   */
  minimum?: { readonly [name: string]: number } | undefined
  /** How to report a language below its minimum. @default 'warn' */
  onMissing?: 'warn' | 'error' | 'ignore' | undefined
}

/** The options of `push`. */
interface PushOptions {
  /** Create keys that the service lacks. @default true */
  create?: boolean | undefined
  /** The number of texts sent concurrently, at most 20. @default 8 */
  concurrency?: number | undefined
  /** Hold texts if more than this many change in one batch, for example through a script. @default 100 */
  holdAbove?: number | undefined
}

/** The options of `pull`. */
interface PullOptions {
  /** How often to check the service for changes, in milliseconds. @default 30000 */
  intervalMs?: number | undefined
  /** Also write the service's changes into the files. @default false */
  write?: boolean | undefined
}

/** The options of `prune`. */
interface PruneOptions {
  /** Keys to keep even if no code refers to them; globs such as `errors.*` or `namespace:errors.*`. @default [] */
  keep?: readonly string[] | undefined
  /**
   * Your own translation functions, whose first argument is a key, and hooks that return such functions. Known
   * libraries are built in.
   * @default []
   */
  functions?: readonly string[] | undefined
  /**
   * For a call whose key is unknown: `keep` keeps its whole namespace, `literals` keeps the keys that are strings in
   * the code, and `ignore` keeps nothing.
   * @default 'keep'
   */
  onUnknown?: 'keep' | 'literals' | 'ignore' | undefined
  /**
   * Files whose calls with unknown keys keep nothing, such as your own translation runtime: globs that match the path
   * from the root, or its end.
   * @default []
   */
  ignoreIn?: readonly string[] | undefined
  /**
   * Fetch keys used only by lazily imported code along with that code. Applies to Vite, Rollup, Rolldown, webpack,
   * Rspack and Rsbuild; elsewhere, same as `prune: true`.
   * @default false
   */
  perChunk?: boolean | undefined
}

/** The options of `refresh`. */
interface RefreshOptions {
  /** The time between two requests for new texts, in milliseconds. @default 60000 */
  intervalMs?: number | undefined
  /** Also check when a hidden page becomes visible. @default true */
  onVisible?: boolean | undefined
}

/** The options of `usage`. */
interface UsageOptions {
  /**
   * The sources for `extract`, `check --unused`, `check --missing-in-code`, and `generate` with `prune`: globs from the
   * root; `!` excludes. `node_modules`, hidden folders and build output are excluded unless a glob begins with their
   * names.
   * @default
   * ['{src,app,pages,components,layouts,lib,routes,views}/**\/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}',
   * '*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}', '!**\/*.{test,spec,stories,d}.*',
   * '!**\/{__tests__,__mocks__}/**', '!*.config.*']
   */
  files?: readonly string[] | undefined
  /**
   * Files of any type that name keys, such as templates or server code: globs as in `files`. Strings in quotes, values
   * after `=` or `:`, text between tags, and words in braces count as used.
   * @default []
   */
  literalsIn?: readonly string[] | undefined
  /** Like `prune.functions`, for projects that do not prune. Both lists apply. @default [] */
  functions?: readonly string[] | undefined
  /**
   * How `extract` writes plurals: as `'keys'` (`item_one`, `item_other`) or in `'messages'` (as in ICU).
   * @default as the call's library does
   */
  plurals?: 'keys' | 'messages' | undefined
}

/** The options of `types`. */
interface TypesOptions {
  /** The file name. @default 'localization.d.ts' */
  file?: string | undefined
  /**
   * Also type i18next's `t` (`CustomTypeOptions`), in a file next to this one. `'selector'`: for selectors, `t($ =>
   * $.basket.open)`.
   * @default false
   */
  i18next?: boolean | 'selector' | undefined
  /** Also type vue-i18n's messages (`DefineLocaleMessage`), in a file next to this one. @default false */
  vueI18n?: boolean | undefined
}
