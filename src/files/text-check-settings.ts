/** The settings of the app that checks of texts need. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TextCheckOptions } from '../catalog/check-texts.ts'
import {
  i18nextSyntax,
  icuSyntax,
  type LibrarySyntax,
  type MessageCompiler,
  vueI18nSyntax,
} from '../catalog/library-syntax.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { walkFiles } from '../shared/walk.ts'

export type TextCheckSettings = Pick<
  TextCheckOptions,
  'pluralSeparator' | 'hasPipes' | 'hasPluralRules' | 'fallback' | 'library'
>

type Config = Pick<ResolvedConfig, 'root' | 'types' | 'pluralSeparator' | 'fallback'>

export async function textCheckSettings(config: Config): Promise<TextCheckSettings> {
  const { pluralSeparator, fallback, root } = config
  const library = await libraryOf(config)
  const syntax = library && syntaxOf(library, root)
  return {
    pluralSeparator,
    fallback,
    hasPipes: library === 'vue-i18n',
    ...(syntax && { library: syntax }),
    hasPluralRules: library === 'vue-i18n' && (await namesPluralRules(root)),
  }
}

/** By package. Libraries of one name read texts alike. */
const LIBRARIES = {
  'vue-i18n': ['vue-i18n', 'vue-i18n-bridge', '@nuxtjs/i18n', '@intlify/unplugin-vue-i18n', 'petite-vue-i18n'],
  i18next: ['i18next'],
  'react-intl': ['react-intl', '@formatjs/intl'],
  'svelte-i18n': ['svelte-i18n'],
  'next-intl': ['next-intl'],
} as const
type Library = keyof typeof LIBRARIES | 'i18next-icu'

/** `undefined`: the app has several, or none that is known; a text may then have any syntax. */
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

function syntaxOf(library: Library, root: string): LibrarySyntax | undefined {
  switch (library) {
    case 'vue-i18n': {
      const compiler = vueCompiler(root)
      return compiler && vueI18nSyntax(compiler)
    }
    case 'i18next':
      return i18nextSyntax
    case 'react-intl':
      return icuSyntax(true)
    case 'i18next-icu':
    case 'svelte-i18n':
      return icuSyntax(false)
    case 'next-intl':
      return undefined
  }
}

/** How the packages lead to the compiler; a package manager may hide what the app itself does not name. */
const COMPILER_PATHS = [
  ['vue-i18n', '@intlify/core-base'],
  ['@nuxtjs/i18n', 'vue-i18n', '@intlify/core-base'],
  ['petite-vue-i18n', '@intlify/core-base'],
  [],
]

/** The compiler of the app's vue-i18n; vue-i18n 8 has none. */
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
/** By root: the dev server asks for each answer of the inspector. */
const pluralRulesKnown = new Map<string, Promise<boolean>>()

/** Whether a module of the app names vue-i18n's option for plurals that its own rule does not have. */
function namesPluralRules(root: string): Promise<boolean> {
  const known = pluralRulesKnown.get(root) ?? findPluralRules(root)
  pluralRulesKnown.set(root, known)
  return known
}

async function findPluralRules(root: string): Promise<boolean> {
  for await (const path of walkFiles(root, { skipped: SKIPPED, ignoresUnreadable: true })) {
    if (!/\.(?:vue|[cm]?[jt]sx?)$/.test(path)) continue
    const source = await readFile(join(root, path), 'utf8').catch(() => '')
    if (/\b(?:pluralRules|pluralizationRules)\b/.test(source)) return true
  }
  return false
}
