import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readNativeJson } from '../../../src/files/formats/json/native.ts'
import { parseTranslationText } from '../../../src/files/read.ts'
import { repeats } from '../../helpers/repeats.ts'

const KEY = fc.oneof(
  fc.constantFrom('a', 'b', 'a.b', '__proto__', 'constructor', '10', '9', '', 'é', '"', '\\', '<!--'),
  fc.string({ unit: 'grapheme' }),
)
const TEXT = fc.oneof(
  fc.constant(''),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('<!--', '</script>', '\u2028', '…', '"q"', '\\', 'a\\"', 'two\nlines', '\u0000', '😀'),
)
const NODE: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    TEXT,
    TEXT,
    fc.dictionary(KEY, tie('node')),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.constantFrom(null, 1, true, false),
  ),
})).node

test('the two parsers read alike whatever the quick one takes, and it finds nothing wrong with it', () => {
  let taken = 0
  for (const separator of ['.', '\u241F'])
    fc.assert(
      fc.property(
        fc.dictionary(KEY, NODE),
        fc.constantFrom(undefined, 2, '\t'),
        fc.constantFrom('', '\n', ' \r\n'),
        fc.constantFrom('', '', 'twice', 'control', 'comma', 'cut', 'half', 'mark'),
        (value, indent, end, damage) => {
          const bytes = damaged(Buffer.from(JSON.stringify(value, null, indent) + end), damage)
          const found = readNativeJson(bytes, separator)
          if (!found) return
          taken++
          const { diagnostics, entries, values } = parseTranslationText(bytes, { keySeparator: separator })
          expect(diagnostics).toEqual([])
          expect([...found.entries]).toEqual([...entries])
          expect(found.values && [...found.values]).toEqual(values && [...values])
        },
      ),
      { numRuns: repeats(400, 3_000) },
    )
  expect(taken).toBeGreaterThan(repeats(30, 200))
})

function damaged(file: Buffer, how: string): Buffer {
  const half = file.length >> 1
  const [start, end] = [file.subarray(0, half), file.subarray(half)]
  if (how === 'control') return Buffer.concat([start, Buffer.from('\t'), end])
  if (how === 'half') return Buffer.concat([start, Buffer.from([0xc3]), end])
  if (how === 'cut') return start
  const text = file.toString('utf8')
  if (how === 'mark') return Buffer.from(`\ufeff${text}`)
  if (how === 'twice') return Buffer.from(text.replace(/"([^"]*)"(\s*):\s*"/, (found) => `${found}x", ${found}`))
  return how === 'comma' ? Buffer.from(text.replace('}', ',}')) : file
}

test.each([
  ['{"a": "x", "b": {"c": ["y", {"d": true}]}}', ['a', 'b.c.0']],
  ['{"__proto__": "x", "a": {"constructor": "y"}}', ['__proto__', 'a.constructor']],
  ['{"a": "\\u00e9\\u0000 \\\\\\""}', ['a']],
  ['{"a": "\\\\", "\\"b\\"": "\\\\\\"", "c": "\\\\\\\\"}', ['a', '"b"', 'c']],
  ['{}', []],
])('%s is read quickly', (text, keys) => {
  expect([...(readNativeJson(Buffer.from(text), '.')?.entries.keys() ?? ['none'])]).toEqual(keys)
})

test.each([
  ['a number, whose notation JSON.parse loses', '{"a": "x", "b": 1.0}'],
  ['a name that objects sort', '{"b": "x", "10": "y"}'],
  ['a name that objects sort, inside an object', '{"a": {"b": "x", "10": "y"}}'],
  ['an empty name', '{"": "x"}'],
  ['an empty name after another one', '{"a": "x", "": "y"}'],
  ['values without a text', '{"a": [true]}'],
  ['half a character', '{"a": "\\ud800"}'],
  ['a key twice', '{"a": "x", "a": "x"}'],
  ['a key twice, with an escape', '{"a\\"": "x", "a\\u0022": "y"}'],
  ['an object twice', '{"a": {"b": "x"}, "a": {"c": "y"}}'],
  ['an object and a text', '{"a": {"b": "x"}, "a": "y"}'],
  ['two paths to one key', '{"a": {"b": "x"}, "a.b": "y"}'],
  ['two paths to one key, one through an array', '{"a": ["x"], "a.0": "y"}'],
  ['a text and a value of one key', '{"a": {"b": null}, "a.b": "y"}'],
  ['a byte order mark', '\ufeff{"a": "x"}'],
  ['101 levels', `${'{"a":'.repeat(101)}"x"${'}'.repeat(101)}`],
  ['101 arrays', `{"a": "x", "b": ${'['.repeat(100)}${']'.repeat(100)}}`],
  ['an array as the root', '["x"]'],
  ['a text as the root', '"x"'],
  ['nothing', ''],
  ['a trailing comma', '{"a": "x",}'],
  ['a comment', '{"a": "x"} // comment'],
  ['a cut file', '{"a": "x"'],
  ['an unknown escape', '{"a": "\\x"}'],
  ['a control character', '{"a": "x\u0000y"}'],
])('left to the parser with positions: %s', (_what, text) => {
  expect(readNativeJson(Buffer.from(text), '.')).toBeUndefined()
})

test('a file that is not UTF-8 is left to the other parser, and so is the joint of names in a name', () => {
  expect(readNativeJson(Buffer.from('{"a": "\xe9"}', 'latin1'), '.')).toBeUndefined()
  expect(readNativeJson(Buffer.from('{"a\u241Fb": "x"}'), '\u241F')).toBeUndefined()
})
