/**
 * The options that users write. Their types, defaults and descriptions are defined only here. From this file, `node
 * scripts/options.mjs` generates `docs/options.md`, `options.ts` and `rules.ts`.
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
    .describe('Hold texts if more than this many change in one batch, for example through a script.'),
})

const pullSchema = z.strictObject({
  intervalMs: count(1).default(30_000).describe('How often to check the service for changes, in milliseconds.'),
  write: z.boolean().default(false).describe("Also write the service's changes into the files."),
})

const pruneSchema = z.strictObject({
  keep: z
    .array(text())
    .default([])
    .describe('Keys to keep even if no code refers to them; globs such as `errors.*` or `namespace:errors.*`.'),
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
        'are strings in the code, and `ignore` keeps nothing.',
    ),
  ignoreIn: z
    .array(text())
    .default([])
    .describe(
      'Files whose calls with unknown keys keep nothing, such as your own translation runtime: globs that match the ' +
        'path from the root, or its end.',
    ),
  perChunk: z
    .boolean()
    .default(false)
    .describe(
      'Fetch keys used only by lazily imported code along with that code. Applies to Vite, Rollup, Rolldown, ' +
        'webpack, Rspack and Rsbuild; elsewhere, same as `prune: true`.',
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
        'unless a glob begins with their names.',
    ),
  literalsIn: z
    .array(text())
    .default([])
    .describe(
      'Files of any type that name keys, such as templates or server code: globs as in `files`. Strings ' +
        'in quotes, values after `=` or `:`, text between tags, and words in braces count as used.',
    ),
  functions: z
    .array(text())
    .default([])
    .describe('Like `prune.functions`, for projects that do not prune. Both lists apply.'),
  plurals: z.enum(['keys', 'messages']).optional().meta({
    description: "How `extract` writes plurals: as `'keys'` (`item_one`, `item_other`) or in `'messages'` (as in ICU).",
    defaultText: "as the call's library does",
  }),
})

const refreshSchema = z.strictObject({
  intervalMs: count(1000).default(60_000).describe('The time between two requests for new texts, in milliseconds.'),
  onVisible: z.boolean().default(true).describe('Also check when a hidden page becomes visible.'),
})

const declarationFile = () => text().regex(/\.ts$/, 'the name must end in .ts (localization.d.ts)')

const typesSchema = z.strictObject({
  file: declarationFile().default('localization.d.ts').describe('The file name.'),
  i18next: z
    .union([z.boolean(), z.literal('selector')])
    .default(false)
    .describe(
      "Also type i18next's `t` (`CustomTypeOptions`), in a file next to this one. `'selector'`: for selectors, " +
        '`t($ => $.basket.open)`.',
    ),
  vueI18n: z
    .boolean()
    .default(false)
    .describe("Also type vue-i18n's messages (`DefineLocaleMessage`), in a file next to this one."),
})

const coverageSchema = z.strictObject({
  minimum: z
    .record(text(), z.number().min(0).max(1))
    .default({})
    .describe(
      'The minimum share of translated keys per language, from 0 to 1: `{ pl: 0.95 }`. A minimum for the ' +
        'default language finds keys that only other languages have.',
    ),
  onMissing: z
    .enum(['warn', 'error', 'ignore'])
    .default('warn')
    .describe('How to report a language below its minimum.'),
})

const filePattern = z.union([
  checked(checkPattern),
  z
    .strictObject({
      pattern: checked(checkPattern).describe('A pattern, as in `files`.'),
      root: text().describe(
        'The object in each file that contains the texts, such as `{language}` in Rails files. Separate ' +
          'nested names with dots.',
      ),
    })
    .check(by(checkRoot)),
])

/** All options in `localization.config.*` and in the plugin. */
export const optionsSchema = z.strictObject({
  service: serviceSchema.prefault({}).describe('The service and how to call it.'),
  source: z
    .enum(SOURCE_NAMES)
    .optional()
    .meta({
      description:
        'Where a build gets its texts: from the export, the published files, the query endpoint, or only local ' +
        'files.',
      defaultText: "`'export'` if there is an API key or the local service, else `'files'`",
    }),
  environment: text()
    .regex(/^[^/\\?#\s]+$/, 'an environment key must not contain "/", a space, "?" or "#"')
    .default('_production')
    .describe("The environment for source `'hosting'`."),
  files: z
    .union([...filePattern.options, z.array(filePattern).min(1)])
    .default('locales/{language}/{namespace}.json')
    .describe(
      'One or more patterns, relative to the root, with `{language}` and optionally `{namespace}` and ' +
        '`{customer}`. Use `{ pattern, root }` if an object in each file contains the texts. The extension ' +
        'determines the format: `.json`, `.jsonc`, `.json5`, `.yaml` or `.yml`.',
    ),
  languages: z
    .array(text())
    .min(1)
    .optional()
    .meta({
      description:
        "Use only these languages, in the app's spelling; globs such as `pt-*` work. List a language here if its " +
        "name does not look like a language tag: `['*', 'klingon']`.",
      defaultText: 'all',
    }),
  namespaces: z
    .array(text())
    .min(1)
    .optional()
    .meta({ description: 'Use only these namespaces; globs such as `views/*` work.', defaultText: 'all' }),
  languageMap: z
    .record(text(), text())
    .check(by(checkLanguageMap))
    .default({})
    .describe(
      "The app's codes for languages that have other names on the service and in file names: `{ pt_BR: 'pt-BR' }`.",
    ),
  defaultLanguage: text().optional().meta({
    description: 'The last language of every fallback chain.',
    defaultText: "the source's default language, else `en`, else the first language",
  }),
  fallback: z
    .union([z.literal(false), z.record(text(), z.array(text())).check(by(checkFallback))])
    .default({})
    .describe(
      "Languages that fill in missing texts: `{ 'de-CH': ['de', 'fr'] }`. A language without an entry takes " +
        'texts from its parents in CLDR (`es-MX`: `es-419`, `es`). Each chain ends with the default language. ' +
        '`false`: no fallback.',
    ),
  defaultNamespace: text()
    .default('default')
    .describe('The app\'s name for the service\'s namespace `""`, and for files without `{namespace}`.'),
  namespacePrefix: z
    .boolean()
    .default(true)
    .describe(
      'Begin vue-i18n keys and react-intl IDs with the namespace: `common.title`. `false`: `title`, for ' +
        'projects with one namespace.',
    ),
  customer: text().optional().describe('The customer whose texts override the general texts everywhere.'),
  customers: z.array(text()).default([]).describe('The customers whose texts can be imported with `?customer=`.'),
  shape: z.enum(['flat', 'nested']).default('flat').describe('The shape of the messages in the virtual modules.'),
  keySeparator: z
    .union([z.literal(false), checked(checkKeySeparator)])
    .default('.')
    .describe(
      'The separator that joins nested names into one key. `false`: names are not joined or split, and ' +
        'may contain dots or be empty.',
    ),
  pluralSeparator: text()
    .default('_')
    .describe("The separator before a plural category in keys (`item_one`), for checks. Use i18next's value."),
  values: z
    .enum(['keep', 'error'])
    .default('keep')
    .describe(
      'Arrays, numbers, booleans and null in files: `keep` passes them to the page; `error` makes the build fail.',
    ),
  emptyTexts: z
    .enum(['gap', 'keep'])
    .default('gap')
    .describe("How to treat an empty text in a file: `gap` shows a fallback language's text; `keep` shows nothing."),
  compile: z
    .union([z.literal(false), z.enum(['icu'])])
    .default(false)
    .describe("`'icu'` compiles messages during the build, so that react-intl needs no parser in the page."),
  reviewed: z.boolean().default(false).describe("Use only texts with review status `REVIEWED` (source `'query'`)."),
  onServiceError: z.enum(['fail', 'snapshot', 'files']).optional().meta({
    description: 'How to handle a failing service: fail, use the last good snapshot, or use the local files.',
    defaultText: "build: `'fail'`; dev: `'snapshot'`, then `'files'`",
  }),
  coverage: coverageSchema.prefault({}).describe('The required completeness of languages.'),
  push: z.union([z.boolean(), pushSchema]).optional().meta({
    description: 'Dev only: send edited texts to the service. Always off in CI.',
    defaultText: '`true` if there is an API key and a `baseUrl`',
  }),
  pull: z.union([z.boolean(), pullSchema]).default(false).describe("Dev only: show the service's changes in the page."),
  prune: z.union([z.boolean(), pruneSchema]).default(false).describe('Leave out keys that the code does not use.'),
  preload: z
    .union([z.boolean(), z.array(text())])
    .default(false)
    .describe(
      "Preload the default language's texts in Vite's pages: `true` for the default namespace, or a list " +
        'of namespaces.',
    ),
  delivery: z
    .enum(['build', 'live'])
    .default('build')
    .describe("`'live'`: `localization release` can put new texts into a finished build. See docs/live.md."),
  refresh: z
    .union([z.boolean(), refreshSchema])
    .default(false)
    .describe("If `delivery` is `'live'`: open pages look for new texts and show them without a reload."),
  library: z
    .boolean()
    .optional()
    .meta({
      description:
        'Set this if another bundler will process the output, as for a published package: `load()` then imports ' +
        'texts as modules. Applies to Rollup, Rolldown and esbuild.',
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
    .describe("The code of a pseudo-language generated from the default language, such as `'en-XA'`."),
  inspector: z
    .union([z.boolean(), z.literal('network')])
    .default(true)
    .describe(
      "Dev only: serve the inspector at `/__localization/`. `'network'`: other machines can open it too, and " +
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
    .describe('The file for type declarations of your keys, such as `localization.d.ts`. `false`: none.'),
})

/** The options with all defaults. `resolve.ts` turns them into a `ResolvedConfig`. */
export type ParsedOptions = z.output<typeof optionsSchema>

/** Options whose values never appear in messages, not even in part. */
export const SECRET_OPTIONS: readonly string[] = ['service.apiKey', 'service.personalToken', 'service.headers']
