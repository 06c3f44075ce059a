import { expect, test } from 'vitest'
import { checkTexts, type TextCheckOptions } from '../../../src/catalog/check-texts.ts'
import { createCatalog } from '../../../src/catalog/model.ts'

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

function check(texts: Texts, options: Partial<TextCheckOptions> = {}) {
  const parts = Object.entries(texts).map(([language, messages]) => ({
    language,
    namespace: 'a',
    messages: Object.entries(messages),
  }))
  return checkTexts(createCatalog({ parts }), { defaultLanguage: 'en', ...options })
}

const found = (texts: Texts, options?: Partial<TextCheckOptions>) =>
  check(texts, options).map(({ severity, place, message }) => `${severity} ${place.language}: ${message}`)

/** Findings about an ICU text beside `{n, plural, one {# file} other {# files}}`. */
const icu = (language: string, text: string, en = '{n, plural, one {# file} other {# files}}') =>
  found({ en: { x: en }, [language]: { x: text } })

const EN = { item_one: '{{count}} item', item_other: '{{count}} items' }

test('a Polish text with only one and other', () => {
  expect(icu('pl', '{n, plural, one {# plik} other {# pliki}}')).toEqual([
    'error pl: "x" lacks the plural categories few, many of {n}, which pl needs',
  ])
  expect(found({ en: EN, pl: { item_one: '{{count}} plik', item_other: '{{count}} pliki' } })).toEqual([
    'error pl: "item_one" lacks the plural forms "item_few", "item_many", which pl needs',
  ])
})

test('other in place of one category is a warning where no whole number selects other', () => {
  expect(icu('ru', '{n, plural, one {# файл} few {# файла} other {# файлов}}')).toEqual([
    'warning ru: "x" lacks the plural category many of {n}, which ru needs; other is shown instead',
  ])
  expect(icu('tr', '{n, plural, other {# dosya}}')).toEqual([
    'warning tr: "x" lacks the plural category one of {n}, which tr needs; other is shown instead',
  ])
  expect(icu('ar', '{n, plural, one {#} two {# b} few {# c} many {# d} other {# e}}')).toEqual([
    'warning ar: "x" lacks the plural category zero of {n}, which ar needs; other is shown instead',
  ])
  expect(icu('lv', '{n, plural, one {# a} other {# b}}')).toEqual([
    'error lv: "x" lacks the plural category zero of {n}, which lv needs',
  ])
})

test('exact numbers take the place of a category that stands for no other number', () => {
  expect(icu('de', '{n, plural, =1 {eine} other {#}}')).toEqual([])
  expect(icu('ar', '{n, plural, =0 {a} =1 {b} =2 {c} few {# d} many {# e} other {# f}}')).toEqual([])
  expect(icu('ru', '{n, plural, =1 {один} few {# файла} many {# файлов} other {#}}')).toEqual([
    'warning ru: "x" lacks the plural category one of {n}, which ru needs; other is shown instead',
  ])
  // With an offset the category is that of the rest.
  expect(icu('de', '{n, plural, offset:1 =1 {du} one {du und einer} other {du und #}}')).toEqual([])
  expect(icu('de', '{n, plural, offset:1 =1 {du} =2 {du und einer} other {du und #}}')).toEqual([])
})

test('a plural for exact numbers alone is one, unless the default language has more', () => {
  const en = '{n, plural, =0 {} other {+# more}}'
  expect(icu('pl', '{n, plural, =0 {} other {+#}}', en)).toEqual([])
  expect(found({ en: { x: en } })).toEqual([])
})

test('many of French and its like stands for millions alone', () => {
  for (const language of ['fr', 'es', 'it', 'pt', 'pt-PT', 'ca'])
    expect(icu(language, '{n, plural, one {# a} other {# b}}')).toEqual([])
})

test('categories that a language does not use are harmless', () => {
  expect(icu('ja', '{n, plural, one {# a} few {# a} other {# a}}')).toEqual([])
  expect(found({ en: { ...EN, item_few: 'x', item_zero: 'none' } })).toEqual([])
})

