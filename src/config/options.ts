/** Generated from `schema.ts` by `node scripts/options.mjs`: change the options there. */

import type { RequestDispatcher } from './dispatcher.ts'

/** What `localization.config.*` and the plugin take; every option may be left out. */
export interface LocalizationOptions {
  /** Where the service is and how it is called. */
  service?: ServiceOptions | undefined
  /**
   * Where a build takes its texts from: the export endpoint, the published files, the query endpoint, or local files
   * alone.
   * @default `'export'` when there is an API key or the local service, else `'files'`
   */
  source?: 'export' | 'hosting' | 'query' | 'files' | undefined
  /** The hosting environment for source `'hosting'`. @default '_production' */
  environment?: string | undefined
  /**
   * One pattern or several, relative to the project's root: `{language}`, and optionally `{namespace}` and
   * `{customer}`. `{ pattern, root }` where the texts are inside an object of each file. The ending selects the format:
   * `.json`, `.jsonc`, `.json5`, `.yaml` or `.yml`.
   * @default 'locales/{language}/{namespace}.json'
   */
  files?: string | FilesOptions | readonly (string | FilesOptions)[] | undefined
  /** Only these languages, as the app writes them; globs such as `pt-*` are allowed. @default all */
  languages?: readonly string[] | undefined
  /** Only these namespaces; globs such as `views/*` are allowed. @default all */
  namespaces?: readonly string[] | undefined
  /** The key of a language on the service and in file names to the app's code: `{ pt_BR: 'pt-BR' }`. @default {} */
  languageMap?: { readonly [name: string]: string } | undefined
  /**
   * The language that closes every fallback chain.
   * @default what the source calls default, else `en`, else the first
   */
  defaultLanguage?: string | undefined
  /**
   * Languages to look in when a text is missing: `{ 'de-CH': ['de', 'en'] }`. The default language closes each chain;
   * `false`: no fallback at all.
   * @default {}
   */
  fallback?: false | { readonly [name: string]: readonly string[] } | undefined
  /** The name under which the service's namespace `""` and files without `{namespace}` are seen. @default 'default' */
  defaultNamespace?: string | undefined
  /**
   * Whether keys of vue-i18n and ids of react-intl begin with the namespace: `common.title`. `false`: `title`, for
   * projects with one namespace.
   * @default true
   */
  namespacePrefix?: boolean | undefined
  /** The customer whose own texts every message carries. */
  customer?: string | undefined
  /** The customers whose texts can be asked for with `?customer=`. @default [] */
  customers?: readonly string[] | undefined
  /** The shape of the messages in the virtual modules. @default 'flat' */
  shape?: 'flat' | 'nested' | undefined
  /**
   * What joins the names of nested objects to one key. `false`: no name is joined or split, so that names may hold dots
   * and be empty.
   * @default '.'
   */
  keySeparator?: false | string | undefined
  /** What stands before a plural category in keys, for checks: `item_one`. The same as in i18next. @default '_' */
  pluralSeparator?: string | undefined
  /**
   * Arrays, numbers, booleans and null in files: `keep` brings them into the page, and sends only the texts of arrays
   * to the service (as `steps.0`); `error` stops the build.
   * @default 'keep'
   */
  values?: 'keep' | 'error' | undefined
  /** An empty text in a file: `gap` shows the text of a fallback language; `keep` shows nothing. @default 'gap' */
  emptyTexts?: 'gap' | 'keep' | undefined
  /**
   * `'icu'`: messages are compiled at build time; texts with ICU syntax become FormatJS syntax trees, so that
   * react-intl needs no parser in the page.
   * @default false
   */
  compile?: false | 'icu' | undefined
  /** Only texts with review status `REVIEWED` (source `'query'`). @default false */
  reviewed?: boolean | undefined
  /**
   * What to do when the service does not answer: fail, use the last good snapshot (and fail where there is none), or
   * use the local files.
   * @default build: `'fail'`; dev: `'snapshot'`, then `'files'`
   */
  onServiceError?: 'fail' | 'snapshot' | 'files' | undefined
  /** How complete a language must be. */
  coverage?: CoverageOptions | undefined
  /**
   * Dev only: send edited texts to the service. Always off in CI.
   * @default `true` when there is an API key and an address
   */
  push?: boolean | PushOptions | undefined
  /** Dev only: bring the service's changes into the page. @default false */
  pull?: boolean | PullOptions | undefined
  /** Leave out keys that the source does not use. @default false */
  prune?: boolean | PruneOptions | undefined
  /**
   * Vite's production pages: `<link rel="modulepreload">` for texts of the default language, so that they are fetched
   * beside the scripts. `true`: the default namespace; or the namespaces.
   * @default false
   */
  preload?: boolean | readonly string[] | undefined
  /**
   * Whether other bundlers build the output again, as that of a package: `load()` then imports texts as modules of the
   * output, which they follow. Rollup, Rolldown and esbuild cannot always tell.
   * @default Vite's `build.lib`, webpack's `output.library`; see docs/build.md
   */
  library?: boolean | undefined
  /**
   * A line after each production build: files, bytes, the namespaces that cost most. `'json'`: also
   * `.localization/report.json`, for tools.
   * @default true
   */
  report?: boolean | 'json' | undefined
  /** How keys are found in the sources. */
  usage?: UsageOptions | undefined
  /** The code of a pseudo-language made from the default language, such as `'en-XA'`. @default false */
  pseudo?: false | string | undefined
  /**
   * Dev only: the pages at `/__localization/`. `'network'`: also for other machines that reach the dev server, which
   * can then change texts.
   * @default true
   */
  inspector?: boolean | 'network' | undefined
  /** Dev only: hold Alt in the page and click a text to change it in every language. @default false */
  edit?: boolean | undefined
  /**
   * A file to commit, such as `localization.stale.json`: it tells everybody, and CI, what translations were made from,
   * so that `check` finds stale ones.
   * @default only this folder knows: `.localization/`
   */
  staleFile?: string | undefined
  /** Where type declarations for the keys are written, such as `localization.d.ts`; `false`: nowhere. @default false */
  types?: false | string | TypesOptions | undefined
}

