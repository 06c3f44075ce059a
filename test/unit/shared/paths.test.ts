import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSegment, encodeSegment, foldName, isInside } from '../../../src/shared/paths.ts'
import { anyText } from '../../helpers/any-text.ts'
import { repeats } from '../../helpers/repeats.ts'
import '../../helpers/seed.ts'

test.each([
  ['common', 'common'],
  ['pt-BR', 'pt-BR'],
  ['żółć 漢字', 'żółć 漢字'],
  ['', '%empty'],
  ['%empty', '%25empty'],
  ['.', '%2E'],
  ['..', '%2E%2E'],
  ['../x', '%2E.%2Fx'],
  ['.git', '%2Egit'],
  ['a.', 'a%2E'],
  ['a. ', 'a%2E%20'],
  ['a:b', 'a%3Ab'],
  ['a\\b', 'a%5Cb'],
  ['a\u0000b', 'a%00b'],
  ['CON', '%43ON'],
  ['con.fig', '%63on.fig'],
  ['console', 'console'],
  ['LPT1', '%4CPT1'],
  ['node_modules', '%6Eode_modules'],
  ['100%', '100%25'],
])('%j is written %j', (name, segment) => {
  expect(encodeSegment(name)).toBe(segment)
  expect(decodeSegment(segment)).toBe(name)
})

test('any name becomes one safe segment and comes back', () => {
  const piece = fc.constantFrom(
    '.',
    ' ',
    '/',
    '\\',
    '%',
    '%2E',
    '%empty',
    'con',
    'NUL',
    ':',
    '\u0000',
    'é',
    '😀',
    'a',
    'node_modules',
  )
  const name = fc.oneof(
    fc.array(piece, { maxLength: 4 }).map((parts) => parts.join('')),
    anyText(),
  )
  fc.assert(
    fc.property(name, fc.constantFrom('', '.', '-_.'), (value, also) => {
      const segment = encodeSegment(value, also)
      expect(decodeSegment(segment)).toBe(value)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be absent
      expect(segment).not.toMatch(/[\u0000-\u001f\u007f<>:"/\\|?*]|^\.|[. ]$|^$/)
      expect(segment).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
      for (const character of also) expect(segment).not.toContain(character)
    }),
    { numRuns: repeats(300, 2000) },
  )
})

test('a name in another normal form than C comes back whatever a disk makes of it', () => {
  for (const name of ['cafe\u0301', '\u212b', 'e\u0301/\u00e9', '\u1112\u1161\u11ab']) {
    const segment = encodeSegment(name)
    for (const form of ['NFC', 'NFD'] as const) expect(decodeSegment(segment.normalize(form))).toBe(name)
  }
  expect(encodeSegment('caf\u00e9')).toBe('caf\u00e9')
  expect(decodeSegment('cafe\u0301')).toBe('caf\u00e9')
})

test('what is no encoding stays as it is', () => {
  for (const segment of ['100%', '%zz', '%ff', 'a%']) expect(decodeSegment(segment)).toBe(segment)
})

test('inside or not', () => {
  expect(isInside('/a/b', '/a/b')).toBe(true)
  expect(isInside('/a/b', '/a/b/..c')).toBe(true)
  expect(isInside('/a/b', '/a/bc')).toBe(false)
  expect(isInside('/a/b', '/a')).toBe(false)
  expect(isInside('/a/b', '/a/b/../c')).toBe(false)
})

test('case and normal form fold together', () => {
  expect(foldName('EN')).toBe(foldName('en'))
  expect(foldName('e\u0301')).toBe(foldName('\u00e9'))
  expect(foldName('en')).not.toBe(foldName('de'))
})
