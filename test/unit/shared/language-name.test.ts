import { expect, test } from 'vitest'
import { languageName } from '../../../src/shared/language-name.ts'

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

test.each([
  ['de', 'German'],
  ['pt-BR', 'Brazilian Portuguese'],
  ['pt_BR', 'Brazilian Portuguese'],
  ['zh-Hant', 'Traditional Chinese'],
  ['fil', 'Filipino'],
  // Not in the list: what this Node says.
  ['de-LU', 'German (Luxembourg)'],
  ['sr_Latn_ME', 'Serbian (Latin, Montenegro)'],
  // No languages.
  ['xj', 'xj'],
  ['qqz', 'qqz'],
  ['a', 'a'],
  ['DE', 'German'],
  ['de|fr', 'de|fr'],
  ['en:English', 'en:English'],
  ['no language at all', 'no language at all'],
])('%s is %s', (key, name) => {
  expect(languageName(key)).toBe(name)
})

test('the list says what Node says, but for names that newer data changes', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = letters.flatMap((a) => letters.map((b) => a + b))
  const differing = codes.filter((code) => languageName(code) !== (names.of(code) ?? code))
  expect(differing.length, differing.join()).toBeLessThan(5)
})
