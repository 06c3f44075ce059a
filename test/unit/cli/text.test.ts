import { describe, expect, test } from 'vitest'
import { durationMs } from '../../../src/cli/command.ts'
import { patternsOf } from '../../../src/cli/init/detect-files.ts'
import { coloured, duration, findingLine, plain, quoted, table, widthOf } from '../../../src/cli/text.ts'
import { printable } from '../../../src/shared/escape.ts'
import { percent } from '../../../src/shared/figures.ts'
import { fileEnding } from '../../../src/shared/file-pattern.ts'

test('percent rounds neither to 100% nor to 0%', () => {
  expect([0, 0.0001, 0.5, 0.9999, 1].map(percent)).toEqual(['0%', '0.1%', '50%', '99.9%', '100%'])
})

test('duration', () => {
  expect([400, 8_400, 100_000, 7_500_000].map(duration)).toEqual(['0 s', '8 s', '2 min', '2 h 05 min'])
})

test('durationMs', () => {
  expect(['90', '90s', '5min', '5m', '2h'].map(durationMs)).toEqual([90_000, 90_000, 300_000, 300_000, 7_200_000])
  for (const wrong of ['', 'soon', '1.5h']) expect(() => durationMs(wrong)).toThrow('a time such as')
})

describe('output for a terminal', () => {
  test('control characters are shown as escapes', () => {
    expect(printable('a\u001b[2J\u0007\u009b\u202eb\nc\td')).toBe(String.raw`a\u001b[2J\u0007\u009b\u202eb\nc\td`)
  })
  test('quotes are closed, long texts are cut between characters', () => {
    expect(quoted('say "hi"')).toBe(String.raw`"say \"hi\""`)
    expect(quoted('👍👍👍👍', 3)).toBe('"👍👍…"')
  })
})

test('a name with a line feed stays on its line', () => {
  expect(table([{ name: 'a\nb' }], [['name', ({ name }) => name]])).toBe(String.raw`name
a\nb`)
  const finding = { rule: 'r', severity: 'error', message: 'm', namespace: '\n::debug::', file: null } as const
  expect(findingLine(finding, plain)).toBe(String.raw`\n::debug::: error m (r)`)
})

test('columns align with wide characters and colours', () => {
  const rows = [
    { name: '日本語', n: 1 },
    { name: coloured('red', 'red'), n: 22 },
    { name: 'e\u0301', n: 333 },
  ]
  const text = table(rows, [
    ['name', ({ name }) => name],
    ['n', ({ n }) => n],
  ])
  expect(text.split('\n').map(widthOf)).toEqual([11, 11, 11, 11])
})

test('patterns that a path can belong to', () => {
  const patterns = (path: string) =>
    patternsOf(path, fileEnding(path)).map(({ pattern, language }) => `${pattern} ${language}`)
  expect(patterns('src/locales/pt-BR.json')).toEqual(['src/locales/{language}.json pt-BR'])
  expect(patterns('public/en/views/home.json')).toEqual(['public/{language}/{namespace}.json en'])
  expect(patterns('lang/home.zh_Hant.json')).toEqual(['lang/{namespace}.{language}.json zh_Hant'])
  expect(patterns('src/app/percentages.json')).toEqual([])
})
