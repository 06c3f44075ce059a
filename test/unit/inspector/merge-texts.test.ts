import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeTexts } from '../../../src/inspector/page/merge-texts.ts'

const merge = (base: string, mine: string, other: string) => mergeTexts(base, mine, other, 'en')

test('changes of different words are both kept', () => {
  expect(merge('Hello, good old world', 'Hello, dear old world', 'Hello, good old friend')).toBe(
    'Hello, dear old friend',
  )
  expect(merge('Save', 'Save now', 'Please save')).toMatch(/Please.*now|Save now/)
  expect(merge('one two three', 'one three', 'one two three four')).toBe('one three four')
})

test('where both changed the same words, both versions are there', () => {
  expect(merge('The cat sleeps', 'The dog sleeps', 'The bird sleeps')).toBe('The dog bird sleeps')
  expect(merge('', 'mine', 'theirs')).toBe('mine theirs')
  expect(merge('gone', '', 'changed')).toBe('changed')
})

test('the same change is made once, and a single change is taken as it is', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', ' ', ', ', '{n}'), { maxLength: 12 }).map((all) => all.join(''))
  fc.assert(
    fc.property(words, words, (base, text) => {
      expect(merge(base, text, text)).toBe(text)
      expect(merge(base, text, base)).toBe(text)
      expect(merge(base, base, text)).toBe(text)
    }),
  )
})
