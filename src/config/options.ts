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
  /**
   * Only these languages, as the app writes them; globs such as `pt-*` are allowed. A name that only files have, and
   * that does not look like a language tag (`locales/_drafts`), is a language of the app only if it is named here:
   * `['*', 'klingon']`.
   * @default all
   */
  languages?: readonly string[] | undefined
  /** Only these namespaces; globs such as `views/*` are allowed. @default all */
  namespaces?: readonly string[] | undefined
  /** Maps a language's key on the service and in file names to the app's code: `{ pt_BR: 'pt-BR' }`. @default {} */
  languageMap?: { readonly [name: string]: string } | undefined
  /**
   * The last language of every fallback chain.
   * @default the default language of the source, else `en`, else the first
   */
  defaultLanguage?: string | undefined
  /**
   * Chains of languages that fill missing texts: `{ 'de-CH': ['de', 'fr'] }`. A language without a chain of its own
   * takes texts from its parents that exist, by the rules of CLDR: `es-MX` from `es-419`, then `es`; `zh-Hant-TW` from
   * `zh-Hant`, but never from `zh`. The default language ends each chain. `false`: no fallback at all.
   * @default {}
   */
  fallback?: false | { readonly [name: string]: readonly string[] } | undefined
  /** The app's name for the service's namespace `""`, and for files without `{namespace}`. @default 'default' */
  defaultNamespace?: string | undefined
  /**
   * Whether keys of vue-i18n and ids of react-intl begin with the namespace: `common.title`. `false`: `title`, for
   * projects with one namespace.
   * @default true
   */
  namespacePrefix?: boolean | undefined
  /** The customer whose texts override the general texts in every message. */
  customer?: string | undefined
  /** The customers whose texts can be imported with `?customer=`. @default [] */
  customers?: readonly string[] | undefined
  /** The shape of the messages in the virtual modules. @default 'flat' */
  shape?: 'flat' | 'nested' | undefined
  /**
   * The text that joins the names of nested objects into one key. `false`: no name is joined or split, so that names
   * may hold dots and be empty.
   * @default '.'
   */
  keySeparator?: false | string | undefined
  /** The text before a plural category in keys, for checks: `item_one`. Use the value that i18next has. @default '_' */
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
   * What to do when the service fails: fail, use the last good snapshot (and fail if there is none), or use the local
   * files.
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
   * in parallel with the scripts. `true`: the default namespace. A list: these namespaces.
   * @default false
   */
  preload?: boolean | readonly string[] | undefined
  /**
   * Whether other bundlers build the output again, such as that of a package: `load()` then imports texts as modules of
   * the output, which they can follow. Set it in Rollup, Rolldown and esbuild if needed.
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
   * A file to commit, such as `localization.stale.json`. It records the source text of each translation, so that
   * `check` finds stale translations in every clone and in CI.
   * @default the records stay on this machine, in `.localization/`
   */
  staleFile?: string | undefined
  /** Where type declarations for the keys are written, such as `localization.d.ts`; `false`: nowhere. @default false */
  types?: false | string | TypesOptions | undefined
}

/** The options of `names`. */
interface NamesOptions {
  /** The value of `PROVIDER_A`. */
  PROVIDER_A?: string | undefined
  /** The value of `PROVIDER_B`. */
  PROVIDER_B?: string | undefined
  /** The member `providerBGlossaryId`. */
  providerBGlossaryId?: string | undefined
  /** The member `providerBApiKey`. */
  providerBApiKey?: string | undefined
  /** The member `providerBFormality`. */
  providerBFormality?: string | undefined
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
  /** The address of the published files. Environment: `LOCALIZATION_CDN_URL`. */
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
   * How the service spells names that the contract writes with neutral words: the translation providers, and the
   * members of provider B. `{ PROVIDER_B: 'ITS_NAME' }`. Commands and code use the contract's names.
   */
  names?: NamesOptions | undefined
  /**
   * Headers of every request to the service, for a gateway in front of it: `{ 'X-Gateway-Token': { env: 'GATEWAY_TOKEN'
   * } }` takes the value from a variable, in the environment or in `.env` files. Sent to `baseUrl`'s origin only.
   * @default {}
   */
  headers?: { readonly [name: string]: string | HeadersOptions } | undefined
  /**
   * An undici `Dispatcher` (7) that carries every request, such as an `Agent` with a client certificate. It replaces
   * the proxy. Your code closes it.
   */
  dispatcher?: RequestDispatcher | undefined
  /** The project's token, the first part of a hosting address. It is public. */
  projectToken?: string | undefined
  /** The longest time one call may take, its retries included, in milliseconds. @default 60000 */
  timeoutMs?: number | undefined
  /** How often a failed call is repeated. `0`: never. @default 3 */
  retries?: number | undefined
  /** The most requests in a minute. Left out: the client sets no limit. */
  requestsPerMinute?: number | undefined
  /** How many requests may run at once. @default 8 */
  concurrency?: number | undefined
}

