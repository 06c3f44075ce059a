import { expect, test } from 'vitest'
import { checkCoverage } from '../../../src/catalog/coverage.ts'
import { createCatalog, type PartInput } from '../../../src/catalog/model.ts'
import { checkNotInDefault, type DefaultSettings, textsNotInDefault } from '../../../src/catalog/not-in-default.ts'

type Texts = Readonly<Record<string, string>>

const partOf = (language: string, messages: Texts, namespace = 'a', customer?: string): PartInput => ({
  language,
  namespace,
  customer,
  messages: Object.entries(messages),
})

function keysOf(parts: readonly PartInput[], settings: Partial<DefaultSettings> = {}) {
  return textsNotInDefault(createCatalog({ parts }), { defaultLanguage: 'en', ...settings }).map(
    ({ namespace, key, customer, languages }) =>
      `${namespace} ${key}${customer === undefined ? '' : ` for ${customer}`}: ${languages.join(' ')}`,
  )
}

test('a typo, a renamed key and a namespace of one language are missing in the default language', () => {
  const parts = [
    partOf('en', { title: 'Cart', empty: 'Empty', gap: '' }),
    partOf('pl', { titel: 'Koszyk', empty: 'Pusto', gap: 'Luka' }),
    partOf('de', { title: 'Korb', gap: 'Lücke', unused: '' }),
    partOf('pl', { name: 'Imię' }, 'people'),
  ]
  expect(keysOf(parts)).toEqual(['a titel: pl', 'a gap: pl de', 'people name: pl'])
  const findings = checkNotInDefault(createCatalog({ parts }), { defaultLanguage: 'en' })
  expect(findings.map(({ message }) => message)).toEqual([
    '"titel" has no text in en, the default language, so the app shows the key. Did you mean "title"?',
    '"gap" has no text in en, the default language, so the app shows the key (1 more language has it)',
    '"name" has no text in en, the default language, so the app shows the key',
  ])
  expect(findings[0]).toMatchObject({ severity: 'warning', place: { language: 'pl', namespace: 'a', key: 'titel' } })
})

test('they count as texts that the default language lacks', () => {
  const parts = [partOf('en', { title: 'Cart' }), partOf('pl', { title: 'Koszyk', titel: 'Koszyk' })]
  const check = (minimum: Readonly<Record<string, number>>) =>
    checkCoverage(createCatalog({ parts }), { defaultLanguage: 'en' }, minimum, 'error')
  expect(check({ en: 1, pl: 1 }).map(({ message }) => message)).toEqual([
    'en has 1 of 2 texts (50%, required: 100%); missing: a "titel" (pl has it)',
  ])
  expect(check({ en: 0.5, pl: 1 })).toEqual([])
})

test('plural forms of another language are none', () => {
  const en = partOf('en', { item_one: 'item', item_other: 'items', n_one: '1', n_other: 'n' })
  const pl = partOf('pl', { item_one: 'a', item_few: 'b', item_many: 'c', item_other: 'd', n: 'sztuk' })
  expect(keysOf([en, pl, partOf('de', { item_zero: 'nichts' })])).toEqual([])
  // Both forms that English uses are missing, and no other form.
  const alone = { bag_one: 'a', bag_few: 'b', bag_many: 'c', bag_other: 'd' }
  expect(keysOf([en, partOf('pl', alone)])).toEqual(['a bag_one: pl', 'a bag_other: pl'])
  expect(keysOf([partOf('en', { bag: 'Bag' }), partOf('pl', alone)])).toEqual([])
  // French has `many` for 1,000,000 only.
  expect(
    keysOf([partOf('fr', { x_one: 'a', x_other: 'b' }), partOf('pl', { x_many: 'c' })], { defaultLanguage: 'fr' }),
  ).toEqual([])
  // Polish as the default language needs `few`.
  const polish = [
    partOf('pl', { x_one: 'a', x_many: 'c', x_other: 'd' }),
    partOf('ru', { x_few: 'b', x_one: 'a', x_many: 'c', x_other: 'd' }),
  ]
  expect(keysOf(polish, { defaultLanguage: 'pl' })).toEqual(['a x_few: ru'])
  const place = { p_ordinal_one: '1st', p_ordinal_other: 'th' }
  expect(
    keysOf([
      partOf('en', { ...place, p_ordinal_two: '2nd', p_ordinal_few: '3rd' }),
      partOf('cy', { ...place, p_ordinal_many: 'x' }),
    ]),
  ).toEqual([])
  // No plural: these look like one.
  expect(keysOf([en, partOf('pl', { size_few: 'Małe' })])).toEqual(['a size_few: pl'])
})

test('a region language with a key of its own; the parent of the default language', () => {
  const texts = [partOf('en', { title: 'Cart' }), partOf('en-GB', { colour: 'Colour' })]
  expect(keysOf(texts)).toEqual(['a colour: en-GB'])
  expect(keysOf(texts, { defaultLanguage: 'en-GB' })).toEqual([])
  expect(keysOf(texts, { defaultLanguage: 'en-GB', fallback: false })).toEqual(['a title: en'])
  expect(keysOf(texts, { defaultLanguage: 'en-GB', fallback: { 'en-GB': [] } })).toEqual(['a title: en'])
  const chained = [partOf('en', {}), partOf('de', { title: 'Korb' }), partOf('pl', { title: 'Koszyk' })]
  expect(keysOf(chained, { fallback: { en: ['de'] } })).toEqual([])
})

test("a customer's text stands beside those of the customer and the general ones", () => {
  const parts = [
    partOf('en', { title: 'Cart' }),
    partOf('en', { offer: 'Offer' }, 'a', 'acme'),
    partOf('pl', { title: 'Koszyk Acme', offer: 'Oferta', bonus: 'Premia' }, 'a', 'acme'),
  ]
  expect(keysOf(parts)).toEqual(['a bonus for acme: pl'])
  const minimum = { en: 1 }
  const [finding] = checkCoverage(createCatalog({ parts }), { defaultLanguage: 'en' }, minimum, 'error')
  expect(finding?.message).toContain('missing: a "bonus" (pl has it, for acme)')
})

test('values, arrays and languages that the app does not have', () => {
  const array = { values: [['steps', { kind: 'array', length: 1 }]] } as const
  const en: PartInput = {
    language: 'en',
    namespace: 'a',
    messages: [['steps.0', 'One']],
    values: [...array.values, ['limit', { kind: 'scalar', json: '3' }]],
  }
  const pl: PartInput = {
    language: 'pl',
    namespace: 'a',
    messages: Object.entries({ 'steps.0': 'Raz', 'steps.1': 'Dwa', limit: 'trzy' }),
    values: [['steps', { kind: 'array', length: 2 }]],
  }
  expect(keysOf([en, pl])).toEqual([])
  expect(keysOf([{ ...en, messages: [], values: undefined }, pl])).toEqual([
    'a steps.0: pl',
    'a steps.1: pl',
    'a limit: pl',
  ])
  const others = [partOf('en', { title: 'Cart' }), partOf('fr', { titre: 'Panier' })]
  expect(keysOf(others, { languages: ['en', 'pl'] })).toEqual([])
  const kept = [partOf('en', { note: '' }), partOf('pl', { note: 'Uwaga' })]
  expect(keysOf(kept, { emptyTexts: 'keep' })).toEqual([])
})
