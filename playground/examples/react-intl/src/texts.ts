import * as translations from 'virtual:translations'
import { createIntlStore, type IntlStore } from 'unplugin-localization/react-intl'

/** A store of its own: a server makes one per request. */
export async function createTexts(language: string): Promise<IntlStore> {
  const texts = createIntlStore(translations, { namespaces: ['common'] })
  await texts.setLanguage(language)
  return texts
}
