import { expect, test } from 'vitest'
import { emptied, readPlural, withForm, writePlural } from '../../../src/inspector/page/plural-fields.ts'

const ORDER = ['zero', 'one', 'two', 'few', 'many', 'other']
const formsOf = (text: string) => Object.fromEntries(readPlural(text)?.forms ?? [])

test.each([
  '{count, plural, one {# file} other {# files}}',
  'You have {count, plural, =0 {none} one {<b>#</b> file} other {{name} has # files}} left.',
  '{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}',
  '{n, plural,\n  one {a}\n  other {b}\n}',
  "'{quoted}' {n, plural, other {it''s '{' here}}",
])('%s is the same when it is put together again', (text) => {
  const plural = readPlural(text)
  expect(plural && writePlural(plural)).toBe(text)
})

test('a message without spaces gets the usual ones', () => {
  const plural = readPlural('{n,plural,offset:1 one{a}other{b}}')
  expect(plural && writePlural(plural)).toBe('{n,plural,offset:1 one {a} other {b}}')
})

test('forms are read with everything in them', () => {
  expect(formsOf('{n, plural, one {{who} {x, select, a {1} other {2}}} other {}}')).toEqual({
    one: '{who} {x, select, a {1} other {2}}',
    other: '',
  })
})

test.each([
  'no plural {n}',
  '{a, plural, other {1}} {b, plural, other {2}}',
  '{n, plural, one {a} one {b} other {c}}',
  '{n, plural, one {a}',
  '{n, plural, one}',
  '{n, plural, }',
  'a } {n, plural, other {b}}',
])('%s has no fields', (text) => {
  expect(readPlural(text)).toBeUndefined()
})

test('a new form goes to its place, and an empty one is taken out', () => {
  const plural = readPlural('{n, plural, =0 {none} one {# a} other {# b}}')
  if (!plural) throw new Error('no plural')
  const few = withForm(plural, 'few', '# c', ORDER)
  expect(writePlural(few)).toBe('{n, plural, =0 {none} one {# a} few {# c} other {# b}}')
  expect(writePlural(withForm(few, 'few', '', ORDER))).toBe('{n, plural, =0 {none} one {# a} other {# b}}')
  expect(writePlural(withForm(plural, 'other', '', ORDER))).toBe('{n, plural, =0 {none} one {# a} other {}}')
})

test('a gap gets the plural of the text it translates', () => {
  const plural = readPlural('You, {name}, have {n, plural, one {# a} other {# b}} left')
  if (!plural) throw new Error('no plural')
  expect(writePlural(withForm(emptied(plural), 'one', 'x', ORDER))).toBe('{n, plural, one {x} other {}}')
})
