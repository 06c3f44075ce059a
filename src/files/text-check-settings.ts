/** The app's settings that affect how texts are checked. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { I18nextSettings, LibrarySyntax, MessageCompiler } from '../catalog/library-syntax.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { walkFiles } from '../shared/walk.ts'

type Config = Pick<ResolvedConfig, 'root' | 'types' | 'pluralSeparator' | 'fallback'>

export async function textCheckSettings(config: Config) {
  const { pluralSeparator, fallback, root } = config
  const library = await libraryOf(config)
  const settings = library && SET_IN_CODE.has(library) ? await appSettings(root) : undefined
  const syntax = library && (await syntaxOf(library, root, settings))
  return {
    pluralSeparator,
    fallback,
    hasPluralKeys: library !== 'i18next-icu',
    hasPipes: library === 'vue-i18n',
    ...(syntax && { library: syntax }),
    hasPluralRules: library === 'vue-i18n' && settings?.hasPluralRules === true,
  }
}

/** The packages of each library. Packages of the same library read texts in the same way. */
const LIBRARIES = {
  'vue-i18n': ['vue-i18n', 'vue-i18n-bridge', '@nuxtjs/i18n', '@intlify/unplugin-vue-i18n', 'petite-vue-i18n'],
  i18next: ['i18next'],
  'react-intl': ['react-intl', '@formatjs/intl'],
  'svelte-i18n': ['svelte-i18n'],
  'next-intl': ['next-intl', 'use-intl'],
} as const
type Library = keyof typeof LIBRARIES | 'i18next-icu'

/** The libraries whose options affect how they read texts. The app's sources are read only for these. */
const SET_IN_CODE: ReadonlySet<Library> = new Set(['vue-i18n', 'i18next', 'next-intl'])

/** The app's library; `undefined` if the app has none or several, because a text may then have any syntax. */
async function libraryOf({ root, types }: Config): Promise<Library | undefined> {
  if (types !== false && types.vueI18n) return 'vue-i18n'
  try {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const has = (name: string) => Object.hasOwn({ ...dependencies, ...devDependencies }, name)
    const names = Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[]
    const [found, ...others] = names.filter((name) => LIBRARIES[name].some(has))
    if (others.length > 0) return undefined
    return found === 'i18next' && has('i18next-icu') ? 'i18next-icu' : found
  } catch {
    return undefined
  }
}

async function syntaxOf(
  library: Library,
  root: string,
  settings?: Awaited<ReturnType<typeof readAppSettings>>,
): Promise<LibrarySyntax | undefined> {
  // Imported on demand: the module contains an ICU parser, which a build without a library does not need.
  const { i18nextSyntax, icuSyntax, vueI18nSyntax } = await import('../catalog/library-syntax.ts')
  switch (library) {
    case 'vue-i18n': {
      const compiler = vueCompiler(root)
      return compiler && vueI18nSyntax(compiler, settings?.hasModifiers)
    }
    case 'i18next':
      return i18nextSyntax(settings?.i18next)
    case 'react-intl':
      return icuSyntax(true)
    case 'i18next-icu':
    case 'svelte-i18n':
      return icuSyntax(false)
    case 'next-intl':
      return settings?.hasRawTexts ? undefined : icuSyntax(true)
  }
}

/**
 * The packages through which to resolve the compiler: a package manager may hide indirect dependencies from the app.
 */
const COMPILER_PATHS = [
  ['vue-i18n', '@intlify/core-base'],
  ['@nuxtjs/i18n', 'vue-i18n', '@intlify/core-base'],
  ['petite-vue-i18n', '@intlify/core-base'],
  [],
]

/** The message compiler of the app's vue-i18n; `undefined` if there is none, as in vue-i18n 8. */
function vueCompiler(root: string): MessageCompiler | undefined {
  for (const path of COMPILER_PATHS)
    try {
      let from = join(root, 'package.json')
      for (const name of path) from = createRequire(from).resolve(name)
      const compiler = createRequire(from)('@intlify/message-compiler')
      if (typeof compiler.createParser === 'function') return compiler
    } catch {}
  return undefined
}

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'public'])

/** The settings by root. They are cached, because every response of the inspector needs them. */
const appSettingsKnown = new Map<string, ReturnType<typeof readAppSettings>>()

function appSettings(root: string) {
  const known = appSettingsKnown.get(root) ?? readAppSettings(root)
  appSettingsKnown.set(root, known)
  return known
}

/** Reads the library's settings in the app's sources. */
async function readAppSettings(root: string) {
  const found = {
    /** True if a module mentions vue-i18n's option for custom plural rules. */
    hasPluralRules: false,
    /** True if a module may define modifiers for links. */
    hasModifiers: false,
    /** True if a module shows unformatted texts, as next-intl's `t.raw(key)` does. */
    hasRawTexts: false,
  }
  const i18next = new I18nextOptions()
  for await (const path of walkFiles(root, SKIPPED)) {
    if (!/\.(?:vue|svelte|[cm]?[jt]sx?)$/.test(path)) continue
    const source = await readFile(join(root, path), 'utf8').catch(() => '')
    found.hasPluralRules ||= /\b(?:pluralRules|pluralizationRules)\b/.test(source)
    found.hasModifiers ||= /\bmodifiers\b/.test(source)
    found.hasRawTexts ||= /\.raw\(/.test(source)
    if (/i18next|\binterpolation\b/.test(source)) i18next.read(source)
  }
  return { ...found, i18next: i18next.settings() }
}

/**
 * The i18next options in the sources. An option whose value is not a literal, or that has several values, is unknown.
 */
class I18nextOptions {
  readonly #values = new Map<string, Set<string | false>>()

  read(source: string) {
    const names = ['nestingPrefix', 'nestingSuffix', 'keySeparator', 'nsSeparator']
    // These names are common, so they are read only in sources that mention `interpolation`.
    if (/\binterpolation\b/.test(source)) names.push('prefix', 'suffix')
    for (const name of names) {
      const values = this.#values.get(name) ?? new Set()
      this.#values.set(name, values)
      const literal = `'([^'\\\\\\n]*)'|"([^"\\\\\\n]*)"|false\\b`
      const property = new RegExp(`(?<![\\w$.])(['"]?)${name}(?:Escaped)?\\1\\s*(?=[:=,}])(:\\s*(?:${literal}))?`, 'g')
      for (const [, , value, single, double] of source.matchAll(property))
        if (!value?.endsWith('false') || single !== undefined || double !== undefined)
          values.add(single ?? double ?? false)
    }
  }

  settings(): I18nextSettings {
    const single = (name: string) => {
      const [value, ...others] = this.#values.get(name) ?? []
      return others.length > 0 ? false : value
    }
    const separators = ['keySeparator', 'nsSeparator'].flatMap((name) => [...(this.#values.get(name) ?? [])])
    return {
      prefix: single('prefix'),
      suffix: single('suffix'),
      nestingPrefix: single('nestingPrefix'),
      nestingSuffix: single('nestingSuffix'),
      separators: separators.includes(false) ? false : separators.map(String),
    }
  }
}