test('codes with an underscore, and codes that Intl does not know', () => {
  expect(icu('pl_PL', '{n, plural, one {#} other {#}}')).toHaveLength(1)
  expect(icu('kk_Latn', '{n, plural, one {#} other {#}}')).toEqual([])
  expect(icu('en-XA', '{n, plural, one {#} other {#}}')).toEqual([])
  for (const code of ['klingon', 'x', '', '__proto__', 'p l', 'polish_with_a_long_name', 'zz'])
    expect(icu(code, '{n, plural, other {#}}')).toEqual([])
})

test('the language decides whether a form may leave out the number', () => {
  const en = { item_one: 'One item of {{name}}', item_other: '{{count}} items of {{name}}' }
  const full = { item_few: '{{count}} b {{name}}', item_many: '{{count}} c {{name}}', item_other: '{{count}} {{name}}' }
  const one = (language: string, text: string) => found({ en, [language]: { ...full, item_one: text } })
  expect(one('pl', 'Jeden {{name}}')).toEqual([])
  expect(one('pl', '{{count}} plik {{name}}')).toEqual([])
  expect(one('ru', '{{count}} файл {{name}}')).toEqual([])
  expect(one('ru', 'Один файл {{name}}')).toEqual([
    'error ru: "item_one" lacks {count} (the form one, which covers 1, 21, 31, 41 and more)',
  ])
  // One of French is 0 and 1: few apps show 0 with this form.
  expect(one('fr', 'Un fichier {{name}}')).toEqual([])
  expect(one('pl', 'Jeden plik')).toEqual(['error pl: "item_one" lacks {name}'])
  expect(found({ en, ar: { item_zero: 'x', item_two: 'y' } }).filter((line) => line.includes('lacks {'))).toEqual([])
  // A code that Intl does not know.
  expect(one('klingon', 'wa')).toEqual(['error klingon: "item_one" lacks {name}'])
})

test('ICU forms that stand for many numbers show the number where the default language does', () => {
  const en = 'every {n, plural, one {minute} other {{n} minutes}}'
  const rest = 'few {{n} минуты} many {{n} минут} other {{n} минут}'
  expect(icu('ru', `каждую {n, plural, one {минуту} ${rest}}`, en)).toEqual([
    'error ru: "x" does not show {n} in one, which covers 1, 21, 31, 41 and more',
  ])
  expect(icu('ru', `каждую {n, plural, one {{n} минуту} ${rest}}`, en)).toEqual([])
  expect(icu('de', 'jede {n, plural, one {Minute} other {# Minuten}}', en)).toEqual([])
  // Shown beside the plural, or nowhere.
  expect(icu('ru', `{n} {n, plural, one {минуту} ${rest}}`, en)).toEqual([])
  expect(icu('de', '{n, plural, one {diese} other {diese}}', '{n, plural, one {this} other {these}}')).toEqual([])
})

test('an argument that only selects a form may be left out', () => {
  expect(icu('ja', 'これら', '{n, plural, one {this} other {these}}')).toEqual([])
  expect(icu('fi', 'Hän', '{g, select, male {He} other {They}}')).toEqual([])
  expect(icu('ja', 'x', '{n, plural, one {# file} other {# files}}')).toEqual(['error ja: "x" lacks {n}'])
})

test('suffixes that are no plural forms', () => {
  const en = { size_one: 'S', size_many: 'L', gender_male: 'M', gender_other: 'X', _other: 'a', _one: 'b', other: 'c' }
  expect(found({ en, pl: en })).toEqual([])
  const steps = { step_one: 'first', step_two: 'second', step_other: 'more' }
  expect(found({ en: steps, pl: steps })).toEqual([])
  // The base is what i18next shows for one.
  expect(found({ en: { item: 'an item', item_other: 'items' }, de: { item: 'a', item_other: 'b' } })).toEqual([])
  expect(found({ en: {}, de: { item_one: 'a', item_other: 'b' } })).toEqual([])
})

