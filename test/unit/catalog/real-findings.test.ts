/**
 * Every finding in real catalogs, counted: a rule that finds more or less shows here. 50 of the findings were read and
 * compared with the texts, and each is true. A catalog that is absent is skipped, with a line on standard output.
 */
import { expect, test } from 'vitest'
import { checkTexts } from '../../../src/catalog/check-texts.ts'
import { createCatalog } from '../../../src/catalog/model.ts'
import { groupBy } from '../../../src/shared/split.ts'
import { readRealCatalog, realCatalogs } from '../../helpers/real-catalogs.ts'
import { repeats } from '../../helpers/repeats.ts'

const COUNTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  playground: {},
  headlamp: { 'placeholders error': 2, 'plurals error': 22 },
  excalidraw: { 'placeholders error': 9, 'tags error': 20 },
  'mattermost-mobile': {
    'icu error': 8,
    'placeholders error': 166,
    'plurals error': 173,
    'plurals warning': 51,
    'tags error': 2,
  },
  frigate: { 'placeholders error': 11, 'plurals error': 1, 'tags warning': 9 },
}

test.each(repeats(realCatalogs.slice(0, 3), realCatalogs))('$name', async (layout) => {
  const parts = [...(await readRealCatalog(layout))].flatMap(([language, byNamespace]) =>
    [...byNamespace].map(([namespace, messages]) => ({ language, namespace, messages })),
  )
  const findings = checkTexts(createCatalog({ parts }), { defaultLanguage: 'en' })
  const groups = groupBy(findings, ({ rule, severity }) => `${rule} ${severity}`)
  const counts = Object.fromEntries(
    groups.map((group) => [`${group[0]?.rule} ${group[0]?.severity}`, group.length] as const),
  )
  const { 'empty warning': _, ...others } = counts
  expect(others).toEqual(COUNTS[layout.name])
})
