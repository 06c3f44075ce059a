import { expect, test } from 'vitest'
import { previewsOf } from '../../../src/inspector/preview.ts'

const shown = (text: string, language = 'en', isIcu = false, form?: Parameters<typeof previewsOf>[3]) =>
  previewsOf(text, language, isIcu, form).map(({ example, text: preview }) =>
    [example, preview].filter(Boolean).join(': '),
  )

test('every form of an ICU plural, for the numbers of the language', () => {
  expect(shown('{n, plural, =0 {none} one {# file of {name}} other {# files}}')).toEqual([
    'n = 0: none',
    'n = 1: 1 file of Ada',
    'n = 2: 2 files',
  ])
  expect(shown('{n, plural, one {# plik} few {# pliki} many {# plików} other {#}}', 'pl')).toEqual([
    'n = 1: 1 plik',
    'n = 2: 2 pliki',
    'n = 0: 0 plików',
  ])
  expect(shown('{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}')).toHaveLength(4)
})

test('every branch of a select, numbers, and names that tell what they stand for', () => {
  expect(shown('{who, select, me {I} other {{name}}}')).toEqual(['who = me: I', 'who = other: Ada'])
  expect(shown('{count, number} of {thing}')).toEqual(['5 of ‹thing›'])
  expect(shown('{n, number} of {constructor}')).toEqual(['5 of ‹constructor›'])
})

test("i18next's placeholders, and the number of the form", () => {
  expect(shown('{{count}} pliki, {{ name }}', 'pl', false, { category: 'few', type: 'cardinal' })).toEqual([
    'count = 22: 22 pliki, Ada',
  ])
  expect(shown('Hello, {{- userName}}! {{value, number}} {kept}')).toEqual(['Hello, Ada! ‹value› {kept}'])
  expect(shown('Hello, {name}!')).toEqual(['Hello, Ada!'])
})

test('nothing to fill in, and nothing that can be read', () => {
  expect(shown('plain')).toEqual([])
  expect(shown('{n, plural, one {')).toEqual([])
  expect(shown('{name', 'en', true)).toEqual([])
  expect(shown('Hello, {name}', 'not a tag', true)).toEqual(['Hello, Ada'])
})