/** The options of `files`. */
interface FilesOptions {
  /** A pattern, as in `files`. */
  pattern: string
  /**
   * The name of the object inside each file that holds the texts, such as `{language}` in files of Rails. Several names
   * have dots between them. They may hold the placeholders of the pattern.
   */
  root: string
}

/** The options of `coverage`. */
interface CoverageOptions {
  /**
   * The minimum share of translated keys for each language, from 0 to 1: `{ pl: 0.95 }`. Plural forms that the language
   * does not use are not counted. The default language needs the keys that only other languages have: `{ en: 1 }` finds
   * a typo in another language's key. See `onMissing`.
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
  /** How many texts are sent at once. After each reading of the service, at most 20 texts are sent. @default 8 */
  concurrency?: number | undefined
  /** If more texts than this change at once (a script), they are held and reported instead of sent. @default 100 */
  holdAbove?: number | undefined
}

/** The options of `pull`. */
interface PullOptions {
  /** The time between two readings of the service, in milliseconds. @default 30000 */
  intervalMs?: number | undefined
  /** Also write the service's changes into the files. @default false */
  write?: boolean | undefined
}

/** The options of `prune`. */
interface PruneOptions {
  /** Keys to keep even if no call names them; globs such as `errors.*`, or `namespace:errors.*`. @default [] */
  keep?: readonly string[] | undefined
  /**
   * The app's own translation functions, whose first argument is a key, beside those of the known libraries (`t`, `$t`,
   * `formatMessage`, ...); also hooks that return one.
   * @default []
   */
  functions?: readonly string[] | undefined
  /**
   * A call whose key is unknown at build time: `keep` keeps its whole namespace, `literals` keeps the keys that occur
   * as a text in the code, `ignore` keeps nothing. The build reports the call in each case.
   * @default 'keep'
   */
  onUnknown?: 'keep' | 'literals' | 'ignore' | undefined
  /**
   * Files whose unknown calls keep nothing, such as a translation runtime of your own; globs such as `src/i18n/**` or
   * `../shared/i18n/**`, for the path from the root or the end of any path.
   * @default []
   */
  ignoreIn?: readonly string[] | undefined
  /**
   * Keys that only lazily imported code uses are fetched with it, and not with every page. Vite, Rollup, Rolldown,
   * webpack, Rspack, Rsbuild. Elsewhere it acts as `prune: true`.
   * @default false
   */
  perChunk?: boolean | undefined
}

/** The options of `usage`. */
interface UsageOptions {
  /**
   * The sources that `localization extract`, `check --unused`, `check --missing-in-code` and, with `prune`, `generate`
   * read: globs from the root, `!` leaves out. `node_modules`, hidden folders and build output are left out, unless a
   * glob begins with their name. Globs may begin with `..`, links are followed, and a file that is neither JavaScript
   * nor TypeScript, Vue, Svelte or Astro is read like those of `literalsIn`.
   * @default
   * ['{src,app,pages,components,layouts,lib,routes,views}/**\/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}',
   * '*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}', '!**\/*.{test,spec,stories,d}.*',
   * '!**\/{__tests__,__mocks__}/**', '!*.config.*']
   */
  files?: readonly string[] | undefined
  /**
   * Files of any type that name keys, such as templates, a server or a native part: globs as in `files`. A key that is
   * a quoted text there, a value behind `=` or `:`, a text between tags, or a word in an expression in braces (`{{ }}`,
   * and braces behind `$`) counts as used, with `prune` and in `check`.
   * @default []
   */
  literalsIn?: readonly string[] | undefined
  /** The same as `prune.functions`, for projects that do not prune. `prune` and `check` use both lists. @default [] */
  functions?: readonly string[] | undefined
}

/** The options of `types`. */
interface TypesOptions {
  /** The file of the declarations. @default 'localization.d.ts' */
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
