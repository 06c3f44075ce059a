import { expect, test } from 'vitest'
import { i18nextSyntax } from '../../../src/catalog/library-syntax.ts'
import type { InspectedProject } from '../../../src/inspector/endpoint.ts'
import { checkDraft, keyAnswerOf } from '../../../src/inspector/key-answer.ts'
import type { SnapshotInput } from '../../../src/inspector/snapshot.ts'
import { snapshotOf } from '../../helpers/snapshot.ts'

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { item_one: '{{count}} item', item_other: '{{count}} items', cars: 'car | cars', bold: '<b>a</b>' },
  pl: { item_one: '{{count}} plik', item_few: '{{count}} pliki', item_other: 'x', cars: 'auto | auta', bold: 'a' },
  de: { item_one: '{{count}} Ding', item_other: '{{count}} Dinge', cars: 'Auto | Autos', bold: '<b>a</b>' },
  'de-CH': { item_other: '{{count}} Dings', bold: '<b>$t(a</b>' },
}

/** What the inspector says about a key, by language. */
async function problemsOf(key: string, checks: SnapshotInput['checks'] = {}) {
  const snapshot = snapshotOf(TEXTS, checks)
  const project = { placeOf: async () => undefined, usedAt: async () => undefined } as unknown as InspectedProject
  const { texts } = await keyAnswerOf(project, snapshot, { namespace: 'a', key })
  return Object.fromEntries(
    texts
      .filter((text) => text.key === key && text.problems.length > 0)
      .map(({ language, problems }) => [language, problems.map(({ message }) => message)]),
  )
}

test('a plural form shows what its group lacks', async () => {
  const plural = '"item_one" lacks the plural form "item_many", which pl needs'
  expect(await problemsOf('item_one')).toEqual({ pl: [plural] })
  expect(await problemsOf('item_other')).toEqual({
    pl: ['"item_other" lacks {count}', plural],
  })
  const alone = { 'de-CH': ['"item_other" lacks the plural form "item_one", which de-CH needs'] }
  expect(await problemsOf('item_other', { fallback: { 'de-CH': [] } })).toMatchObject(alone)
  expect(await problemsOf('item_other', { fallback: false })).toMatchObject(alone)
})

test("tags, and vue-i18n's choices", async () => {
  expect(await problemsOf('bold')).toEqual({ pl: ['"bold" lacks <b>'] })
  expect(await problemsOf('cars')).toEqual({})
  expect(await problemsOf('cars', { hasPipes: true })).toEqual({})
  expect(await problemsOf('cars', { hasPipes: true, hasPluralRules: true })).toEqual({
    pl: ['"cars" has 2 choices, but pl needs 3 (one, few, many)'],
  })
})

test("what the app's library does not read", async () => {
  expect(await problemsOf('bold', { library: i18nextSyntax() })).toHaveProperty('de-CH', [
    '"bold" has an unclosed "$t(", which i18next does not replace',
  ])
})

test('a text that is typed refers to a text that is not there, or to itself', () => {
  const snapshot = snapshotOf({ en: { title: 'Cart', other: '$t(title)' } }, { library: i18nextSyntax() })
  const typed = (text: string) =>
    checkDraft(snapshot, { ref: { language: 'en', namespace: 'a', key: 'title' }, text }).problems
  expect(typed('$t(other.key)')).toEqual([
    { severity: 'error', message: '"title" refers to "other.key", which no language has' },
  ])
  expect(typed('My $t(other)')).toEqual([
    { severity: 'error', message: '"title" refers to itself: title > other > title' },
  ])
  expect(typed('Basket')).toEqual([])
})
