import { type MessageFormatElement, parse } from '@formatjs/icu-messageformat-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { pseudoLocalize, withPseudoLanguage } from '../../../src/catalog/pseudo.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { anyText } from '../../helpers/any-text.ts'
import { repeats } from '../../helpers/repeats.ts'
import '../../helpers/seed.ts'

const lengthOf = (text: string) => [...text].length

describe('what is kept', () => {
  test.each([
    ['Hello', '[Ĥééļļöö]'],
    ['Hello, {name}!', '[Ĥééļļöö, {name}!]'],
    [
      'Hello, {{ name }}, {{- raw}}, {{n, number(minimumFractionDigits: 2)}}',
      '[Ĥééļļöö, {{ name }}, {{- raw}}, {{n, number(minimumFractionDigits: 2)}}]',
    ],
    ['See $t(common:title, {"count": {{n}} }) now', '[Šéééé $t(common:title, {"count": {{n}} }) ñöŵ]'],
    [
      '{n, plural, =0 {none} one {# file} other {# files}}',
      '[{n, plural, =0 {ñööñéé} one {# ƒîîļéé} other {# ƒîîļééš}}]',
    ],
    ["It''s '{quoted} text' in {n, number}", "[ÎÎţ''š '{quoted} text' îîñ {n, number}]"],
    [
      '{g, select, male {{n, plural, one {he has one} other {he has #}}} other {x}}',
      '[{g, select, male {{n, plural, one {ĥéé ĥááš ööñé} other {ĥéé ĥááš #}}} other {ẋ}}]',
    ],
    ['{when, date, ::yyyyMMdd} by {who}', '[{when, date, ::yyyyMMdd} ƀýý {who}]'],
    [
      '<a href="/x" title="Go > there">Go</a> &amp; <0>come</0><br/>',
      '[<a href="/x" title="Go > there">Ĝöö</a> &amp; <0>çööɱéé</0><br/>]',
    ],
    ['a < b and b > a', null],
    ['100% of %s, %d, %1$s, %(name)s, %-5.2f, %@ and %%', null],
    ['%name% and __name__', null],
    ['tab\\there \\u00e9 \\x41', null],
    ['Go to https://example.com/{id}/path?q=1 now', null],
    ['Write to someone@example.com', null],
    ['@:common.title and @.lower:{key}', null],
    ['$' + '{value} left', null],
  ])('%j', (text, expected) => {
    if (expected !== null) return expect(pseudoLocalize(text)).toBe(expected)
    expect(pseudoLocalize(text)).not.toBe(`[${text}]`)
    expect(marksOf(pseudoLocalize(text))).toEqual(marksOf(text))
  })

  test.each(['', '  ', 'https://example.com/a?b=c', ' mailto:a@b.example '])('the whole of %j', (text) => {
    expect(pseudoLocalize(text)).toBe(text)
  })
})

/** Read here on their own, so that a fault of the package shows. */
function marksOf(text: string): string[] {
  const patterns = [
    /\{+[^{}]*\}+/g,
    /<[/a-z0-9][^<>]*>/gi,
    /&#?\w+;/g,
    /%(?:\d+\$|\(\w+\))?[-.\d]*[a-z@%]/gi,
    /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|.)/gi,
    /https?:\S+/g,
    /\w+@[\w.]+/g,
    /@[.\w]*:[\w.{}]+/g,
    /__\w+__/g,
  ]
  return patterns.flatMap((pattern) => text.match(pattern) ?? []).sort()
}

test('adds about a third, and accents every letter', () => {
  const sentences = fc.stringMatching(/^[a-z]{2,10}( [a-z]{2,10}){5,20}$/)
  fc.assert(
    fc.property(sentences, (text) => {
      const changed = pseudoLocalize(text)
      expect(changed).not.toMatch(/[a-z]/i)
      const letters = text.replaceAll(' ', '').length
      const added = (lengthOf(changed) - 2 - text.length) / letters
      expect(added).toBeGreaterThan(0.3 - 2 / letters)
      expect(added).toBeLessThan(0.4 + 2 / letters)
      expect(pseudoLocalize(text)).toBe(changed)
    }),
  )
})

test('an accented letter is one character, distinct from every other', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const accented = [...letters].map((letter) => [...pseudoLocalize(letter)][1] as string)
  expect(new Set(accented).size).toBe(letters.length)
  for (const letter of accented) expect(letter.normalize('NFC')).toBe(letter)
})

/** Messages of every kind ICU has, as text. */
const icu = fc.letrec<{ message: string; part: string }>((tie) => {
  const name = fc.constantFrom('n', 'who', 'a_b', '0')
  const branch = tie('message')
  const words = fc.string({
    unit: fc.constantFrom('a', 'e', 'x', 'Z', ' ', '<b>', '</b>', '&amp;', "''", "'{a}'", '%s', 'é', '😀', '.'),
    maxLength: 8,
  })
  return {
    part: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      words,
      name.map((each) => `{${each}}`),
      fc
        .tuple(name, fc.constantFrom('number', 'date, short', 'time, ::HHmm', 'number, ::currency/EUR'))
        .map(([each, format]) => `{${each}, ${format}}`),
      fc
        .tuple(name, branch, branch, branch)
        .map(
          ([each, zero, one, other]) => `{${each}, plural, offset:1 =0 {${zero}} one {# ${one}} other {${other} #}}`,
        ),
      fc.tuple(name, branch, branch).map(([each, male, other]) => `{${each}, select, male {${male}} other {${other}}}`),
    ),
    message: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join(' ')),
  }
}).message

