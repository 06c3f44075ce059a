import { expect, test } from 'vitest'
import { checkEmptyLanguages, checkLanguages } from '../../../src/catalog/check-languages.ts'
import { createCatalog } from '../../../src/catalog/model.ts'

const found = (names: string, options: Partial<Parameters<typeof checkLanguages>[1]> = {}) =>
  checkLanguages(names.split(' '), { languages: undefined, languageMap: {}, ...options }).map(
    ({ place }) => place.language,
  )

test('names that are no known language', () => {
  const wrong = '_drafts __tests__ shared en.bak en-draft pt-Copy kab-KAB percentages xx l1'
  expect(found(wrong).join(' ')).toBe(wrong)
  const right =
    'en en-EN pt-BR pt_PT zh-tw zh_Hant ca-valencia de-CH-1996 en-x-pirate x-own en-XA es-419 kab qaa sr-Latn-RS'
  expect(found(right)).toEqual([])
})

test('two spellings of one language', () => {
  expect(found('pt_BR pt-BR')).toEqual(['pt-BR'])
  expect(found('zh-tw zh-TW iw he')).toEqual(['zh-TW', 'he'])
  expect(found('pt pt-BR zh-TW zh-Hant')).toEqual([])
})

test('languages of the options are deliberate, and those that the options leave out are none', () => {
  expect(found('klingon shared', { languages: ['klingon', '*'] })).toEqual(['shared'])
  expect(found('klingon', { languageMap: { tlh: 'klingon' } })).toEqual([])
  expect(found('en shared', { languages: ['!shared'] })).toEqual([])
})

test('a language without any text', () => {
  const parts = [
    { language: 'en', namespace: 'a', messages: [['title', 'Cart']] as const },
    { language: 'pl', namespace: 'a', messages: [] },
    { language: 'de', namespace: 'a', messages: [['title', '']] as const },
  ]
  const empty = checkEmptyLanguages(createCatalog({ parts }), { languages: undefined })
  // The texts of pl are unknown.
  expect(empty.map(({ place }) => place.language)).toEqual(['de'])
})
