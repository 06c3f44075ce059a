/**
 * The options a user writes: type, default and description, here and nowhere else.
 * `node scripts/options.mjs` generates `docs/options.md` and `options.ts` from this file.
 */

import * as z from 'zod'
import { checkFallback, checkKeySeparator, checkLanguageMap, checkPattern, checkRoot } from './checks.ts'
import { by, checked, count, text } from './schema-parts.ts'
import { serviceSchema } from './service-schema.ts'
import { SOURCE_NAMES } from './sources.ts'

const pushSchema = z.strictObject({
  create: z.boolean().default(true).describe('Create keys on the service that do not exist there yet.'),
  concurrency: count(1, 1000)
    .default(8)
    .describe('How many texts are sent at once. After each reading of the service, at most 20 texts are sent.'),
  holdAbove: count(0)
    .default(100)
    .describe('If more texts than this change at once (a script), they are held and reported instead of sent.'),
})

const pullSchema = z.strictObject({
  intervalMs: count(1).default(30_000).describe('The time between two readings of the service, in milliseconds.'),
  write: z.boolean().default(false).describe("Also write the service's changes into the files."),
})

const pruneSchema = z.strictObject({
  keep: z
    .array(text())
    .default([])
    .describe('Keys to keep even if no call names them; globs such as `errors.*`, or `namespace:errors.*`.'),
  functions: z
    .array(text())
    .default([])
    .describe(
      "The app's own translation functions, whose first argument is a key, beside those of the known libraries " +
        '(`t`, `$t`, `formatMessage`, ...); also hooks that return one.',
    ),
  onUnknown: z
    .enum(['keep', 'literals', 'ignore'])
    .default('keep')
    .describe(
      'A call whose key is unknown at build time: `keep` keeps its whole namespace, `literals` keeps the keys that ' +
        'occur as a text in the code, `ignore` keeps nothing. The build reports the call in each case.',
    ),
  ignoreIn: z
    .array(text())
    .default([])
    .describe(
      'Files whose unknown calls keep nothing, such as a translation runtime of your own; globs such as ' +
        '`src/i18n/**` or `../shared/i18n/**`, for the path from the root or the end of any path.',
    ),
  perChunk: z
    .boolean()
    .default(false)
    .describe(
      'Keys that only lazily imported code uses are fetched with it, and not with every page. Vite, Rollup, ' +
        'Rolldown, webpack, Rspack, Rsbuild. Elsewhere it acts as `prune: true`.',
    ),
})

const usageSchema = z.strictObject({
  files: z
    .array(text())
    .min(1)
    .default([
      '{src,app,pages,components,layouts,lib,routes,views}/**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}',
      '*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}',
      '!**/*.{test,spec,stories,d}.*',
      '!**/{__tests__,__mocks__}/**',
      '!*.config.*',
    ])
    .describe(
      'The sources that `localization extract`, `check --unused`, `check --missing-in-code` and, with `prune`, ' +
        '`generate` read: globs from ' +
        'the root, `!` leaves out. `node_modules`, hidden folders and build output are left out, unless a glob begins ' +
        'with their name. Globs may begin with `..`, links are followed, and a file that is neither JavaScript nor ' +
        'TypeScript, Vue, Svelte or Astro is read like those of `literalsIn`.',
    ),
  literalsIn: z
    .array(text())
    .default([])
    .describe(
      'Files of any type that name keys, such as templates, a server or a native part: globs as in `files`. A key that ' +
        'is a quoted text there, a value behind `=` or `:`, a text between tags, or a word in an expression in braces ' +
        '(`{{ }}`, and braces behind `$`) counts as used, with `prune` and in `check`.',
    ),
  functions: z
    .array(text())
    .default([])
    .describe('The same as `prune.functions`, for projects that do not prune. `prune` and `check` use both lists.'),
})

const declarationFile = () => text().regex(/\.ts$/, 'the name must end in .ts (localization.d.ts)')

const typesSchema = z.strictObject({
  file: declarationFile().default('localization.d.ts').describe('The file of the declarations.'),
  i18next: z
    .union([z.boolean(), z.literal('selector')])
    .default(false)
    .describe(
      "Also write a file beside it that types i18next's own `t` (`CustomTypeOptions`). `'selector'`: for selectors, " +
        '`t($ => $.basket.open)`.',
    ),
  vueI18n: z
    .boolean()
    .default(false)
    .describe("Also write a file beside it that types vue-i18n's messages (`DefineLocaleMessage`)."),
})

