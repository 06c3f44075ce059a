/** The glue for i18next that observes keys: i18next copies messages, so the glue observes reads of i18next's store. */
import type { BackendModule, NewableModule } from 'i18next'
import * as plain from '../i18next.ts'
import { observerOf, plainTranslations } from './translations.ts'

/** i18next's store; its types leave out the options. */
interface Store {
  readonly options: { readonly keySeparator?: string | false }
  getResource(language: string, namespace: string, key?: string | string[], options?: Store['options']): unknown
}

const observed = new WeakSet<Store>()

export function createBackend(translations: plain.TranslationsModule): NewableModule<BackendModule> {
  const Backend = plain.createBackend(plainTranslations(translations)) as new () => BackendModule
  return class extends Backend {
    static readonly type = 'backend'

    override init(...given: Parameters<BackendModule['init']>): void {
      observeStore(given[0].resourceStore as unknown as Store)
      super.init(...given)
    }
  } as NewableModule<BackendModule>
}

/** Instances that are clones share a store. */
function observeStore(store: Store): void {
  if (observed.has(store)) return
  observed.add(store)
  const read = store.getResource.bind(store)
  store.getResource = (language, namespace, key, options = {}) => {
    const value = read(language, namespace, key, options)
    const observer = observerOf()
    if (!observer || !namespace || !key) return value
    const { keySeparator = store.options.keySeparator } = options
    const name = [key].flat().flatMap((part) => (keySeparator ? part.split(keySeparator) : part))
    const full = name.join(observer.keySeparator)
    if (value === undefined) observer.missed(namespace, full)
    // For a branch, i18next reads each text.
    else if (typeof value !== 'object' || Array.isArray(value)) observer.found(namespace, full)
    return value
  }
}
