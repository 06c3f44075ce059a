/** For glue that observes keys itself: reading messages to copy them does not count as use. */
import type { TranslationsModule } from '../output/glue/translations.ts'
import { OBSERVER, type Observer } from './observer.ts'

/** The page's observer, which the module `virtual:translations` makes. */
export function observerOf(): Observer | undefined {
  return (globalThis as { readonly [OBSERVER]?: Observer })[OBSERVER]
}

/** The module with messages that nobody observes. */
export function plainTranslations<Text, Language extends string, Namespace extends string>(
  translations: TranslationsModule<Text, Language, Namespace>,
): TranslationsModule<Text, Language, Namespace> {
  const plain = <T extends object>(messages: T): T => observerOf()?.plainMessages(messages) ?? messages
  return {
    ...translations,
    load: async (language, namespace) => plain(await translations.load(language, namespace)),
    onUpdate: (listener) =>
      translations.onUpdate((update) =>
        listener(update.type === 'messages' ? { ...update, messages: plain(update.messages) } : update),
      ),
  }
}
