import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import type * as z from 'zod'
import {
  generateOptionsSource,
  generateOptionsTable,
  OPTIONS_TABLE_END,
  OPTIONS_TABLE_START,
  refreshOptionsTable,
} from '../../../scripts/options-source.ts'
import type { LocalizationOptions } from '../../../src/config/options.ts'
import { optionPaths } from '../../../src/config/problems.ts'
import type { optionsSchema } from '../../../src/config/schema.ts'

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

test('only the text between the markers is replaced', () => {
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
  expect(readme, 'run node scripts/options.mjs').toBe(fresh)
})

test("the options' interfaces are current, and take what the schema takes", async () => {
  const source = await readFile(resolve(import.meta.dirname, '../../../src/config/options.ts'), 'utf8')
  expect(source, 'run node scripts/options.mjs').toBe(generateOptionsSource())
  expectTypeOf<z.input<typeof optionsSchema>>().toExtend<LocalizationOptions>()
  // The schema's own types know no readonly lists.
  type Mutable<T> = T extends (...args: never) => unknown
    ? T
    : T extends object
      ? { -readonly [K in keyof T]: Mutable<T[K]> }
      : T
  expectTypeOf<Mutable<LocalizationOptions>>().toExtend<z.input<typeof optionsSchema>>()
})

test('a comment wraps, and no glob ends it', () => {
  const source = generateOptionsSource()
  for (const line of source.split('\n')) if (line.length > 120) expect(line).toMatch(/^ +\* \S+$/)
  expect(source).toContain('**\\/*.{js')
  expect(source).toContain("  source?: 'export' | 'hosting' | 'query' | 'files' | undefined")
  expect(source).toContain('  files?: string | FilesOptions | readonly (string | FilesOptions)[] | undefined')
  expect(source).toContain('  push?: boolean | PushOptions | undefined')
})
