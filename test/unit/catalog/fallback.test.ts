import { expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { relevantLanguages } from '../../../src/catalog/names.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { TRANSLATION_SETTINGS } from '../../helpers/translation-settings.ts'

/** @param names the languages that exist */
function chainOf(names: string, settings: Partial<Parameters<typeof createTranslations>[1]> = {}) {
  const parts = names
    .split(' ')
    .map((language) => ({ language, namespace: 'common', messages: [['title', language]] as const }))
  const { chain } = createTranslations(createCatalog({ parts }), { ...TRANSLATION_SETTINGS, ...settings })
  return (language: string) => chain(language).join(' ')
}

test.each([
  ['en pt pt-BR', 'pt-BR', 'pt-BR pt en'],
  ['en es es-419 es-MX', 'es-MX', 'es-MX es-419 es en'],
  ['en es es-MX', 'es-MX', 'es-MX es en'],
  ['en es es-419 es-ES', 'es-ES', 'es-ES es en'],
  ['en pt pt-PT pt-AO', 'pt-AO', 'pt-AO pt-PT pt en'],
  ['fr en en-001 en-GB en-AU', 'en-AU', 'en-AU en-001 en fr'],
  ['fr en en-001 en-150 en-DE', 'en-DE', 'en-DE en-150 en-001 en fr'],
  ['en fr zh zh-Hant zh-Hant-TW', 'zh-Hant-TW', 'zh-Hant-TW zh-Hant en'],
  ['en zh zh-Hant', 'zh-Hant', 'zh-Hant en'],
  ['en zh zh-TW', 'zh-TW', 'zh-TW en'],
  ['en zh zh-Hant zh-TW', 'zh-TW', 'zh-TW zh-Hant en'],
  ['en zh zh-HK zh-MO', 'zh-MO', 'zh-MO zh-HK en'],
  ['en zh zh-Hans zh-CN', 'zh-CN', 'zh-CN zh-Hans zh en'],
  ['en sr sr-Latn', 'sr-Latn', 'sr-Latn en'],
  ['en sr sr-Latn sr-ME', 'sr-ME', 'sr-ME sr-Latn en'],
  ['en sr sr-Cyrl-RS', 'sr-Cyrl-RS', 'sr-Cyrl-RS sr en'],
  ['de en en-IN hi hi-Latn', 'hi-Latn', 'hi-Latn en-IN en de'],
  ['en no nb nb-NO', 'nb-NO', 'nb-NO nb no en'],
  ['en ca ca-valencia', 'ca-valencia', 'ca-valencia ca en'],
  ['en de de-CH de-CH-1996', 'de-CH-1996', 'de-CH-1996 de-CH de en'],
  ['fr en en-x-pirate', 'en-x-pirate', 'en-x-pirate en fr'],
  // Other spellings: as files of Java and of old runtimes have them.
  ['en pt pt_BR', 'pt_BR', 'pt_BR pt en'],
  ['en pt pt-br', 'pt-br', 'pt-br pt en'],
  ['en iw he-IL', 'he-IL', 'he-IL iw en'],
  // No tags.
  ['en shared pirate_speak_1', 'pirate_speak_1', 'pirate_speak_1 en'],
])('of %s, %s shows %s', (names, language, chain) => {
  const [defaultLanguage] = names.split(' ')
  expect(chainOf(names, { defaultLanguage })(language)).toBe(chain)
})

test('a chain of the option replaces the parents, and false turns them off', () => {
  const names = 'en de pt pt-BR pt-PT pt-AO'
  const chain = chainOf(names, { fallback: { 'pt-AO': ['de'], 'pt-BR': [] } })
  expect(chain('pt-AO')).toBe('pt-AO de en')
  expect(chain('pt-BR')).toBe('pt-BR en')
  expect(chain('pt-PT')).toBe('pt-PT pt en')
  expect(chainOf(names, { fallback: false })('pt-AO')).toBe('pt-AO')
})

test('the parents of the default language end each chain: no language lacks a text that it shows', () => {
  const chain = chainOf('en en-US pl', { defaultLanguage: 'en-US' })
  expect(chain('pl')).toBe('pl en-US en')
  expect(chain('en')).toBe('en en-US')
})

test('texts come from the nearest parent that has one', () => {
  const texts = { en: 'abcd', es: 'abc', 'es-419': 'ab', 'es-MX': 'a' }
  const parts = Object.entries(texts).map(([language, keys]) => ({
    language,
    namespace: 'common',
    messages: [...keys].map((key) => [key, `${key} in ${language}`] as const),
  }))
  const translations = createTranslations(createCatalog({ parts }), TRANSLATION_SETTINGS)
  expect(Object.fromEntries(translations.messages('es-MX', 'common'))).toEqual({
    a: 'a in es-MX',
    b: 'b in es-419',
    c: 'c in es',
    d: 'd in en',
  })
})

test.each([
  [['en', 'pt-BR'], 'pt-BR pt en', 'pt-PT es'],
  [['en', 'pt-*'], 'pt-BR pt-AO pt en', 'es'],
  [['en', 'es-{MX,AR}'], 'es-MX es-419 es en', 'es-ES pt'],
  [['zh-Hant-*'], 'zh-Hant-TW zh-Hant en', 'zh'],
  [['pt-BR', '!pt'], 'pt-BR en', 'pt'],
  [['!fr'], 'pt-BR pt de', 'fr'],
  [undefined, 'pt-BR fr', ''],
])('with the option languages %j the app needs %s, not %s', (languages, needed, others) => {
  const isRelevant = relevantLanguages({ languages, fallback: {}, defaultLanguage: 'en' })
  const namesOf = (names: string) => names.split(' ').filter(Boolean)
  expect(namesOf(needed).filter((name) => !isRelevant(name))).toEqual([])
  expect(namesOf(others).filter(isRelevant)).toEqual([])
})

test('parents of the option languages with a chain of their own are not needed', () => {
  const own = { defaultLanguage: 'en', languages: ['pt-BR'] }
  expect(relevantLanguages({ ...own, fallback: { 'pt-BR': ['de'] } })('pt')).toBe(false)
  expect(relevantLanguages({ ...own, fallback: { 'pt-BR': ['de'] } })('de')).toBe(true)
  expect(relevantLanguages({ ...own, fallback: false })('pt')).toBe(false)
})
