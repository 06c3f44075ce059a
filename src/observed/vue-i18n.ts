/** The glue for vue-i18n that observes keys: vue-i18n reads the tree of messages that the glue passes. */
import { createNaming, eachValue, type LoadedMessages } from '../output/glue/translations.ts'
import * as plain from '../vue-i18n.ts'
import { observerOf, plainTranslations } from './translations.ts'

type Tree = Parameters<plain.VueI18nInstance['global']['setLocaleMessage']>[1]
type Place = readonly [namespace: string, key: string]

export function createLanguageLoader<Language extends string, Namespace extends string>(
  i18n: plain.VueI18nInstance,
  given: plain.TranslationsModule<string, Language, Namespace>,
  options?: plain.LanguageStoreOptions<NoInfer<Namespace>>,
): plain.LanguageLoader<Language, Namespace> {
  const translations = plainTranslations(given)
  const nameOf = createNaming(translations)
  /** What each path of the tree stands for. */
  const places = new Map<string, Place>()
  const add = (namespace: string, messages: LoadedMessages) =>
    eachValue(messages, (key) => places.set(nameOf(namespace, key), [namespace, key]))
  const { global } = i18n
  const setLocaleMessage = global.setLocaleMessage.bind(global)
  global.setLocaleMessage = (locale, tree) => setLocaleMessage(locale, observeTree(tree, places))
  // Runs before the loader's own listener, which makes a tree of the messages.
  translations.onUpdate((update) => {
    if (update.type === 'messages') add(update.namespace, update.messages)
  })
  const load = async (language: Language, namespace?: Namespace) => {
    const messages = await translations.load(language, namespace)
    if (namespace !== undefined) add(namespace, messages)
    return messages
  }
  return plain.createLanguageLoader(i18n, { ...translations, load }, options)
}

function observeTree(tree: Tree, places: ReadonlyMap<string, Place>, prefix = ''): Tree {
  const branches = new Map<string, Tree>()
  return new Proxy(tree, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof name !== 'string' || !Object.hasOwn(target, name)) return value
      const place = places.get(prefix + name)
      if (place) observerOf()?.found(...place)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const branch = branches.get(name) ?? observeTree(value as Tree, places, `${prefix}${name}.`)
      branches.set(name, branch)
      return branch
    },
  })
}
