import * as translations from 'virtual:translations'
import { createLanguageLoader } from 'unplugin-localization/vue-i18n'
import { type InjectionKey, inject } from 'vue'
import { createI18n } from 'vue-i18n'

const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const

/** Which of the forms between the bars a number takes: those of the language, in CLDR's order. */
function pluralForm(language: string, count: number): number {
  const rules = new Intl.PluralRules(language)
  const forms = CATEGORIES.filter((category) => rules.resolvedOptions().pluralCategories.includes(category))
  return forms.indexOf(rules.select(count))
}

export type Texts = Awaited<ReturnType<typeof createTexts>>

/** An instance of its own: a server makes one per request. */
export async function createTexts(language: string) {
  const i18n = createI18n({
    legacy: false,
    locale: language,
    fallbackLocale: false, // fallbacks are already in the messages
    pluralRules: Object.fromEntries(
      translations.languages.map(({ key }) => [key, (count: number) => pluralForm(key, count)]),
    ),
  })
  const loader = createLanguageLoader(i18n, translations, { namespaces: ['common'] })
  await loader.setLanguage(language)
  return { i18n, loader }
}

export const LOADER: InjectionKey<Texts['loader']> = Symbol('loader')

export function useLoader(): Texts['loader'] {
  const loader = inject(LOADER)
  if (!loader) throw new Error('the app provides no loader')
  return loader
}
