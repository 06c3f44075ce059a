import { expect, test } from 'vitest'
import { coloured, plain, quotedChange, toTerminal } from '../../../src/cli/text.ts'

test.each([
  ['en', 'Your cart', 'Your basket', '"Your [-cart-]"', '"Your {+basket+}"'],
  ['en', 'Add to cart', 'Add it to cart', '"Add to cart"', '"Add {+it +}to cart"'],
  ['ja', 'お茶を買う', '紅茶を買う', '"[-お茶-]を買う"', '"{+紅茶+}を買う"'],
  // Nothing in common but a full stop: marks would only be in the way.
  ['en', 'Tak.', 'Nie.', '"Tak."', '"Nie."'],
  ['en', 'Say "a"\nto b', 'Say "a"\nto \u001b[2Jc', '"Say \\"a\\"\\nto [-b-]"', '"Say \\"a\\"\\nto {+\\u001b[2Jc+}"'],
])('%s: %j to %j', (language, before, after, removed, added) => {
  expect(quotedChange(before, after, language, plain)).toEqual([removed, added])
})

test('colours instead of marks', () => {
  const [removed, added] = quotedChange('Your cart', 'Your basket', 'en', coloured).map(toTerminal)
  expect(removed).toBe('"Your \u001b[7mcart\u001b[27m"')
  expect(added).toBe('"Your \u001b[7mbasket\u001b[27m"')
})

test('of a long text, the words around each change', () => {
  const words = (from: number) => Array.from({ length: 200 }, (_, i) => `w${from + i}`).join(' ')
  const text = (middle: string, end: string) => `${words(0)} ${middle} ${words(300)} ${end}`
  const [removed, added] = quotedChange(text('old', 'this'), text('new', 'that'), 'en', plain)
  expect(removed).toMatch(/^"….{60}\[-old-\].{60}….{60}\[-this-\]"$/)
  expect(added).toMatch(/^"….{60}\{\+new\+\}.{60}….{60}\{\+that\+\}"$/)
  const [, longer] = quotedChange('Start', `Start ${words(0)}`, 'en', plain)
  expect(longer).toMatch(/^"Start\{\+ w0 .{390,}…\+\}"$/)
})