/** The options of `headers`. */
interface HeadersOptions {
  /** The variable that holds the value. */
  env: string
}

/** The options of `service`. */
interface ServiceOptions {
  /**
   * The service's address, `https://...`; `'local'`: the dev server starts the local service. Environment:
   * `LOCALIZATION_BASE_URL`.
   */
  baseUrl?: string | undefined
  /** The address published files are served from. Environment: `LOCALIZATION_CDN_URL`. */
  cdnUrl?: string | undefined
  /**
   * The project API key. Keep it out of the file: `LOCALIZATION_API_KEY` in the environment or in `.env.local`. It
   * never leaves the build process.
   */
  apiKey?: string | undefined
  /** The personal token, for creating and listing projects. Environment: `LOCALIZATION_PERSONAL_TOKEN`. */
  personalToken?: string | undefined
  /** The name of the header that carries the API key. @default 'X-Service-Token' */
  tokenHeader?: string | undefined
  /**
   * Headers of every request to the service, for a gateway in front of it: `{ 'X-Gateway-Token': { env: 'GATEWAY_TOKEN'
   * } }` takes the value from a variable, in the environment or in `.env` files. Sent to `baseUrl`'s origin only.
   * @default {}
   */
  headers?: { readonly [name: string]: string | HeadersOptions } | undefined
  /**
   * An undici `Dispatcher` (7) that carries every request, such as an `Agent` with a client certificate. It takes the
   * place of the proxy, and you close it.
   */
  dispatcher?: RequestDispatcher | undefined
  /** The project's token, the first part of a hosting address. It is public. */
  projectToken?: string | undefined
  /** The longest time one call may take, its retries included, in milliseconds. @default 60000 */
  timeoutMs?: number | undefined
  /** How often a failed call is repeated. `0`: never. @default 3 */
  retries?: number | undefined
  /** At most this many requests a minute. Left out: no limit of our own. */
  requestsPerMinute?: number | undefined
  /** How many requests may run at once. @default 8 */
  concurrency?: number | undefined
}

