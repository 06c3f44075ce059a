import { expect, test } from 'vitest'
import { summaryTable } from '../../../src/cli/summary.ts'
import { plain } from '../../../src/cli/text.ts'

const part = (language: string, namespace: string, added: number) => ({
  language,
  namespace,
  customer: null,
  added,
  changed: 0,
  deleted: 0,
  conflicts: 0,
})

test('a few parts have a line each', () => {
  const [table = ''] = summaryTable([part('en', 'common', 1), part('en', 'home', 2)], plain)
  expect(table.split('\n')).toEqual([
    'language  namespace  added',
    'en        common         1',
    'en        home           2',
  ])
})

test('of many parts, each language has a line', () => {
  const parts = ['de', 'en'].flatMap((language) =>
    Array.from({ length: 30 }, (_, i) => part(language, `part${i}`, language === 'de' ? 1 : 100)),
  )
  const [table = ''] = summaryTable(parts, plain)
  expect(table.split('\n')).toEqual([
    'language  namespaces  added',
    'de                30     30',
    'en                30  3,000',
  ])
})
