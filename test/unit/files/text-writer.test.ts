import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LazyTexts } from '../../../src/catalog/model.ts'
import { parseTranslationText } from '../../../src/files/read.ts'
import { createTextWriter } from '../../../src/files/text-writer.ts'
import { jsonModule, messagesJson } from '../../../src/modules/literal.ts'

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

const written = (text: string, writer = createTextWriter('.')) => writer.write('common', Buffer.from(text))
const codeOf = (texts: LazyTexts | undefined) => texts?.module?.bytes.toString('utf8')

test('what the quick reader takes, the careful one reads the same and finds nothing wrong with', () => {
  // One for all: what it remembers of a namespace's keys must not show.
  const writer = createTextWriter('.')
  let taken = 0
  fc.assert(
    fc.property(
      fc.dictionary(KEY, NODE),
      fc.constantFrom(undefined, 2, '\t'),
      fc.constantFrom('', '\n', ' \r\n'),
      fc.constantFrom('', '', 'twice', 'control', 'comma', 'cut', 'half'),
      (value, indent, end, damage) => {
        const bytes = damaged(Buffer.from(JSON.stringify(value, null, indent) + end), damage)
        const texts = writer.write('common', bytes)
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
    { numRuns: 3_000 },
  )
  expect(taken).toBeGreaterThan(100)
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
  const writer = createTextWriter('.', [['a', 'b', 'c']])
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
