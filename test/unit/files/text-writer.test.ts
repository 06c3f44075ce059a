import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { LazyTexts } from '../../../src/catalog/model.ts'
import { parseTranslationText } from '../../../src/files/read.ts'
import { createTextCounter, createTextWriter } from '../../../src/files/text-writer.ts'
import { jsonModule, messagesJson } from '../../../src/output/literal.ts'
import { textEncoding } from '../../../src/output/text-module.ts'
import { repeats } from '../../helpers/repeats.ts'

const KEY = fc.oneof(
  fc.constantFrom('a', 'b', 'a.b', '__proto__', 'constructor', '10', '9', '', 'é', '"', '\\', '<!--'),
  fc.string({ unit: 'grapheme' }),
)
const TEXT = fc.oneof(
  fc.constant(''),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('<!--', '</script>', '<Script', 'a <b>c</b>', '\u2028', '…', '"q"', '\\', 'two\nlines'),
)
const NODE: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 3 }, TEXT, TEXT, fc.dictionary(KEY, tie('node')), fc.constantFrom(null, 1, true, ['x'])),
})).node

const createWriter = (known?: readonly (readonly string[])[]) => createTextWriter('.', textEncoding, known)
const written = (text: string, write = createWriter()) => write('common', Buffer.from(text))
const codeOf = (texts: LazyTexts | undefined) => texts?.module?.bytes.toString('utf8')

test('what the quick reader takes, the careful one reads the same and finds nothing wrong with', () => {
  // One for all: what it remembers of a namespace's keys must not show.
  const writer = createWriter()
  let taken = 0
  fc.assert(
    fc.property(
      fc.dictionary(KEY, NODE),
      fc.constantFrom(undefined, 2, '\t'),
      fc.constantFrom('', '\n', ' \r\n'),
      fc.constantFrom('', '', 'twice', 'control', 'comma', 'cut', 'half'),
      (value, indent, end, damage) => {
        const bytes = damaged(Buffer.from(JSON.stringify(value, null, indent) + end), damage)
        const texts = writer('common', bytes)
        if (!texts) return
        taken++
        const careful = parseTranslationText(bytes, { keySeparator: '.' })
        expect(careful.diagnostics).toEqual([])
        const present = new Map([...careful.entries].filter(([, text]) => text !== ''))
        expect(codeOf(texts)).toBe(jsonModule(messagesJson(present)))
        expect(texts.keys).toEqual([...careful.entries.keys()].sort())
        expect(texts.count).toBe(present.size)
        expect(texts.plain()).toEqual(Object.fromEntries(present))
      },
    ),
    { numRuns: repeats(400, 3_000) },
  )
  expect(taken).toBeGreaterThan(repeats(15, 100))
})

test('plain texts of any spelling are taken', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        KEY.filter((key) => !/[.]|^__proto__$/.test(key)),
        TEXT,
      ),
      (value) => {
        expect(codeOf(written(JSON.stringify(value, null, 2)))).toBeDefined()
      },
    ),
  )
})

function damaged(file: Buffer, how: string): Buffer {
  const half = file.length >> 1
  const [start, end] = [file.subarray(0, half), file.subarray(half)]
  if (how === 'control') return Buffer.concat([start, Buffer.from('\t'), end])
  if (how === 'half') return Buffer.concat([start, Buffer.from([0xc3]), end])
  if (how === 'cut') return start
  const text = file.toString('utf8')
  if (how === 'twice') return Buffer.from(text.replace(/"([^"]*)"(\s*):\s*"/, (found) => `${found}x", ${found}`))
  return how === 'comma' ? Buffer.from(text.replace('}', ',}')) : file
}

test.each([
  '{"a": 1}',
  '{"a": ["x"]}',
  '[]',
  '"x"',
  '',
  '{',
  '{"a": "x",}',
  '{"a" "x"}',
  '{"a": "x"',
  '{"a": "x"}}',
  '{"a": "\\x"}',
  '{"a": "\\',
  '{"a": "\\u00e9"}',
  '{"a": "x\ty"}',
  '{"a": {"b": "x"}, "a": {"c": "y"}}',
  '{"a": "x", "a": {"c": "y"}}',
  '{"a": {"b": "x"}, "a": "y"}',
  '{"a": {"b": "x"}, "a.b": "y"}',
  '{"a": "x", "a": "y"}',
  '{"__proto__": "x"}',
  '\ufeff{"a": "x"}',
])('the quick reader leaves %s to the careful one', (text) => {
  expect(written(text)).toBeUndefined()
  expect(written(`{"a": "before", "b": "it"}`)).toBeDefined()
})

test('the same keys are one array, in whatever order files have them; a gap is left out', () => {
  const writer = createWriter([['a', 'b', 'c']])
  const first = written('{"a": "1", "b": "2", "c": "3"}', writer)
  const second = written('{"c": "3", "a": "", "b": "2"}', writer)
  const third = written('{"c":"","b":"","a":""}', writer)
  expect(second?.keys).toBe(first?.keys)
  expect(third?.keys).toBe(first?.keys)
  expect([first, second, third].map(codeOf)).toEqual([
    'export default {"a":"1","b":"2","c":"3"}\n',
    'export default {"b":"2","c":"3"}\n',
    'export default {}\n',
  ])
})

test('whatever stands wherever in a text, and wherever the file is cut', () => {
  const writer = createWriter()
  for (let before = 0; before < 20; before++) {
    for (const special of [
      '\\"',
      '\\\\',
      '\\n',
      '<!--',
      '</script>',
      '\u2028',
      '\u2029',
      '…',
      '\t',
      '\0',
      '\\u0041',
      '\\x',
      '"',
    ]) {
      const file = Buffer.from(`{"${'k'.repeat(before)}": "${'t'.repeat(before)}${special}", "last": ""}`)
      const careful = parseTranslationText(file, { keySeparator: '.' })
      const texts = writer('common', file)
      const isLeft = ['\t', '\0', '\\u0041', '\\x', '"'].includes(special)
      expect(texts === undefined, `${before} before ${special}`).toBe(isLeft)
      if (!texts) continue
      const present = new Map([...careful.entries].filter(([, text]) => text !== ''))
      expect(codeOf(texts)).toBe(jsonModule(messagesJson(present)))
      const cuts = Array.from({ length: file.length }, (_, end) => end)
      expect(cuts.filter((end) => writer('common', file.subarray(0, end)) !== undefined)).toEqual([])
    }
  }
})

test('files of any size, one after the other', () => {
  const writer = createWriter()
  for (const [count, length] of [
    [1, 1],
    [3_000, 5],
    [3, 300_000],
    [1, 0],
    [300, 3_000],
    [40, 50_000],
    [2, 20],
  ] as const) {
    // Long keys below short ones: what is written is longer than what was read.
    const texts = Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'x'.repeat(length) + i]))
    const file = Buffer.from(JSON.stringify({ branch: { [`long${'g'.repeat(300)}`]: texts } }))
    const flat = Object.entries(texts).map(([key, text]) => [`branch.long${'g'.repeat(300)}.${key}`, text] as const)
    expect(codeOf(writer('common', file)) === jsonModule(messagesJson(new Map(flat)))).toBe(true)
    expect(createTextCounter('.')('common', file)).toBe(count)
  }
})

test('without WebAssembly everything is left to the careful reader', () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('WebAssembly', undefined)
  const write = createWriter()
  expect(write('common', Buffer.from('{"a": "x"}'))).toBeUndefined()
  expect(createTextCounter('.')('common', Buffer.from('{"a": "x"}'))).toBeUndefined()
})
