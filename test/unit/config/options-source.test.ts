import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import type * as z from 'zod'
import {
  generateOptionsSource,
  generateReference,
  REFERENCE_END,
  REFERENCE_START,
  refreshReference,
} from '../../../scripts/options-source.ts'
import { optionPaths } from '../../../src/config/issues.ts'
import type { LocalizationOptions } from '../../../src/config/options.ts'
import type { optionsSchema } from '../../../src/config/schema.ts'

test('every option has a heading, a type and a meaning', () => {
  const entries = generateReference().split(/^#+ /m).slice(1)
  expect(entries.map((entry) => /^`([^`]+)`\n/.exec(entry)?.[1])).toEqual(optionPaths())
  for (const entry of entries) expect(entry).toMatch(/^`[^`]+`\n\nType: `[^`]+`.*\n\n.{10,}\.\n*$/s)
})

test("types and defaults are the schema's", () => {
  const reference = generateReference().replaceAll('\n', ' ')
  expect(reference).toContain(
    "## `source`  Type: `'export' | 'hosting' | 'query' | 'files'`; default: `'export'` if there is an API key",
  )
  expect(reference).toContain('### `service.timeoutMs`  Type: `number`; default: `60000`  The time limit')
  expect(reference).toContain('## `push`  Type: `boolean | object`; default:')
  expect(reference).toContain('### `coverage.minimum`  Type: `Record<string, number>`; default: `{}`')
})

test('only the text between the markers is replaced', () => {
  const page = `before\n${REFERENCE_START}\nold\n${REFERENCE_END}\nafter`
  const fresh = refreshReference(page)
  expect(fresh).toBe(`before\n${REFERENCE_START}\n\n${generateReference()}\n\n${REFERENCE_END}\nafter`)
  expect(refreshReference(fresh ?? '')).toBe(fresh)
  expect(refreshReference('no markers')).toBeUndefined()
})

test('docs/options.md is current', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../../docs/options.md'), 'utf8')
  expect(page, 'run node scripts/options.mjs').toBe(refreshReference(page))
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
