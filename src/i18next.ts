/** A backend for i18next: `i18next.use(createBackend(translations))`. */
import type { BackendModule, InitOptions, NewableModule, ReadCallback, Services } from 'i18next'
import { withPluralForms } from './output/glue/plural-forms.ts'
import { followUpdates, hasOwn, type TranslationsModule } from './output/glue/translations.ts'
import type { TranslationUpdate } from './output/runtime/types.ts'

export type { TranslationsModule } from './output/glue/translations.ts'

/** Methods of i18next's store that are missing in its types. */
interface Store {
  getResourceBundle(language: string, namespace: string): object | undefined
  addResourceBundle(language: string, namespace: string, messages: object, deep: boolean, overwrite: boolean): void
}

type Pair = readonly [language: string, namespace: string]

/**
 * Fetches a namespace's chunk when i18next first needs it, and applies a dev server's updates to i18next's store.
 *
 * A request for a language or namespace that the project does not have fails without a retry, and i18next uses its
 * fallback. If a chunk cannot be fetched, i18next retries. For react-i18next, `react.bindI18nStore` is `'added'` by
 * default, so that components show an edited text immediately. The messages already include fallbacks, so use
 * `fallbackLng: false`.
 *
 * @param translations the module `virtual:translations`
 * @example
 * import * as translations from 'virtual:translations'
 * i18next.use(createBackend(translations)).init({
 *   lng: 'en', fallbackLng: false, ns: ['common'], defaultNS: 'common',
 * })
 */
export function createBackend(translations: TranslationsModule): NewableModule<BackendModule> {
  return class LocalizationBackend implements BackendModule {
    static readonly type = 'backend'
    readonly type = 'backend'
    private store: Store | undefined
    private complete: (language: string, messages: object) => object = (_, messages) => messages
    /** Requested pairs that do not exist, but that may be added while a dev server is running. */
    private readonly refused = new Map<string, Pair>()

    init(services: Services, _backendOptions: object, options: InitOptions): void {
      this.store = services.resourceStore as unknown as Store
      const { languageUtils, pluralResolver } = services
      // If there are fallback languages, i18next looks there for a missing plural form.
      this.complete = (language, messages) =>
        languageUtils.toResolveHierarchy(language).length > 1
          ? messages
          : withPluralForms(
              messages,
              [false, true].map((ordinal) => pluralResolver.getSuffixes(language, { ordinal })),
            )
      // Not a spread, because the bundler would add a helper for it.
      options.react = Object.assign({ bindI18nStore: 'added' }, options.react)
      followUpdates<LocalizationBackend>(translations, this, (backend, update) => backend.follow(update))
    }

    read(language: string, namespace: string, callback: ReadCallback): void {
      translations.load(language, namespace).then(
        (messages) => callback(null, this.complete(language, messages)),
        (error: Error) => {
          const unknown = !translations.has(language, namespace)
          if (unknown) this.refused.set(JSON.stringify([language, namespace]), [language, namespace])
          callback(error, !unknown)
        },
      )
    }

    private follow(update: TranslationUpdate): void {
      if (update.type === 'messages') {
        if (update.customer === undefined) this.put([update.language, update.namespace], update.messages)
        return
      }
      for (const [name, pair] of this.refused) {
        if (!translations.has(...pair)) continue
        this.refused.delete(name)
        this.read(...pair, (error, messages) => {
          if (!error) this.put(pair, messages as object, true)
        })
      }
    }

    private put([language, namespace]: Pair, given: object, isNew = false): void {
      const store = this.store
      const held = store?.getResourceBundle(language, namespace)
      if (!store || (!held && !isNew)) return
      const messages = this.complete(language, given)
      // i18next can only add keys. Removing the whole bundle first would change the order of the namespaces.
      for (const key of Object.keys(held ?? {})) if (!hasOwn(messages, key)) Reflect.deleteProperty(held as object, key)
      store.addResourceBundle(language, namespace, messages, false, true)
    }
  }
}