test('forms of one language that another one fills, customers and gaps', () => {
  const de = { item_one: '{{count}} a', item_other: '{{count}} b' }
  const partial = { en: EN, de, 'de-CH': { item_other: '{{count}} c' } }
  expect(found(partial, { fallback: { 'de-CH': [] } })).toHaveLength(1)
  expect(found(partial, { fallback: { 'de-CH': ['de'] } })).toEqual([])
  expect(found(partial)).toEqual([])
  expect(found({ en: EN, 'en-GB': { item_one: '{{count}} item!' } })).toEqual([])
  // An untranslated group is a matter of coverage.
  expect(found({ en: EN, pl: { item_one: '', item_other: '' } }).filter((line) => line.startsWith('error'))).toEqual([])
  expect(found({ en: EN, de: { item_one: '{{count}} a', item_other: '' } })).toEqual([
    'warning de: "item_other" is empty',
    'error de: "item_one" lacks the plural form "item_other", which de needs',
  ])
  const parts = [
    { language: 'en', namespace: 'a', messages: Object.entries(EN) },
    { language: 'pl', namespace: 'a', customer: 'acme', messages: [['item_one', '{{count}} x']] as const },
  ]
  expect(checkTexts(createCatalog({ parts }), { defaultLanguage: 'en' })).toEqual([])
})

test('another separator before the category', () => {
  const en = { 'item-one': '{{count}} a', 'item-other': '{{count}} b' }
  expect(found({ en, pl: en }, { pluralSeparator: '-' })).toEqual([
    'error pl: "item-one" lacks the plural forms "item-few", "item-many", which pl needs',
  ])
  expect(found({ en, pl: en })).toEqual([])
})

test("keys that are no plural forms in the app's library", () => {
  const en = { step_one: '{{count}} a', step_other: '{{count}} b' }
  expect(found({ en, pl: en })).toHaveLength(1)
  expect(found({ en, pl: en }, { hasPluralKeys: false })).toEqual([])
})

test("vue-i18n's choices count only in an app with vue-i18n", () => {
  const texts = (pl: string) => ({ en: { x: 'car | {n} cars' }, pl: { x: pl } })
  expect(found(texts('auto | {n} auta'))).toEqual([])
  const inVue = (pl: string) => found(texts(pl), { hasPipes: true, hasPluralRules: true })
  expect(found(texts('auto | {n} auta'), { hasPipes: true })).toEqual([])
  expect(inVue('auto | {n} auta')).toEqual(['error pl: "x" has 2 choices, but pl needs 3 (one, few, many)'])
  for (const pl of ['auto | {n} auta | {n} aut', 'brak | auto | {n} auta | {count} aut', '{n} aut'])
    expect(inVue(pl)).toEqual([])
  for (const pl of ['{n} auto|{n} auta|{n} aut', "{n} a {'|'} b|c|d"]) expect(inVue(pl)).toEqual([])
  expect(inVue('auto|{n} auta')).toHaveLength(1)
  expect(
    found({ en: { x: 'Home - Shop' }, pl: { x: 'Start | Sklep' } }, { hasPipes: true, hasPluralRules: true }),
  ).toEqual([])
  const polish = { pl: { x: '{n} plik | {n} pliki', y: 'Start | Sklep' } }
  expect(found(polish, { hasPipes: true, hasPluralRules: true, defaultLanguage: 'pl' })).toHaveLength(1)
  expect(
    found({ en: { x: 'car | cars' }, ja: { x: '車' }, de: { x: 'A | B' } }, { hasPipes: true, hasPluralRules: true }),
  ).toEqual([])
})

test('the branches of a select', () => {
  const en = '{g, select, male {He} female {She} other {They}}'
  expect(icu('de', '{g, select, female {Sie} male {Er} other {Sie}}', en)).toEqual([])
  expect(icu('tr', '{g, select, other {O}}', en)).toEqual([])
  expect(icu('de', '{g, select, männlich {Er} weiblich {Sie} other {Sie}}', en)).toEqual([
    'error de: "x" lacks male, female and has männlich, weiblich, which the default language does not: branches of {g}',
  ])
  expect(icu('de', '{g, select, male {Er} other {Sie}}', en)).toEqual(['warning de: "x" lacks female: branches of {g}'])
  expect(icu('de', '{g, select, male {Er}}', en)[0]).toContain('missing other clause')
})
