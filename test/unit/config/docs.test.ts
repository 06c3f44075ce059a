import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  generateOptionsTable,
  OPTIONS_TABLE_END,
  OPTIONS_TABLE_START,
  refreshOptionsTable,
} from '../../../src/config/docs.ts'
import { optionPaths } from '../../../src/config/problems.ts'

test('every option has a row with a type and a meaning', () => {
  const rows = generateOptionsTable().split('\n').slice(2)
  expect(rows.map((row) => /^\| `([^`]+)` \|/.exec(row)?.[1])).toEqual(optionPaths())
  for (const row of rows) expect(row).toMatch(/^\| `[^`]+` \| `[^`]+` \| .*\| .{10,}\.( )?\|$/)
})

test("types and defaults are the schema's", () => {
  const table = generateOptionsTable()
  expect(table).toContain(
    "| `source` | `'export' \\| 'hosting' \\| 'query' \\| 'files'` | `'export'` when there is an API key",
  )
  expect(table).toContain('| `service.timeoutMs` | `number` | `60000` |')
  expect(table).toContain('| `push` | `boolean \\| object` |')
  expect(table).toContain('| `coverage.minimum` | `Record<string, number>` | `{}` |')
})

test('only what stands between the markers is replaced', () => {
  const readme = `before\n${OPTIONS_TABLE_START}\nold\n${OPTIONS_TABLE_END}\nafter`
  const fresh = refreshOptionsTable(readme)
  expect(fresh).toBe(`before\n${OPTIONS_TABLE_START}\n${generateOptionsTable()}\n${OPTIONS_TABLE_END}\nafter`)
  expect(refreshOptionsTable(fresh ?? '')).toBe(fresh)
  expect(refreshOptionsTable('no markers')).toBeUndefined()
})

test("the README's table is current", async () => {
  const readme = await readFile(resolve(import.meta.dirname, '../../../README.md'), 'utf8').catch(() => '')
  const fresh = refreshOptionsTable(readme)
  if (fresh === undefined) {
    process.stdout.write('not compared: README.md has no options:start and options:end markers\n')
    return
  }
  expect(readme, 'run node scripts/options-table.mjs').toBe(fresh)
})
