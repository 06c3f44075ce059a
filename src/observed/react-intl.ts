/** The glue for react-intl that observes keys: react-intl reads the messages of its provider by their ids. */
import { createNaming } from '../output/glue/translations.ts'
import type { CompiledMessage } from '../output/runtime/types.ts'
import * as plain from '../react-intl.ts'
import { observerOf, plainTranslations } from './translations.ts'

type Messages = plain.IntlTexts['messages']
type Place = readonly [namespace: string, key: string]

export function createIntlStore<Language extends string, Namespace extends string>(
  given: plain.TranslationsModule<string | CompiledMessage, Language, Namespace>,
  options: plain.IntlStoreOptions<NoInfer<Namespace>> = {},
): plain.IntlStore<Language, Namespace> {
  const translations = plainTranslations(given)
  const { id: nameOf = createNaming(translations) } = options
  const places = new Map<string, Place>()
  const id = (namespace: string, key: string) => {
    const name = nameOf(namespace, key)
    places.set(name, [namespace, key])
    return name
  }
  const store = plain.createIntlStore(translations, { ...options, id })
  const snapshots = new WeakMap<plain.IntlTexts, plain.IntlTexts>()
  return {
    ...store,
    getSnapshot() {
      const texts = store.getSnapshot()
      const known = snapshots.get(texts) ?? { ...texts, messages: observeMessages(texts.messages, places) }
      snapshots.set(texts, known)
      return known
    },
  }
}

function observeMessages(messages: Messages, places: ReadonlyMap<string, Place>): Messages {
  return new Proxy(messages, {
    get(target, name) {
      const place = typeof name === 'string' && Object.hasOwn(target, name) ? places.get(name) : undefined
      if (place) observerOf()?.found(...place)
      return Reflect.get(target, name)
    },
  })
}
