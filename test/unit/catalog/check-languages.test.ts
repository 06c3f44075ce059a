import { expect, test } from 'vitest'
import { checkEmptyLanguages, checkLanguages } from '../../../src/catalog/check-languages.ts'
import { createCatalog } from '../../../src/catalog/model.ts'
import { languageFilter } from '../../../src/catalog/names.ts'

const inferred = (names: string) =>
  names.split(' ').map((key) => ({ key, name: key, isDefault: false, isInferred: true as const }))

const found = (names: string, options: Parameters<typeof checkLanguages>[1] = {}) =>
  checkLanguages(inferred(names), options)
    .filter(({ severity }) => severity === 'error')
    .map(({ place }) => place.language)

test('names that are no known language', () => {
  const wrong = '_drafts __tests__ shared en.bak en-draft pt-Copy kab-KAB percentages xx l1'
  expect(found(wrong).join(' ')).toBe(wrong)
  const right =
    'en en-EN pt-BR pt_PT zh-tw zh_Hant ca-valencia de-CH-1996 en-x-pirate x-own en-XA es-419 kab qaa sr-Latn-RS'
  expect(found(right)).toEqual([])
})

test('what looks like a language stays in the app, and its texts are not lost', () => {
  const isInApp = languageFilter({})
  const inApp = (names: string) =>
    inferred(names)
      .filter(isInApp)
      .map(({ key }) => key)
  expect(inApp('_drafts __tests__ shared en.bak percentages l1 english')).toEqual([])
  const kept = 'en cn zh-CHS sr@latin de_AT_formal pt_BR x-own'
  expect(inApp(kept).join(' ')).toBe(kept)
  expect(found(kept)).toEqual(['cn', 'zh-CHS', 'sr@latin', 'de_AT_formal'])
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
  expect(found('english polish', { defaultLanguage: 'english' })).toEqual(['polish'])
})

test('a language that the runtime has no name for can be kept, as the finding says', () => {
  const [finding] = checkLanguages(inferred('azb'), {})
  const languages = /\(languages: (\['\*', 'azb'\])\)$/.exec(finding?.message ?? '')?.[1]
  expect(found('azb nah', { languages: JSON.parse(languages?.replaceAll("'", '"') ?? '[]') })).toEqual(['nah'])
})

test('a language of the app whose name Intl refuses is a warning', () => {
  const named = { key: 'english', name: 'English', isDefault: false }
  const findings = checkLanguages([...inferred('pt_BR de_AT pl'), named], { languages: ['de_AT', '*'] })
  expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
    ['warning', expect.stringMatching(/^"pt_BR" is not a language tag.* languageMap: \{ 'pt_BR': 'pt-BR' \}$/)],
    ['warning', expect.stringMatching(/^"english" is not a language tag/)],
  ])
})

test('a language without any text', () => {
  const parts = [
    { language: 'en', namespace: 'a', messages: [['title', 'Cart']] as const },
    { language: 'pl', namespace: 'a', messages: [], isBroken: true },
    { language: 'fr', namespace: 'a', messages: [] },
    { language: 'de', namespace: 'a', messages: [['title', '']] as const },
  ]
  const empty = checkEmptyLanguages(createCatalog({ parts }), { languages: undefined })
  // The texts of pl are unknown.
  expect(empty.map(({ place }) => place.language)).toEqual(['fr', 'de'])
})
