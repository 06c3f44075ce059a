/**
 * The options that a user writes. Their types, defaults and descriptions are here and nowhere else.
 * `node scripts/options.mjs` generates `docs/options.md` and `options.ts` from this file.
 */

import * as z from 'zod'
import { checkFallback, checkKeySeparator, checkLanguageMap, checkPattern, checkRoot } from './checks.ts'
import { by, checked, count, text } from './schema-parts.ts'
import { serviceSchema } from './service-schema.ts'
import { SOURCE_NAMES } from './sources.ts'

const pushSchema = z.strictObject({
  create: z.boolean().default(true).describe('Create keys that the service lacks.'),
  concurrency: count(1, 1000).default(8).describe('The number of texts sent concurrently, at most 20.'),
  holdAbove: count(0)
    .default(100)
    .describe('If more texts than this change together, as after a script, they are held.'),
})

const pullSchema = z.strictObject({
  intervalMs: count(1).default(30_000).describe('The time between two reads of the service, in milliseconds.'),
  write: z.boolean().default(false).describe("Also write the service's changes into the files."),
})

const pruneSchema = z.strictObject({
  keep: z
    .array(text())
    .default([])
    .describe('Keys to keep even if no call names them; globs such as `errors.*` or `namespace:errors.*`.'),
  functions: z
    .array(text())
    .default([])
    .describe(
      'Your own translation functions, whose first argument is a key, and hooks that return such ' +
        'functions. Known libraries are built in.',
    ),
  onUnknown: z
    .enum(['keep', 'literals', 'ignore'])
    .default('keep')
    .describe(
      'For a call whose key is unknown: `keep` keeps its whole namespace, `literals` keeps the keys that ' +
        'are texts in the code, and `ignore` keeps nothing.',
    ),
  ignoreIn: z
    .array(text())
    .default([])
    .describe(
      'Files whose calls with unknown keys keep nothing, such as your own translation runtime: globs from the root, ' +
        'or for the end of a path.',
    ),
  perChunk: z
    .boolean()
    .default(false)
    .describe(
      'Fetch keys that only lazily imported code uses together with this code. In Vite, Rollup, Rolldown, ' +
        'webpack, Rspack and Rsbuild; elsewhere like `prune: true`.',
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
      'The sources for `extract`, `check --unused`, `check --missing-in-code`, and `generate` with `prune`: ' +
        'globs from the root; `!` excludes. `node_modules`, hidden folders and build output are excluded ' +
        'unless a glob begins with their name.',
    ),
  literalsIn: z
    .array(text())
    .default([])
    .describe(
      'Files of any type that name keys, such as templates or server code: globs as in `files`. Texts in ' +
        'quotes, values after `=` or `:`, texts between tags and words in braces count as used.',
    ),
  functions: z
    .array(text())
    .default([])
    .describe('Like `prune.functions`, for projects that do not prune. Both lists apply.'),
  plurals: z.enum(['keys', 'messages']).optional().meta({
    description:
      "How texts have plurals, for `extract`: `'keys'` (`item_one`, `item_other`) or `'messages'` (as in ICU).",
    defaultText: "that of the call's library",
  }),
})

const refreshSchema = z.strictObject({
  intervalMs: count(1000).default(60_000).describe('The time between two requests for the table, in milliseconds.'),
  onVisible: z.boolean().default(true).describe('Also ask when a hidden page becomes visible.'),
})

const declarationFile = () => text().regex(/\.ts$/, 'the name must end in .ts (localization.d.ts)')

const typesSchema = z.strictObject({
  file: declarationFile().default('localization.d.ts').describe('The file name.'),
  i18next: z
    .union([z.boolean(), z.literal('selector')])
    .default(false)
    .describe(
      "Also type i18next's `t` (`CustomTypeOptions`) in a file beside it. `'selector'`: for selectors, `t($ " +
        '=> $.basket.open)`.',
    ),
  vueI18n: z
    .boolean()
    .default(false)
    .describe("Also type vue-i18n's messages (`DefineLocaleMessage`) in a file beside it."),
})

