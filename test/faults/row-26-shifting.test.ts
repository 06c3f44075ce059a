/** Row 26: publish while one runs; texts that come and go between the pages of one reading. */
import { expect, test } from 'vitest'
import { createApp, fileTexts } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, command } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { type Row, startRowService } from '../helpers/throwaway-server.ts'

const row = faultRow(26)
const COMMANDS = repeats(2, 4)

test('commands that publish at once: each waits for its turn', async () => {
  const project = await startProject({ service: true })
  await project.importTexts('en', 'common', { title: 'Title' })
  const root = await createApp({}, project)
  const runs = await Promise.all(
    Array.from({ length: COMMANDS }, () =>
      command(root, project.baseUrl, ['publish', '_latest'], { apiKey: project.apiKey }),
    ),
  )
  expect(runs.map(({ code }) => code)).toEqual(Array(COMMANDS).fill(0))
  row.alsoTried(COMMANDS - 1)
})

const KEYS = 1700
const textsOf = (word = 'Text') =>
  Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`key${String(i).padStart(4, '0')}`, `${word} ${i}`]))
const rowsOf = (texts: Record<string, string>): Row[] =>
  Object.entries(texts).map(([key, text]) => ({ key, namespace: '', language: 'en', text }))

/** With a total, as the contract has it; without one a deletion between two pages cannot be seen. */
const SHIFTS: [string, (rows: Row[]) => Row[]][] = [
  ['added in front', (rows) => [...rowsOf({ aaa: 'new' }), ...rows]],
  ['deleted in front', (rows) => rows.filter(({ key }) => key !== 'key0003')],
  ['turned round', (rows) => [...rows].reverse()],
  ['one moved to the end', (rows) => [...rows.slice(1), ...rows.slice(0, 1)]],
]

test.each(SHIFTS)('read while one is %s: a build has each text once, and all of them', async (_, shift) => {
  let rows = rowsOf(textsOf())
  let asked = 0
  const service = await startRowService(
    () => {
      // Between the first page and the second; what comes then stays.
      if (++asked === 2) rows = shift(rows)
      return rows
    },
    { totals: true },
  )
  const { texts } = await buildFrom(service.url, { source: 'query' })
  const now = Object.fromEntries(rows.map(({ key, text }) => [key, text]))
  const missing = Object.keys(now).filter((key) => key !== 'aaa' && texts?.[key] !== now[key])
  expect(missing).toEqual([])
  row.alsoTried(1)
})

test.each(SHIFTS)('read while one is %s: pull writes each text once, and all of them', async (_, shift) => {
  let rows = rowsOf(textsOf())
  let asked = 0
  const service = await startRowService(
    () => {
      if (++asked === 2) rows = shift(rows)
      return rows
    },
    { totals: true },
  )
  const root = await createApp({}, { baseUrl: service.url })
  const { code, stderr } = await command(root, service.url, ['pull'])
  expect(code, stderr).toBe(0)
  const now = Object.fromEntries(rows.map(({ key, text }) => [key, text]))
  const texts = (await fileTexts(root, ['en/default']))['en/default'] ?? {}
  expect(Object.keys(now).filter((key) => key !== 'aaa' && texts[key] !== now[key])).toEqual([])
})
