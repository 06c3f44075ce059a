import { expect, test } from 'vitest'
import { wordDiff } from '../../../src/shared/word-diff.ts'

const MARKS = { same: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] }
const show = (before: string, after: string, language = 'en') =>
  wordDiff(before, after, language)
    .map(({ kind, text }) => MARKS[kind].join(text))
    .join('')

test.each([
  ['Your cart', 'Your cart', 'Your cart'],
  ['Your cart', 'Your basket', 'Your [-cart-]{+basket+}'],
  ['Add to cart', 'Add {count} items to the cart now', 'Add {+{count} items +}to {+the +}cart{+ now+}'],
  ['Delete all of your files?', 'Remove your files?', '[-Delete all of-]{+Remove+} your files?'],
  ['Hello, well met', 'Hello, it is good', 'Hello, [-well met-]{+it is good+}'],
  ['', 'New', '{+New+}'],
  ['Old', '', '[-Old-]'],
  ['a b a b', 'b a b a', '[-a -]b a b{+ a+}'],
])('%j to %j', (before, after, expected) => {
  expect(show(before, after)).toBe(expected)
})

test.each([
  ['zh', '我喜欢猫', '我喜欢狗', '我喜欢[-猫-]{+狗+}'],
  ['ja', '東京に行きます', '京都に行きます', '[-東京-]{+京都+}に行きます'],
  ['th', 'ฉันชอบกินข้าว', 'ฉันชอบกินปลา', 'ฉันชอบกิน[-ข้าว-]{+ปลา+}'],
  ['ar', 'سلة التسوق فارغة', 'سلة المشتريات فارغة', 'سلة [-التسوق-]{+المشتريات+} فارغة'],
])('words of %s', (language, before, after, expected) => {
  expect(show(before, after, language)).toBe(expected)
})

test('a character of several code points is never divided', () => {
  expect(show('Hi 👩‍🚀!', 'Hi 👩‍🔬!')).toBe('Hi [-👩‍🚀-]{+👩‍🔬+}!')
  expect(show('cafe\u0301', 'cafe')).toBe('[-cafe\u0301-]{+cafe+}')
})

test.each(['pt_BR', 'zh_Hant', 'customer one', ''])('a language that is called %j', (language) => {
  expect(show('Your cart', 'Your basket', language)).toBe('Your [-cart-]{+basket+}')
})

test('long texts that have nothing in common', () => {
  const words = (word: string) => Array.from({ length: 2_000 }, (_, i) => `${word}${i}`).join(' ')
  const pieces = wordDiff(`Same ${words('a')} end`, `Same ${words('b')} end`, 'en')
  expect(pieces.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same'])
})

test('every piece together is the text before, and the text after', () => {
  const vocabulary = ['a', 'b', 'cc', ', ', ' ', '\n', '{x}', 'é']
  let seed = 1
  const next = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  const text = () => Array.from({ length: next(12) }, () => vocabulary[next(vocabulary.length)]).join('')
  for (let i = 0; i < 500; i++) {
    const [before, after] = [text(), text()]
    const pieces = wordDiff(before, after, 'en')
    const without = (kind: string) =>
      pieces
        .filter((piece) => piece.kind !== kind)
        .map(({ text }) => text)
        .join('')
    expect([without('added'), without('removed')]).toEqual([before, after])
  }
})
