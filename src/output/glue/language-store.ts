/**
 * A store for libraries that have one set of messages per language. It fetches the namespaces in use and keeps them up
 * to date.
 */
import type { TranslationUpdate } from '../runtime/types.ts'
import { followUpdates, type LoadedMessages, type TranslationsModule } from './translations.ts'

export interface LanguageStoreOptions<Namespace extends string = string> {
  /** The namespaces to fetch with every language. Default: all of the project's namespaces. */
  readonly namespaces?: readonly Namespace[]
}

export type Texts<T = string> = ReadonlyMap<string, LoadedMessages<T>>

export interface LanguageStore<Namespace extends string = string> {
  /**
   * Fetches a language's missing namespaces and shows the language. Resolves to `false` if another language was chosen
   * in the meantime.
   */
  choose(language: string): Promise<boolean>
  /** Fetches namespaces for the chosen language. Languages that are chosen later get these namespaces too. */
  loadNamespaces(...namespaces: Namespace[]): Promise<void>
}

type Show<T, Text> = (target: T, language: string, texts: Texts<Text>, isChosen: boolean) => void

/**
 * Creates a store. `show` is called after every change to a language's texts. No function in the scope of `show` may
 * refer to `target`, because a scope keeps everything alive that any of its functions uses.
 */
export function createLanguageStore<T extends object, Text>(
  translations: TranslationsModule<Text>,
  options: LanguageStoreOptions,
  target: T,
  show: Show<T, Text>,
): LanguageStore {
  const fetched = createFetched(translations, options)
  followUpdates<T, Text>(translations, target, createFollower(fetched, show))
  let turn = 0
  return {
    async choose(language) {
      const own = ++turn
      await fetched.complete(language)
      if (own !== turn) return false
      fetched.chosen = language
      show(target, language, fetched.of(language), true)
      return true
    },
    async loadNamespaces(...namespaces) {
      for (let language: string | undefined; language !== fetched.chosen; ) {
        language = fetched.chosen as string
        await fetched.complete(language, namespaces)
      }
      for (const namespace of namespaces) fetched.added.add(namespace)
      if (fetched.chosen !== undefined) show(target, fetched.chosen, fetched.of(fetched.chosen), true)
    },
  }
}

interface Fetched<Text> {
  chosen: string | undefined
  readonly added: Set<string>
  of(language: string): Map<string, LoadedMessages<Text>>
  /** Fetches the namespaces in use until none is missing. Resolves to true if it fetched any. */
  complete(language: string, namespaces?: readonly string[]): Promise<boolean>
}

function createFetched<Text>(translations: TranslationsModule<Text>, options: LanguageStoreOptions): Fetched<Text> {
  const byLanguage = new Map<string, Map<string, LoadedMessages<Text>>>()
  const added = new Set<string>()
  const of = (language: string): Map<string, LoadedMessages<Text>> => {
    const texts = byLanguage.get(language) ?? new Map<string, LoadedMessages<Text>>()
    byLanguage.set(language, texts)
    return texts
  }
  const missing = (language: string, namespaces: readonly string[]): string[] => {
    const inUse = new Set([...(options.namespaces ?? translations.namespaces), ...added, ...namespaces])
    return [...inUse].filter((namespace) => !of(language).has(namespace))
  }
  return {
    chosen: undefined,
    added,
    of,
    async complete(language, namespaces = []) {
      let any = false
      for (let names = missing(language, namespaces); names.length > 0; names = missing(language, namespaces)) {
        const messages = await Promise.all(names.map((name) => translations.load(language, name)))
        names.forEach((name, i) => {
          of(language).set(name, messages[i] as LoadedMessages<Text>)
        })
        any = true
      }
      return any
    },
  }
}

function createFollower<T, Text>(
  fetched: Fetched<Text>,
  show: Show<T, Text>,
): (target: T, update: TranslationUpdate<Text>) => void {
  return (target, update) => {
    if (update.type === 'messages') {
      const { language, namespace, customer, messages } = update
      const texts = fetched.of(language)
      if (customer !== undefined || !texts.has(namespace)) return
      texts.set(namespace, messages)
      show(target, language, texts, language === fetched.chosen)
    } else if (fetched.chosen !== undefined) {
      const language = fetched.chosen
      // If this fetch fails, the next call that needs the namespaces fetches them again and reports the error.
      fetched.complete(language).then(
        (any) => any && show(target, language, fetched.of(language), language === fetched.chosen),
        () => {},
      )
    }
  }
}
