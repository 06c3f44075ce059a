/** The i18n libraries and frameworks that `init` recognizes by their packages. */
import { stringLiteral } from '../../output/literal.ts'

/** The names by which the app's code refers to texts. */
export interface Naming {
  readonly namespaces: readonly string[]
  /** For i18next: the namespace of keys that the code uses without a namespace. */
  readonly defaultNamespace: string | undefined
  /** True if the library has no namespaces, and the code uses keys without their namespaces. */
  readonly isBare: boolean
}

interface LibraryInfo {
  readonly title: string
  readonly packages: readonly string[]
  /** The page in docs/. */
  readonly page: string
  /** `none` if each language has a single set of messages. Omitted if `lines` is empty. */
  readonly namespaces?: 'none' | 'i18next'
  /**
   * The code that passes the texts to the library; empty if only the page in docs/ has it. It has no top-level
   * `await`, because old targets do not support that.
   */
  readonly lines: (language: string, naming: Naming) => readonly string[]
}

const TRANSLATIONS = `import * as translations from 'virtual:translations'`
const none = () => []

/** Merges all namespaces for a library that has none. */
const idOption = ({ isBare, namespaces }: Naming) =>
  isBare && namespaces.length > 1 ? ', { id: (_namespace, key) => key }' : ''

/** The first match wins, because it may depend on libraries that are listed later. */
export const LIBRARIES = {
  'next-i18next': { title: 'next-i18next', packages: ['next-i18next'], page: 'next.md', lines: none },
  'next-intl': { title: 'next-intl', packages: ['next-intl'], page: 'migrate-next-intl.md', lines: none },
  paraglide: {
    title: 'Paraglide',
    packages: ['@inlang/paraglide-js', '@inlang/paraglide-sveltekit', '@inlang/paraglide-next'],
    page: 'migrate-paraglide.md',
    lines: none,
  },
  lingui: { title: 'Lingui', packages: ['@lingui/core', '@lingui/react'], page: 'migrate-lingui.md', lines: none },
  i18next: {
    title: 'i18next',
    packages: ['i18next', 'react-i18next'],
    page: 'glue.md#i18next',
    namespaces: 'i18next',
    lines: (language, { namespaces, defaultNamespace }) => [
      `import { createBackend } from 'unplugin-localization/i18next'`,
      TRANSLATIONS,
      'i18next.use(createBackend(translations)).init({',
      '  // Keep the other options that you have, such as separators.',
      `  lng: ${stringLiteral(language)}, fallbackLng: false, ns: [${namespaces.map(stringLiteral).join(', ')}],${defaultNamespace === undefined ? '' : ` defaultNS: ${stringLiteral(defaultNamespace)},`}`,
      '}).then(() => {',
      '  // Render the app here.',
      '})',
    ],
  },
  'vue-i18n': {
    title: 'vue-i18n',
    packages: ['vue-i18n', '@nuxtjs/i18n'],
    page: 'glue.md#vue-i18n',
    namespaces: 'none',
    lines: (language, naming) => [
      `import { createLanguageLoader } from 'unplugin-localization/vue-i18n'`,
      TRANSLATIONS,
      `const loader = createLanguageLoader(i18n, translations${idOption(naming)})`,
      `loader.setLanguage(${stringLiteral(language)}).then(() => {`,
      '  // Mount the app here.',
      '})',
    ],
  },
  'react-intl': {
    title: 'react-intl',
    packages: ['react-intl'],
    page: 'glue.md#react-intl',
    namespaces: 'none',
    lines: (language, naming) => [
      `import { createIntlStore } from 'unplugin-localization/react-intl'`,
      TRANSLATIONS,
      `export const texts = createIntlStore(translations${idOption(naming)})`,
      `texts.setLanguage(${stringLiteral(language)}).then(() => {`,
      '  // Render the app here: texts.getSnapshot() has the props of IntlProvider.',
      '})',
    ],
  },
  'svelte-i18n': { title: 'svelte-i18n', packages: ['svelte-i18n'], page: 'glue.md#no-library', lines: none },
} as const satisfies Readonly<Record<string, LibraryInfo>>

export type LibraryName = keyof typeof LIBRARIES
export const LIBRARY_NAMES = Object.keys(LIBRARIES) as readonly LibraryName[]

interface FrameworkInfo {
  readonly title: string
  readonly packages: readonly string[]
  /** True if a server renders pages. docs/frameworks.md has the code that shows a text there. */
  readonly rendersOnServer: boolean
  /**
   * The configuration that takes the plugin, and the objects around `plugins`. Default: the bundler's configuration.
   */
  readonly config?: { readonly name: string; readonly within: readonly string[]; readonly options?: string }
}

/** The first match wins, because most frameworks depend on React, Vue or Svelte. */
export const FRAMEWORKS = {
  next: { title: 'Next.js', packages: ['next'], rendersOnServer: true },
  nuxt: {
    title: 'Nuxt',
    packages: ['nuxt'],
    rendersOnServer: true,
    // Nuxt passes its `app` folder to Vite as the root.
    config: { name: 'nuxt', within: ['vite'], options: '{ root: import.meta.dirname }' },
  },
  astro: { title: 'Astro', packages: ['astro'], rendersOnServer: true, config: { name: 'astro', within: ['vite'] } },
  sveltekit: { title: 'SvelteKit', packages: ['@sveltejs/kit'], rendersOnServer: true },
  'react-router': { title: 'React Router', packages: ['@react-router/dev'], rendersOnServer: true },
  'tanstack-start': { title: 'TanStack Start', packages: ['@tanstack/react-start'], rendersOnServer: true },
  react: { title: 'React', packages: ['react', 'preact'], rendersOnServer: false },
  vue: { title: 'Vue', packages: ['vue'], rendersOnServer: false },
  svelte: { title: 'Svelte', packages: ['svelte'], rendersOnServer: false },
} as const satisfies Readonly<Record<string, FrameworkInfo>>

export type FrameworkName = keyof typeof FRAMEWORKS
export const FRAMEWORK_NAMES = Object.keys(FRAMEWORKS) as readonly FrameworkName[]

export const frameworkInfo = (name: FrameworkName): FrameworkInfo => FRAMEWORKS[name]
export const libraryInfo = (name: LibraryName): LibraryInfo => LIBRARIES[name]
