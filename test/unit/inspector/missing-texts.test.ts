import { expect, test } from 'vitest'
import type { InspectedProject } from '../../../src/inspector/endpoint.ts'
import { overviewOf } from '../../../src/inspector/overview.ts'
import { missingOf, RowSearch } from '../../../src/inspector/row-search.ts'
import { snapshotOf } from '../../helpers/snapshot.ts'

const SNAPSHOT = snapshotOf({
  en: { title: 'Cart', bye: 'Bye', item_one: '{{count}} item', item_other: '{{count}} items' },
  ja: { title: 'かご', item_other: '{{count}}個' },
  pl: { title: 'Koszyk', bye: 'Pa', item_one: 'x', item_few: 'x', item_many: 'x', item_other: 'x' },
})
const REQUEST = { from: 0, count: 50, search: '' }

test('a plural form that a language does not use is missing nowhere', () => {
  const search = new RowSearch()
  const keys = (language?: string) =>
    search.rows(SNAPSHOT, { ...REQUEST, filter: 'missing', language }).rows.map(({ key }) => key)
  expect([keys(), keys('en'), keys('ja'), keys('pl')]).toEqual([['bye'], [], ['bye'], []])
  const [few, one] = search
    .rows(SNAPSHOT, { ...REQUEST, filter: 'all', language: undefined, search: 'item_' })
    .rows.filter(({ key }) => key === 'item_few' || key === 'item_one')
  expect(few?.cells).toMatchObject([{ origin: 'none', isUnusedForm: true }, { isUnusedForm: true }, { origin: 'file' }])
  expect(one?.cells[1]).toMatchObject({ origin: 'fallback', isUnusedForm: true })
  const { coverage } = overviewOf({} as InspectedProject, SNAPSHOT)
  expect(coverage).toMatchObject([
    [
      { translated: 4, expected: 4 },
      { translated: 2, expected: 3 },
      { translated: 4, expected: 4 },
    ],
  ])
  const all = ['title', 'bye', 'item_one', 'item_few'].map((key) => ({ namespace: 'a', key }))
  expect(missingOf(SNAPSHOT, all)).toEqual({
    languages: [
      ['en', 0],
      ['ja', 1],
      ['pl', 0],
    ],
  })
})

test('a text that one side deleted says so, and counts as different from the service', () => {
  const ref = (language: string, key: string) => ({ language, namespace: 'a', key })
  const deletions = [
    { ref: ref('pl', 'title'), state: 'deleted-there' },
    { ref: ref('pl', 'bye'), state: 'deleted-here' },
  ] as const
  const snapshot = snapshotOf({ en: { title: 'Cart', bye: 'Bye' }, pl: { title: 'Koszyk' } }, {}, { deletions })
  const { rows } = new RowSearch().rows(snapshot, { ...REQUEST, filter: 'differing', language: undefined })
  expect(rows.map(({ key, cells }) => [key, cells[1]?.state])).toEqual([
    ['bye', 'deleted-here'],
    ['title', 'deleted-there'],
  ])
  expect(overviewOf({} as InspectedProject, snapshot).counts).toMatchObject({ 'deleted-here': 1, 'deleted-there': 1 })
})
