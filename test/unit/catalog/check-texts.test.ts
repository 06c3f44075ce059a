import { expect, test } from 'vitest'
import { checkTexts, type TextCheckOptions } from '../../../src/catalog/check-texts.ts'
import { checkCoverage } from '../../../src/catalog/coverage.ts'
import { createCatalog } from '../../../src/catalog/model.ts'

const catalogOf = (texts: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  createCatalog({
    parts: Object.entries(texts).map(([language, messages]) => ({
      language,
      namespace: 'a',
      messages: Object.entries(messages),
    })),
  })

const found = (
  texts: Readonly<Record<string, Readonly<Record<string, string>>>>,
  options: Partial<TextCheckOptions> = {},
) =>
  checkTexts(catalogOf(texts), { defaultLanguage: 'en', ...options }).map(
    ({ rule, place, message }) => `${place.language} ${place.key} ${rule}: ${message}`,
  )

test('the same placeholders, however often and in whatever order', () => {
  expect(found({ en: { x: '{a} {b} {a}' }, pl: { x: '{b}{a}' } })).toEqual([])
})

test('one text that can only be ICU makes both ICU', () => {
  expect(found({ en: { x: "it''s {n}" }, pl: { x: '{n, plural, one {#} few {#} many {#} other {#}}' } })).toEqual([])
  expect(found({ en: { x: '{n, plural, one {#} other {#}}' }, pl: { x: 'bez {m}' } })).toEqual([
    'pl x placeholders: "x" lacks {n} and has {m}, which the default language does not',
  ])
})

test('a malformed message is reported once', () => {
  const broken = '{n, plural, one {#}}'
  expect(found({ en: { x: broken }, pl: { x: '{n, plural, other {#}}' } })).toHaveLength(1)
  expect(found({ en: { x: 'plain' }, pl: { x: broken } })[0]).toMatch(/^pl x icu: /)
})

test('a plural form without a counterpart is compared with the general form; small forms need no number', () => {
  const en = { files_one: 'One file of {{name}}', files_other: '{{count}} files of {{name}}' }
  const pl = { files_one: 'Plik {{name}}', files_few: '{{count}} pliki {{name}}', files_many: '{{count}} {{name}}' }
  expect(found({ en, pl })).toEqual([])
  expect(found({ en, pl: { ...pl, files_many: 'plików' } })).toEqual([
    'pl files_many placeholders: "files_many" lacks {count}, {name}',
  ])
})

test('a key that only one language has is checked alone', () => {
  expect(found({ en: {}, pl: { own: '{whatever}' } })).toEqual([])
})

test('limits: the first matching pattern counts; characters are counted as code points', () => {
  const limits = [
    ['button.save', 2],
    ['button.*', 4],
    ['Sign in*', 4],
  ] as const
  const en = { 'button.save': 'Save', 'button.go': '👍👍👍👍', other: 'long enough', 'Sign in / up': 'Later' }
  expect(found({ en }, { limits })).toEqual([
    'en button.save characters-limit: "button.save" has 4 characters, but at most 2 are allowed',
    'en Sign in / up characters-limit: "Sign in / up" has 5 characters, but at most 4 are allowed',
  ])
})

test('a text that is also a branch matters only if keys nest', () => {
  const en = { a: '1', 'a.b': '2', 'c.d': '3' }
  expect(found({ en })).toEqual([])
  expect(found({ en }, { nested: '.' })).toEqual(['en a.b collision: "a.b" cannot nest: "a" is a text'])
})

test('names such as __proto__ are ordinary keys', () => {
  const catalog = createCatalog({
    parts: [
      { language: 'en', namespace: 'a', messages: [['__proto__', '{x}']] },
      { language: 'pl', namespace: 'a', messages: [['__proto__', 'y']] },
    ],
  })
  expect(checkTexts(catalog, { defaultLanguage: 'en' })).toMatchObject([{ rule: 'placeholders' }])
})

test('coverage names the first texts that are missing and counts the rest', () => {
  const en = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`k${i}`, 'x']))
  const catalog = catalogOf({ en, pl: { k0: 'y', k1: '' } })
  const check = (minimum: Record<string, number>) =>
    checkCoverage(catalog, { defaultLanguage: 'en' }, minimum, 'error').map(({ message }) => message)
  expect(check({ pl: 0.125 })).toEqual([])
  expect(check({ pl: 0.13 })).toEqual([
    'pl has 1 of 8 texts (12.5%, required: 13%); missing: a "k1", a "k2", a "k3", a "k4", a "k5" and 2 more',
  ])
  expect(check({ fr: 0.5 })).toEqual(['fr has no texts, but 50% are required'])
})