const coverageSchema = z.strictObject({
  minimum: z
    .record(text(), z.number().min(0).max(1))
    .default({})
    .describe(
      'The minimum share of translated keys by language, from 0 to 1: `{ pl: 0.95 }`. A minimum for the ' +
        'default language finds keys that only other languages have.',
    ),
  onMissing: z
    .enum(['warn', 'error', 'ignore'])
    .default('warn')
    .describe('The reaction to a language below its minimum.'),
})

const filePattern = z.union([
  checked(checkPattern),
  z
    .strictObject({
      pattern: checked(checkPattern).describe('A pattern, as in `files`.'),
      root: text().describe(
        'The object inside each file that contains the texts, such as `{language}` in Rails files. Join ' +
          'several names with dots.',
      ),
    })
    .check(by(checkRoot)),
])

/** All options of `localization.config.*` and of the plugin. */
export const optionsSchema = z.strictObject({
  service: serviceSchema.prefault({}).describe('The service and how to call it.'),
  source: z
    .enum(SOURCE_NAMES)
    .optional()
    .meta({
      description:
        'Where a build takes its texts from: the export, the published files, the query endpoint, or local ' +
        'files only.',
      defaultText: "`'export'` when there is an API key or the local service, else `'files'`",
    }),
  environment: text()
    .regex(/^[^/\\?#\s]+$/, 'an environment key must not contain "/", a space, "?" or "#"')
    .default('_production')
    .describe("The environment for source `'hosting'`."),
  files: z
    .union([...filePattern.options, z.array(filePattern).min(1)])
    .default('locales/{language}/{namespace}.json')
    .describe(
      'One pattern or several, relative to the root, with `{language}` and optionally `{namespace}` and ' +
        '`{customer}`. `{ pattern, root }` if the texts are inside an object in each file. The extension ' +
        'selects the format: `.json`, `.jsonc`, `.json5`, `.yaml` or `.yml`.',
    ),
  languages: z
    .array(text())
    .min(1)
    .optional()
    .meta({
      description:
        "Only these languages, in the app's spelling; globs such as `pt-*` work. Name a file here if it is a " +
        "language but does not look like a language tag: `['*', 'klingon']`.",
      defaultText: 'all',
    }),
  namespaces: z
    .array(text())
    .min(1)
    .optional()
    .meta({ description: 'Only these namespaces; globs such as `views/*` work.', defaultText: 'all' }),
  languageMap: z
    .record(text(), text())
    .check(by(checkLanguageMap))
    .default({})
    .describe("The app's code for a language's name on the service and in file names: `{ pt_BR: 'pt-BR' }`."),
  defaultLanguage: text().optional().meta({
    description: 'The last language of every fallback chain.',
    defaultText: 'the default language of the source, else `en`, else the first',
  }),
  fallback: z
    .union([z.literal(false), z.record(text(), z.array(text())).check(by(checkFallback))])
    .default({})
    .describe(
      "Languages that fill missing texts: `{ 'de-CH': ['de', 'fr'] }`. Without an entry, a language takes " +
        'texts from its parents in CLDR (`es-MX`: `es-419`, `es`). The default language ends each chain. ' +
        '`false`: no fallback.',
    ),
  defaultNamespace: text()
    .default('default')
    .describe('The app\'s name for the service\'s namespace `""`, and for files without `{namespace}`.'),
  namespacePrefix: z
    .boolean()
    .default(true)
    .describe(
      'Keys of vue-i18n and ids of react-intl begin with the namespace: `common.title`. `false`: `title`, ' +
        'for projects with one namespace.',
    ),
  customer: text().optional().describe('The customer whose texts override the general texts everywhere.'),
  customers: z.array(text()).default([]).describe('The customers whose texts can be imported with `?customer=`.'),
  shape: z.enum(['flat', 'nested']).default('flat').describe('The shape of the messages in the virtual modules.'),
  keySeparator: z
    .union([z.literal(false), checked(checkKeySeparator)])
    .default('.')
    .describe(
      'The text that joins nested names into one key. `false`: names are not joined or split, and may ' +
        'contain dots or be empty.',
    ),
  pluralSeparator: text()
    .default('_')
    .describe("The text before a plural category in keys (`item_one`), for checks. Use i18next's value."),
  values: z
    .enum(['keep', 'error'])
    .default('keep')
    .describe('Arrays, numbers, booleans and null in files: `keep` shows them in the page; `error` stops the build.'),
  emptyTexts: z
    .enum(['gap', 'keep'])
    .default('gap')
    .describe("An empty text in a file: `gap` shows a fallback language's text; `keep` shows nothing."),
  compile: z
    .union([z.literal(false), z.enum(['icu'])])
    .default(false)
    .describe("`'icu'` compiles messages in the build, so that react-intl needs no parser in the page."),
  reviewed: z.boolean().default(false).describe("Only texts with review status `REVIEWED` (source `'query'`)."),
  onServiceError: z.enum(['fail', 'snapshot', 'files']).optional().meta({
    description: 'The reaction to a service that fails: fail, use the last good snapshot, or use the local files.',
    defaultText: "build: `'fail'`; dev: `'snapshot'`, then `'files'`",
  }),
  coverage: coverageSchema.prefault({}).describe('The required completeness of languages.'),
  push: z.union([z.boolean(), pushSchema]).optional().meta({
    description: 'Dev only: send edited texts to the service. Always off in CI.',
    defaultText: '`true` when there is an API key and an address',
  }),
  pull: z
    .union([z.boolean(), pullSchema])
    .default(false)
    .describe("Dev only: bring the service's changes into the page."),
  prune: z.union([z.boolean(), pruneSchema]).default(false).describe('Leave out keys that the code does not use.'),
  preload: z
    .union([z.boolean(), z.array(text())])
    .default(false)
    .describe(
      "Preload texts of the default language in Vite's pages: `true` for the default namespace, or a list " +
        'of namespaces.',
    ),
  delivery: z
    .enum(['build', 'live'])
    .default('build')
    .describe("`'live'`: `localization release` can put new texts into a finished build. See docs/live.md."),
  refresh: z
    .union([z.boolean(), refreshSchema])
    .default(false)
    .describe("With `delivery: 'live'`: open pages look for new texts and show them in place."),
  library: z
    .boolean()
    .optional()
    .meta({
      description:
        'Other bundlers build the output again, as for a package: `load()` then imports texts as modules. Set ' +
        'it in Rollup, Rolldown and esbuild.',
      defaultText: "Vite's `build.lib`, webpack's `output.library`; see docs/build.md",
    }),
  report: z
    .union([z.boolean(), z.literal('json')])
    .default(true)
    .describe("Log each production build. `'json'`: also write `.localization/report.json`."),
  usage: usageSchema.prefault({}).describe('How to find keys in the sources.'),
  pseudo: z
    .union([z.literal(false), text()])
    .default(false)
    .describe("The code of a pseudo-language made from the default language, such as `'en-XA'`."),
  inspector: z
    .union([z.boolean(), z.literal('network')])
    .default(true)
    .describe(
      "Dev only: the pages at `/__localization/`. `'network'`: also for other machines, which can then " +
        'change texts.',
    ),
  edit: z
    .boolean()
    .default(false)
    .describe('Dev only: hold Alt in the page and click a text to change it in every language.'),
  staleFile: text()
    .optional()
    .meta({
      description:
        'A file to commit, such as `localization.stale.json`, with the source of each translation. `check` ' +
        'then finds stale translations in every clone and in CI.',
      defaultText: 'the records stay on this machine, in `.localization/`',
    }),
  types: z
    .union([z.literal(false), declarationFile(), typesSchema])
    .default(false)
    .describe('The file for type declarations of keys, such as `localization.d.ts`. `false`: none.'),
})

/** The options with all defaults. `resolve.ts` turns them into a `ResolvedConfig`. */
export type ParsedOptions = z.output<typeof optionsSchema>

/** Options whose values never appear in messages, not even in part. */
export const SECRET_OPTIONS: readonly string[] = ['service.apiKey', 'service.personalToken', 'service.headers']
