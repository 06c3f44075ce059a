/** Compiled texts against FormatJS's own parser. */
import { parse } from '@formatjs/icu-messageformat-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIcuCompiler } from '../../../src/catalog/icu.ts'
import { repeats } from '../../helpers/repeats.ts'

const compile = (text: string, language = 'en') => JSON.parse(createIcuCompiler(language).encode(text)) as unknown

describe('a text', () => {
  test.each(['', 'Title', 'a # b > c', '100 %', 'line\nbreak', '日本語'])(
    'without syntax stays a string: %j',
    (text) => {
      expect(compile(text)).toBe(text)
    },
  )

  test.each([
    'Hello, {name}!',
    '{count, plural, offset:1 =0 {none} one {# file} other {# files of {total, number, ::currency/EUR}}}',
    '{gender, select, female {her} other {<b>{their}</b>}}',
    '{place, selectordinal, one {#st} other {#th}} at {when, date, ::yyyyMMdd} {when, time, short}',
    "it's", // an apostrophe may quote
    "It''s '{quoted}'",
    '<strong>Careful</strong>',
    '{kind, select, __proto__ {a} constructor {b} other {c}}',
  ])('with syntax is what the parser makes of it: %s', (text) => {
    expect(compile(text)).toEqual(JSON.parse(JSON.stringify(parse(text))))
    expect(createIcuCompiler('en').encode(text)).not.toContain('"location"')
  })

  test('the hour format is that of the language, however its name is spelled', () => {
    const text = '{when, time, ::jmm}'
    const parsed = (tag: string) => JSON.parse(JSON.stringify(parse(text, { locale: new Intl.Locale(tag) })))
    expect(compile(text, 'en_US')).toEqual(parsed('en-US'))
    expect(compile(text, 'pt_BR')).toEqual(parsed('pt-BR'))
  })

  test.each([
    ['{count, plural, one {x', /argument closing brace/],
    ['Hello {name', /closing brace at character/],
    ['<b>open', /unclosed tag/],
    ['{n, plural, one {x}}', /missing other clause/],
    ['}', /./],
  ])('that is no message stays a string, and what is wrong is told: %s', (text, problem) => {
    const { encode, problems } = createIcuCompiler('en')
    const encoded = encode(text)
    if (Array.isArray(JSON.parse(encoded))) return expect(problems.size).toBe(0)
    expect(encoded).toBe(JSON.stringify(text))
    expect(problems.get(text)).toMatch(problem)
  })

  test('any text: a string that the parser would show unchanged, a tree, or a problem', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      "'",
      '<',
      '>',
      'a',
      ' ',
      '#',
      ',',
      'plural',
      '{x}',
      '<b>',
      '</b>',
      'other {y}',
    )
    const texts = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const { encode, problems } = createIcuCompiler('en')
        const compiled = JSON.parse(encode(text)) as unknown
        if (problems.size > 0) return compiled === text
        const wanted = JSON.stringify(parse(text))
        if (typeof compiled !== 'string') return JSON.stringify(compiled) === wanted
        return compiled === text && (text === '' || wanted === JSON.stringify([{ type: 0, value: text }]))
      }),
      { numRuns: repeats(200, 2_000) },
    )
  })
})

test('the language decides what an hour looks like', () => {
  const text = '{when, time, ::jmm}'
  const patternOf = (language: string) => JSON.stringify(compile(text, language))
  expect(patternOf('en-US')).toContain('"hourCycle":"h12"')
  expect(patternOf('de')).not.toContain('"hourCycle":"h12"')
  // No code that `Intl` knows: as where no language is given.
  expect(compile(text, 'not a language')).toEqual(JSON.parse(JSON.stringify(parse(text))))
})