/** Everything of a message but its words. */
function skeletonOf(elements: readonly MessageFormatElement[]): unknown[] {
  return elements.flatMap((element): unknown[] => {
    if (element.type === 0) return []
    const { location: _, ...rest } = element
    if (!('options' in rest)) return [rest]
    return [{ ...rest, options: Object.entries(rest.options).map(([name, { value }]) => [name, skeletonOf(value)]) }]
  })
}

test('an ICU message stays one, with the same arguments in the same places', () => {
  const options = { ignoreTag: true, captureLocation: false }
  let formatted = 0
  fc.assert(
    fc.property(icu, (text) => {
      if (!/\{\s*\w+\s*,/.test(text)) return
      formatted++
      const before = parse(text, options)
      const after = parse(pseudoLocalize(text), options)
      expect(JSON.stringify(skeletonOf(after))).toBe(JSON.stringify(skeletonOf(before)))
    }),
    { numRuns: repeats(150, 500) },
  )
  expect(formatted).toBeGreaterThan(repeats(30, 100))
})

test('any text keeps its placeholders, and nothing is thrown', () => {
  const pieces = fc.constantFrom(
    '{a}',
    '{{b}}',
    '{{ c }}',
    '%s',
    '%d',
    '%1$s',
    '<i>',
    '</i>',
    '&lt;',
    '\\n',
    ' word',
    ' ',
    'x',
    '{',
    '}',
    "'",
    '😀',
    '日本',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, anyText({ maxLength: 3 })), { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const changed = pseudoLocalize(text)
      const count = (within: string, what: string) => within.split(what).length
      for (const what of ['{a}', '{{b}}', '{{ c }}', '%1$s', '<i>', '</i>', '&lt;', '\\n', '{', '}', '\n']) {
        expect(count(changed, what)).toBe(count(text, what))
      }
    }),
    { numRuns: repeats(150, 500) },
  )
})

test('texts of any length take time in proportion', () => {
  for (const unit of ['a', 'a.', '<a ', '__', '%', '{', '$t(', "'{", 'a@', '&a', '\\', 'www.', '<!--', '"'])
    expect(lengthOf(pseudoLocalize(unit.repeat(5_000)))).toBeGreaterThan(5_000)
})

describe('the language', () => {
  const catalog = createCatalog({
    parts: [
      {
        language: 'en',
        namespace: 'common',
        messages: [
          ['title', 'Title'],
          ['gap', ''],
        ],
      },
      { language: 'en', namespace: 'common', customer: 'acme', messages: [['title', 'Acme']] },
      {
        language: 'pl',
        namespace: 'common',
        messages: [
          ['title', 'Tytuł'],
          ['only', 'Tylko'],
        ],
      },
    ],
  })
  const settings = {
    languages: undefined,
    defaultLanguage: 'en',
    fallback: {},
    defaultNamespace: 'common',
    customer: undefined,
    customers: ['acme'],
  }
  const translations = withPseudoLanguage(createTranslations(catalog, settings), 'en-XA')

  test('is one more, made from the default one', () => {
    expect(translations.languages.map(({ key, name, isDefault }) => [key, name, isDefault])).toEqual([
      ['en', 'English', true],
      ['pl', 'Polish', false],
      ['en-XA', 'Pseudo (en-XA)', false],
    ])
    expect([...translations.messages('en-XA', 'common')]).toEqual([['title', pseudoLocalize('Title')]])
    expect([...translations.messages('en-XA', 'common', 'acme')]).toEqual([['title', pseudoLocalize('Acme')]])
    expect(translations.messages('pl', 'common').get('title')).toBe('Tytuł')
    expect(translations.has('en-XA', 'common')).toBe(true)
    expect(translations.has('en-XA', 'nope')).toBe(false)
    expect(translations.chain('en-XA')).toEqual(['en'])
    expect(translations.catalog).toBe(catalog)
  })

  test('is there though the app does not get the default one', () => {
    const some = withPseudoLanguage(createTranslations(catalog, { ...settings, languages: ['pl'] }), 'en-XA')
    expect(some.languages.map(({ key }) => key)).toEqual(['pl', 'en-XA'])
    expect(some.messages('en-XA', 'common').get('title')).toBe(pseudoLocalize('Title'))
  })

  test.each(['pl', 'en'])('takes no code of a real language: %s', (code) => {
    expect(() => withPseudoLanguage(createTranslations(catalog, settings), code)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(JSON.stringify(code)) }),
    )
  })
})
