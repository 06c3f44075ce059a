import * as translations from 'virtual:translations'
import { createInstance, type i18n } from 'i18next'
import { createBackend } from 'unplugin-localization/i18next'

/** An instance of its own: a server makes one per request. */
export async function createI18n(language: string): Promise<i18n> {
  const instance = createInstance()
  await instance.use(createBackend(translations)).init({
    lng: language,
    fallbackLng: false, // fallbacks are already in the messages
    ns: ['common'],
    defaultNS: 'common',
    interpolation: { escapeValue: false }, // React escapes
  })
  return instance
}
