import { describe, expect, test } from 'vitest'
import { readText } from '../../../src/catalog/check-placeholders.ts'
import { guessSyntax } from '../../../src/catalog/placeholders.ts'

describe('guessSyntax', () => {
  test.each([
    ['Save', 'none'],
    ['{name}', 'single'],
    ['{{name}}', 'double'],
    ['{n, plural, other {#}}', 'icu'],
    ['{when, date, short}', 'icu'],
    ['{a, b}', 'single'],
    ['{{value, number}}', 'double'],
    ['a { b', 'single'],
  ])('%s is %s', (text, syntax) => expect(guessSyntax(text)).toBe(syntax))
})

describe('readText', () => {
  test.each([
    ['double', 'Hi {{ name }}, {{- raw}}, {{n, number}}, {single}', ['name', 'raw', 'n']],
    ['single', 'Hi {name} {0} {a.b} { c }, not {} nor {a b}', ['name', '0', 'a.b', 'c']],
    ['single', 'Cześć {imię}', ['imię']],
    [
      'icu',
      "{n, plural, one {# of {total}} other {{deep, select, a {{x}} other {}}}} '{quoted}' <b>{bold}</b>",
      ['n', 'total', 'deep', 'x', 'bold'],
    ],
    ['none', '{x}', []],
  ] as const)('%s: %s', (syntax, text, names) => {
    const found = readText(text, syntax)
    expect(found.problem).toBeUndefined()
    expect([...found.names].sort()).toEqual([...names].sort())
  })

  test.each([
    ['{n, plural, one {x}}', 'missing other clause at character 20'],
    ['{n, plural, one {x} other {y}', /character/],
    ['{n, nonsense}', /invalid argument type at character/],
    ['line\n{n, plural,}', /at line 2, character/],
  ])('malformed: %s', (text, problem) => {
    expect(readText(text, 'icu').problem).toMatch(problem)
  })
})