/** The options of `files`. */
interface FilesOptions {
  /** A pattern, as in `files`. */
  pattern: string
  /**
   * The object inside each file that holds the texts, such as `{language}` in files of Rails; names with dots between
   * them. Placeholders are those of the pattern.
   */
  root: string
}

/** The options of `coverage`. */
interface CoverageOptions {
  /**
   * The least share of translated keys by language, between 0 and 1: `{ pl: 0.95 }`. Below it `onMissing` decides.
   * @default {}
   */
  minimum?: { readonly [name: string]: number } | undefined
  /** What happens when a language is below its minimum. @default 'warn' */
  onMissing?: 'warn' | 'error' | 'ignore' | undefined
}

/** The options of `push`. */
interface PushOptions {
  /** Create keys on the service that do not exist there yet. @default true */
  create?: boolean | undefined
  /** How many texts are sent at once, at most 20 of them behind one reading. @default 8 */
  concurrency?: number | undefined
  /** A batch of more changed texts than this (a branch switch) is held and reported instead of pushed. @default 100 */
  holdAbove?: number | undefined
}

/** The options of `pull`. */
interface PullOptions {
  /** How often the service is asked for changes, in milliseconds. @default 30000 */
  intervalMs?: number | undefined
  /** Write what changed on the service into the files as well. @default false */
  write?: boolean | undefined
}

/** The options of `prune`. */
interface PruneOptions {
  /** Keys that stay though no call names them; globs such as `errors.*`, or `namespace:errors.*`. @default [] */
  keep?: readonly string[] | undefined
  /**
   * The app's own translation functions, whose first argument is a key, beside those of the known libraries (`t`, `$t`,
   * `formatMessage`, ...); also hooks that return one.
   * @default []
   */
  functions?: readonly string[] | undefined
  /**
   * A call whose key cannot be known: `keep` keeps its whole namespace, `literals` those of its keys that are a text
   * somewhere in the code, `ignore` nothing. All report it.
   * @default 'keep'
   */
  onUnknown?: 'keep' | 'literals' | 'ignore' | undefined
  /**
   * Files whose unknown calls keep nothing, such as a translation runtime of your own; globs such as `src/i18n/**`.
   * @default []
   */
  ignoreIn?: readonly string[] | undefined
  /**
   * Keys that only lazily imported code uses are fetched with it, and not with every page. Vite, Rollup, Rolldown,
   * webpack, Rspack, esbuild with `splitting`.
   * @default false
   */
  perChunk?: boolean | undefined
}

/** The options of `usage`. */
interface UsageOptions {
  /**
   * The sources that `localization extract`, `check --unused`, `check --missing-in-code` and, with `prune`, `generate`
   * read: globs from the root, `!` leaves out. `node_modules`, hidden folders and build output are never read.
   * @default
   * ['{src,app,pages,components,layouts,lib,routes,views}/**\/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}',
   * '*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}', '!**\/*.{test,spec,stories,d}.*',
   * '!**\/{__tests__,__mocks__}/**', '!*.config.*']
   */
  files?: readonly string[] | undefined
  /** As `prune.functions`, for projects that check and do not prune. Both lists count for both. @default [] */
  functions?: readonly string[] | undefined
  /**
   * A file to commit: the keys that `localization record` took from runs of the app and of its tests. They count as
   * used.
   * @default 'localization.used.json'
   */
  recorded?: string | undefined
}

/** The options of `types`. */
interface TypesOptions {
  /** Where they are written. @default 'localization.d.ts' */
  file?: string | undefined
  /**
   * Also write a file beside it that types i18next's own `t` (`CustomTypeOptions`). `'selector'`: for selectors, `t($
   * => $.basket.open)`.
   * @default false
   */
  i18next?: boolean | 'selector' | undefined
  /** Also write a file beside it that types vue-i18n's messages (`DefineLocaleMessage`). @default false */
  vueI18n?: boolean | undefined
}