const coverageSchema = z.strictObject({
  minimum: z
    .record(text(), z.number().min(0).max(1))
    .default({})
    .describe(
      'The minimum share of translated keys for each language, from 0 to 1: `{ pl: 0.95 }`. Plural forms that the ' +
        'language does not use are not counted. The default language needs the keys that only other languages have: ' +
        "`{ en: 1 }` finds a typo in another language's key. See `onMissing`.",
    ),
  onMissing: z
    .enum(['warn', 'error', 'ignore'])
    .default('warn')
    .describe('What happens when a language is below its minimum.'),
})

const filePattern = z.union([
  checked(checkPattern),
  z
    .strictObject({
      pattern: checked(checkPattern).describe('A pattern, as in `files`.'),
      root: text().describe(
        'The name of the object inside each file that holds the texts, such as `{language}` in files of Rails. ' +
          'Several names have dots between them. They may hold the placeholders of the pattern.',
      ),
    })
    .check(by(checkRoot)),
])

/** Everything `localization.config.*` and the plugin's options may hold. */
export const optionsSchema = z.strictObject({
  service: serviceSchema.prefault({}).describe('Where the service is and how it is called.'),
  source: z
    .enum(SOURCE_NAMES)
    .optional()
    .meta({
      description:
        'Where a build takes its texts from: the export endpoint, the published files, the query endpoint, or ' +
        'local files alone.',
      defaultText: "`'export'` when there is an API key or the local service, else `'files'`",
    }),
  environment: text()
    .regex(/^[^/\\?#\s]+$/, 'an environment key holds no slash, space, "?" or "#"')
    .default('_production')
    .describe("The hosting environment for source `'hosting'`."),
  files: z
    .union([...filePattern.options, z.array(filePattern).min(1)])
    .default('locales/{language}/{namespace}.json')
    .describe(
      "One pattern or several, relative to the project's root: `{language}`, and optionally `{namespace}` and " +
        '`{customer}`. `{ pattern, root }` where the texts are inside an object of each file. ' +
        'The ending selects the format: `.json`, `.jsonc`, `.json5`, `.yaml` or `.yml`.',
    ),
  languages: z
    .array(text())
    .min(1)
    .optional()
    .meta({
      description:
        'Only these languages, as the app writes them; globs such as `pt-*` are allowed. A name that only files have, and ' +
        "that does not look like a language tag (`locales/_drafts`), is a language of the app only if it is named here: `['*', 'klingon']`.",
      defaultText: 'all',
    }),
  namespaces: z
    .array(text())
    .min(1)
    .optional()
    .meta({ description: 'Only these namespaces; globs such as `views/*` are allowed.', defaultText: 'all' }),
  languageMap: z
    .record(text(), text())
    .check(by(checkLanguageMap))
    .default({})
    .describe("Maps a language's key on the service and in file names to the app's code: `{ pt_BR: 'pt-BR' }`."),
  defaultLanguage: text().optional().meta({
    description: 'The last language of every fallback chain.',
    defaultText: 'the default language of the source, else `en`, else the first',
  }),
  fallback: z
    .union([z.literal(false), z.record(text(), z.array(text())).check(by(checkFallback))])
    .default({})
    .describe(
      "Chains of languages that fill missing texts: `{ 'de-CH': ['de', 'fr'] }`. A language without a chain of its " +
        'own takes texts from its parents that exist, by the rules of CLDR: `es-MX` from `es-419`, then `es`; ' +
        '`zh-Hant-TW` from `zh-Hant`, but never from `zh`. The default language ends each chain. ' +
        '`false`: no fallback at all.',
    ),
  defaultNamespace: text()
    .default('default')
    .describe('The app\'s name for the service\'s namespace `""`, and for files without `{namespace}`.'),
  namespacePrefix: z
    .boolean()
    .default(true)
    .describe(
      'Whether keys of vue-i18n and ids of react-intl begin with the namespace: `common.title`. `false`: `title`, ' +
        'for projects with one namespace.',
    ),
  customer: text().optional().describe('The customer whose texts override the general texts in every message.'),
  customers: z.array(text()).default([]).describe('The customers whose texts can be imported with `?customer=`.'),
  shape: z.enum(['flat', 'nested']).default('flat').describe('The shape of the messages in the virtual modules.'),
  keySeparator: z
    .union([z.literal(false), checked(checkKeySeparator)])
    .default('.')
    .describe(
      'The text that joins the names of nested objects into one key. `false`: no name is joined or split, so that ' +
        'names may hold dots and be empty.',
    ),
  pluralSeparator: text()
    .default('_')
    .describe('The text before a plural category in keys, for checks: `item_one`. Use the value that i18next has.'),
  values: z
    .enum(['keep', 'error'])
    .default('keep')
    .describe(
      'Arrays, numbers, booleans and null in files: `keep` brings them into the page, and sends only the texts of ' +
        'arrays to the service (as `steps.0`); `error` stops the build.',
    ),
  emptyTexts: z
    .enum(['gap', 'keep'])
    .default('gap')
    .describe('An empty text in a file: `gap` shows the text of a fallback language; `keep` shows nothing.'),
  compile: z
    .union([z.literal(false), z.enum(['icu'])])
    .default(false)
    .describe(
      "`'icu'`: messages are compiled at build time; texts with ICU syntax become FormatJS syntax trees, so that " +
        'react-intl needs no parser in the page.',
    ),
  reviewed: z.boolean().default(false).describe("Only texts with review status `REVIEWED` (source `'query'`)."),
  onServiceError: z
    .enum(['fail', 'snapshot', 'files'])
    .optional()
    .meta({
      description:
        'What to do when the service fails: fail, use the last good snapshot (and fail if there is none), or use ' +
        'the local files.',
      defaultText: "build: `'fail'`; dev: `'snapshot'`, then `'files'`",
    }),
  coverage: coverageSchema.prefault({}).describe('How complete a language must be.'),
  push: z.union([z.boolean(), pushSchema]).optional().meta({
    description: 'Dev only: send edited texts to the service. Always off in CI.',
    defaultText: '`true` when there is an API key and an address',
  }),
  pull: z
    .union([z.boolean(), pullSchema])
    .default(false)
    .describe("Dev only: bring the service's changes into the page."),
  prune: z.union([z.boolean(), pruneSchema]).default(false).describe('Leave out keys that the source does not use.'),
  preload: z
    .union([z.boolean(), z.array(text())])
    .default(false)
    .describe(
      'Vite\'s production pages: `<link rel="modulepreload">` for texts of the default language, so that they ' +
        'are fetched in parallel with the scripts. `true`: the default namespace. A list: these namespaces.',
    ),
  library: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether other bundlers build the output again, such as that of a package: `load()` then imports texts as ' +
        'modules of the output, which they can follow. Set it in Rollup, Rolldown and esbuild if needed.',
      defaultText: "Vite's `build.lib`, webpack's `output.library`; see docs/build.md",
    }),
  report: z
    .union([z.boolean(), z.literal('json')])
    .default(true)
    .describe(
      "A line after each production build: files, bytes, the namespaces that cost most. `'json'`: also " +
        '`.localization/report.json`, for tools.',
    ),
  usage: usageSchema.prefault({}).describe('How keys are found in the sources.'),
  pseudo: z
    .union([z.literal(false), text()])
    .default(false)
    .describe("The code of a pseudo-language made from the default language, such as `'en-XA'`."),
  inspector: z
    .union([z.boolean(), z.literal('network')])
    .default(true)
    .describe(
      "Dev only: the pages at `/__localization/`. `'network'`: also for other machines that reach the dev " +
        'server, which can then change texts.',
    ),
  edit: z
    .boolean()
    .default(false)
    .describe('Dev only: hold Alt in the page and click a text to change it in every language.'),
  staleFile: text()
    .optional()
    .meta({
      description:
        'A file to commit, such as `localization.stale.json`. It records the source text of each translation, so ' +
        'that `check` finds stale translations in every clone and in CI.',
      defaultText: 'the records stay on this machine, in `.localization/`',
    }),
  types: z
    .union([z.literal(false), declarationFile(), typesSchema])
    .default(false)
    .describe('Where type declarations for the keys are written, such as `localization.d.ts`; `false`: nowhere.'),
})

/** The options with every default filled in. `resolve.ts` makes a `ResolvedConfig` of them. */
export type ParsedOptions = z.output<typeof optionsSchema>

/** Options whose value no message shows, not even a part of it. */
export const SECRET_OPTIONS: readonly string[] = ['service.apiKey', 'service.personalToken', 'service.headers']
