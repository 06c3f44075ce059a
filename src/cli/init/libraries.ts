/** The libraries and frameworks that `init` recognizes by their packages, and what each of them means for the app. */

/** The way in which the code names texts. */
export interface Naming {
  /** The namespaces of the default language. */
  readonly namespaces: readonly string[]
  /** The namespace in which i18next looks for a key without a namespace. */
  readonly defaultNamespace: string | undefined
  /** True if the code names keys without their namespaces, in a library that has no namespaces. */
  readonly isBare: boolean
}

interface LibraryInfo {
  readonly title: string
  /** The packages of the library. One of them is enough. */
  readonly packages: readonly string[]
  /** The page of the package's docs. */
  readonly page: string
  /**
   * The kind of library: with one set of messages for each language, or with i18next's namespaces. Default: the page
   * tells.
   */
  readonly namespaces?: 'none' | 'i18next'
  /** The lines that give the library its texts. Empty: the page has them. No top-level `await`: old targets lack it. */
  readonly lines: (language: string, naming: Naming) => readonly string[]
}

const TRANSLATIONS = `import * as translations from 'virtual:translations'`
const none = () => []
const quote = (name: string) => `'${JSON.stringify(name).slice(1, -1).replaceAll("'", "\\'")}'`

/** For libraries without namespaces: all namespaces are used, with keys as in the code. */
const idOption = ({ isBare, namespaces }: Naming) =>
  isBare && namespaces.length > 1 ? ', { id: (_namespace, key) => key }' : ''

/** The libraries. The first match counts, because packages of later ones may be parts of it. */
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
      `  lng: ${quote(language)}, fallbackLng: false, ns: [${namespaces.map(quote).join(', ')}],${defaultNamespace === undefined ? '' : ` defaultNS: ${quote(defaultNamespace)},`}`,
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
      `loader.setLanguage(${quote(language)}).then(() => {`,
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
      `texts.setLanguage(${quote(language)}).then(() => {`,
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
  /** Its server renders pages: the page frameworks.md of the docs has the code that shows a text. */
  readonly rendersOnServer: boolean
  /** The configuration that takes the plugin, and the names around `plugins` there. Default: that of the bundler. */
  readonly config?: { readonly name: string; readonly within: readonly string[]; readonly options?: string }
}

/** The frameworks. The first match counts, because most frameworks include React, Vue or Svelte. */
export const FRAMEWORKS = {
  next: { title: 'Next.js', packages: ['next'], rendersOnServer: true },
  nuxt: {
    title: 'Nuxt',
    packages: ['nuxt'],
    rendersOnServer: true,
    // Nuxt gives the folder `app` to Vite.
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
