import { expect, test } from 'vitest'
import { measureCoverage } from '../../../src/catalog/coverage.ts'
import { createCatalog } from '../../../src/catalog/model.ts'

type Texts = Readonly<Record<string, string>>

/** `translated/expected` of each language. */
function coverageOf(texts: Readonly<Record<string, Texts>>, pluralSeparator?: string) {
  const parts = Object.entries(texts).map(([language, messages]) => {
    return { language, namespace: 'a', messages: Object.entries(messages) }
  })
  const coverage = measureCoverage(createCatalog({ parts }), { defaultLanguage: 'en', pluralSeparator })
  return Object.fromEntries(
    coverage.map(({ language, translated, expected }) => [language, `${translated}/${expected}`]),
  )
}

const EN = { title: 'Cart', item_one: '{{count}} item', item_other: '{{count}} items' }

test('a plural form that the language does not use is not expected, and not counted', () => {
  expect(coverageOf({ en: EN, ja: { title: 'かご', item_other: '{{count}}個' } })).toEqual({ en: '3/3', ja: '2/2' })
  expect(coverageOf({ en: EN, ja: { title: 'かご', item_one: '1個', item_other: '{{count}}個' } })).toMatchObject({
    ja: '2/2',
  })
  // Polish uses `one`, German has no `two` as an ordinal.
  expect(coverageOf({ en: EN, pl: { title: 'Koszyk', item_other: 'x' } })).toMatchObject({ pl: '2/3' })
  const ordinals = {
    place_ordinal_one: '1st',
    place_ordinal_two: '2nd',
    place_ordinal_few: '3rd',
    place_ordinal_other: 'th',
  }
  expect(coverageOf({ en: ordinals, de: { place_ordinal_other: '.' } })).toMatchObject({ de: '1/1' })
  expect(coverageOf({ en: { 'n|one': '1', 'n|other': '2' }, ja: {} }, '|')).toMatchObject({ ja: '0/1' })
})

test('keys that only look like plural forms are expected in every language', () => {
  const sizes = { size_one: 'Small', size_many: 'Large', step_two: 'Pay', step_one: 'Choose', step_other: 'Else' }
  expect(coverageOf({ en: sizes, ja: {} })).toMatchObject({ ja: '0/5' })
  // i18next takes `zero` in every language. Of an unknown language nothing is known.
  expect(coverageOf({ en: { ...EN, item_zero: 'none' }, ja: {}, tlh: {} })).toMatchObject({ ja: '0/3', tlh: '0/4' })
})
