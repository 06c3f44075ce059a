/**
 * Lazy messages for react-intl, as an external store: `<IntlProvider {...useSyncExternalStore(store.subscribe, ...)}>`.
 */
import type { IntlConfig } from 'react-intl'
import {
  createLanguageStore,
  type LanguageStore,
  type LanguageStoreOptions,
  type Texts,
} from './output/glue/language-store.ts'
import {
  createNaming,
  eachValue,
  type LoadedMessages,
  type LoadedValue,
  setOwn,
  type TranslationsModule,
} from './output/glue/translations.ts'
import type { CompiledMessage } from './output/runtime/types.ts'

export type { LanguageStoreOptions } from './output/glue/language-store.ts'
export type { TranslationsModule } from './output/glue/translations.ts'

type IntlMessages = NonNullable<IntlConfig['messages']>

/** The props of `IntlProvider`. Each change of a text creates a new object. */
export interface IntlTexts {
  readonly locale: string
  readonly messages: IntlMessages
}

export interface IntlStoreOptions<Namespace extends string = string> extends LanguageStoreOptions<Namespace> {
  /**
   * Returns a message's ID. Default: `namespace.key`, or `key` if the plugin's option `namespacePrefix` is false. If
   * two namespaces produce the same ID, the later namespace's text is used.
   */
  readonly id?: (namespace: string, key: string) => string
  /**
   * FormatJS's `parse`, for texts that are not compiled at build time (`compile: 'icu'`). Texts are then parsed when
   * they are loaded, instead of when they are first shown. A text that is not a valid ICU message stays a string, and
   * react-intl reports it when it is shown.
   */
  readonly parse?: (text: string) => Exclude<IntlMessages[string], string>
}

export interface IntlStore<Language extends string = string, Namespace extends string = string>
  extends Pick<LanguageStore<Namespace>, 'loadNamespaces'> {
  /**
   * Fetches the language's messages that are not loaded yet, then switches the language. If this is called several
   * times, the last call wins. Rejects without switching if a namespace cannot be fetched. Rejects with a `RangeError`
   * if the language or a namespace does not exist.
   */
  setLanguage(language: Language): Promise<void>
  /** For `useSyncExternalStore`: calls the listener after each change. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void
  /**
   * The current props, for `useSyncExternalStore`. Before the first `setLanguage`, they contain the default language
   * and no messages.
   */
  getSnapshot(): IntlTexts
}

/**
 * Holds the current language's messages, and applies a dev server's updates. The messages already include fallbacks.
 *
 * @param translations the module `virtual:translations`
 * @example
 * import * as translations from 'virtual:translations'
 * const texts = createIntlStore(translations, { namespaces: ['common'] })
 * texts.setLanguage('en').then(() => root.render(<App />))
 * // in a component:
 * const props = useSyncExternalStore(texts.subscribe, texts.getSnapshot, texts.getSnapshot)
 * return <IntlProvider {...props}>...</IntlProvider>
 */
export function createIntlStore<Language extends string, Namespace extends string>(
  translations: TranslationsModule<string | CompiledMessage, Language, Namespace>,
  options: IntlStoreOptions<NoInfer<Namespace>> = {},
): IntlStore<Language, Namespace> {
  const shown: Shown = {
    texts: { locale: translations.defaultLanguage, messages: {} },
    listeners: new Set(),
  }
  const store = createLanguageStore(
    translations,
    options,
    shown,
    createShow(options.id ?? createNaming(translations), options.parse),
  )
  return {
    loadNamespaces: store.loadNamespaces,
    async setLanguage(language) {
      await store.choose(language)
    },
    subscribe(listener) {
      shown.listeners.add(listener)
      return () => {
        shown.listeners.delete(listener)
      }
    },
    getSnapshot: () => shown.texts,
  }
}

interface Shown {
  texts: IntlTexts
  readonly listeners: Set<() => void>
}

function createShow(id: NonNullable<IntlStoreOptions['id']>, parse: IntlStoreOptions['parse']) {
  return (shown: Shown, locale: string, texts: Texts<string | CompiledMessage>, isChosen: boolean): void => {
    if (!isChosen) return
    const messages = {}
    let isCompiled = false
    for (const [namespace, ofNamespace] of texts) {
      eachText(ofNamespace, (key, text) => {
        isCompiled ||= typeof text !== 'string'
        setOwn(messages, id(namespace, key), parse && typeof text === 'string' ? parsed(parse, text) : text)
      })
    }
    if (isCompiled) wrapPlainTexts(messages)
    shown.texts = { locale, messages }
    for (const listener of [...shown.listeners]) listener()
  }
}

/**
 * Matches texts without syntax, which the compiler leaves as strings. To show them with values, react-intl would need
 * its parser.
 */
const PLAIN = /^[^<'{}]*$/

/** Replaces each text without syntax with what the parser would return for it. */
function wrapPlainTexts(messages: IntlMessages): void {
  for (const [id, text] of Object.entries(messages))
    if (typeof text === 'string' && PLAIN.test(text)) setOwn(messages, id, [{ type: 0, value: text }])
}

/**
 * Calls a function for each text. An array element's ID ends in its index. Skips numbers, booleans and null, which
 * react-intl does not support.
 */
function eachText(
  messages: LoadedMessages<string | CompiledMessage>,
  visit: (key: string, text: string | CompiledMessage) => void,
  prefix = '',
): void {
  eachValue(
    messages,
    (key, value) => {
      if (typeof value === 'string' || isCompiledMessage(value)) visit(key, value)
      else if (Array.isArray(value)) eachText(Object.fromEntries(value.entries()), visit, `${key}.`)
    },
    prefix,
  )
}

const ICU_TYPES = 9

/** True if the value is a compiled text. An empty array is an ordinary value. */
function isCompiledMessage(value: LoadedValue<string | CompiledMessage>): value is CompiledMessage {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((element) => typeof element?.type === 'number' && element.type < ICU_TYPES)
  )
}

function parsed(parse: NonNullable<IntlStoreOptions['parse']>, text: string): IntlMessages[string] {
  try {
    return parse(text)
  } catch {
    return text
  }
}
