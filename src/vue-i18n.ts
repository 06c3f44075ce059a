/** Lazy messages for vue-i18n: `createLanguageLoader(i18n, translations).setLanguage('en')`. */
import {
  createLanguageStore,
  type LanguageStore,
  type LanguageStoreOptions,
  type Texts,
} from './output/glue/language-store.ts'
import {
  createNaming,
  eachValue,
  hasOwn,
  type LoadedValue,
  setOwn,
  type TranslationsModule,
} from './output/glue/translations.ts'

export type { LanguageStoreOptions } from './output/glue/language-store.ts'
export type { TranslationsModule } from './output/glue/translations.ts'

/** The result of `createI18n()`, with the composition API (`legacy: false`) or the legacy API. */
export interface VueI18nInstance {
  readonly global: {
    locale: string | { value: string }
    setLocaleMessage(locale: string, message: Tree): void
  }
}

export interface LanguageLoader<Language extends string = string, Namespace extends string = string>
  extends Pick<LanguageStore<Namespace>, 'loadNamespaces'> {
  /**
   * Fetches the language's messages that are not loaded yet, then switches the language. If this is called several
   * times, the last call wins. Rejects without switching if a namespace cannot be fetched. Rejects with a `RangeError`
   * if the language or a namespace does not exist.
   */
  setLanguage(language: Language): Promise<void>
}

export interface LanguageLoaderOptions<Namespace extends string = string> extends LanguageStoreOptions<Namespace> {
  /**
   * Returns a key for vue-i18n. Default: `namespace.key`, or `key` if the plugin's option `namespacePrefix` is false.
   * If two namespaces produce the same key, the later namespace's text is used.
   */
  readonly id?: (namespace: string, key: string) => string
}

/** vue-i18n's messages: nested objects of texts, arrays and other values. */
interface Tree {
  [key: string]: LoadedValue | Tree
}

/**
 * Passes a language's messages to vue-i18n when the language is selected, and applies a dev server's updates. The
 * messages are a tree with a branch per namespace: `t('common.title')`. If the plugin's option `namespacePrefix` is
 * false, the tree has the messages of the only namespace: `t('title')`. The messages already include fallbacks.
 *
 * @param translations the module `virtual:translations`
 * @example
 * import * as translations from 'virtual:translations'
 * const loader = createLanguageLoader(i18n, translations, { namespaces: ['common'] })
 * loader.setLanguage('en').then(() => app.mount('#app'))
 */
export function createLanguageLoader<Language extends string, Namespace extends string>(
  i18n: VueI18nInstance,
  translations: TranslationsModule<string, Language, Namespace>,
  options: LanguageLoaderOptions<NoInfer<Namespace>> = {},
): LanguageLoader<Language, Namespace> {
  const { global } = i18n
  const store = createLanguageStore(translations, options, global, createShow(options.id ?? createNaming(translations)))
  return {
    loadNamespaces: store.loadNamespaces,
    async setLanguage(language) {
      if (!(await store.choose(language))) return
      if (typeof global.locale === 'string') global.locale = language
      else global.locale.value = language
    },
  }
}

type Naming = ReturnType<typeof createNaming>

function createShow(nameOf: Naming) {
  return (global: VueI18nInstance['global'], language: string, texts: Texts): void =>
    global.setLocaleMessage(language, toTree(texts, nameOf))
}

/** Matches segments that are valid in vue-i18n's paths. */
const SEGMENT = /^[^\s[\]'"]+$/

function toTree(texts: Texts, nameOf: Naming): Tree {
  const tree: Tree = {}
  for (const [namespace, messages] of texts)
    eachValue(messages, (key, value) => put(tree, nameOf(namespace, key), value))
  return tree
}

/** Adds a value at a path. A key that no path can reach stays whole at the top level, where vue-i18n looks last. */
function put(tree: Tree, path: string, value: LoadedValue): void {
  const segments = path.split('.')
  const last = segments.pop() as string
  let node: Tree | undefined = [...segments, last].every((segment) => SEGMENT.test(segment)) ? tree : undefined
  for (const segment of segments) {
    if (node && !hasOwn(node, segment)) setOwn(node, segment, {})
    const next: LoadedValue | Tree | undefined = node?.[segment]
    node = isTree(next) ? next : undefined
  }
  setOwn(node ?? tree, node ? last : path, value)
}

function isTree(value: LoadedValue | Tree | undefined): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
