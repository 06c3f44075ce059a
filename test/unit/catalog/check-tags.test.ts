import { expect, test } from 'vitest'
import { checkTags } from '../../../src/catalog/check-placeholders.ts'

const found = (en: string, text: string) =>
  checkTags(text, en).map(({ severity, message }) => `${severity}: ${message}`)

test('the same tags, in any order and of any kind', () => {
  const same = [
    ['<0>a</0> <b>c</b>', '<b>c</b> <0>a</0>'],
    ['a<br/>b', 'a<br />b'],
    ['a<br>b', 'a<br></br>b'],
    ['<a href="x">a</a>', '<a href="y" class="z">b</a>'],
    ['<1></1>', '<1/>'],
    ['<b>a</b>', '<b>a</b> und <b>b</b>'],
    ['<i><b>a</b></i>', '<b><i>a</i></b>'],
    ['{n, plural, one {<b>#</b> a} other {<b>#</b> b}}', '{n, plural, other {<b>#</b> c}}'],
  ] as const
  for (const [en, text] of same) expect(found(en, text)).toEqual([])
})

test('tags that are missing, unknown or not closed', () => {
  expect(found('<0>a</0><1/>', 'a')).toEqual(['error: lacks <0>, <1>'])
  expect(found('a', '<b>a</b>')).toEqual(['error: has <b>, which the default language does not'])
  expect(found('<bold>a</bold>', '<Bold>a</Bold>')).toEqual([
    'error: lacks <bold> and has <Bold>, which the default language does not',
  ])
  for (const text of ['<0>a', 'a</0>', '<0>a<0>', '</0>a<0>'])
    expect(found('<0>a</0>', text)).toEqual(['error: has unbalanced <0> tags'])
  expect(found('<0>a</0><1>b</1>', '<0>a<1>b</0></1>')).toHaveLength(1)
})

test('emphasis and line breaks that differ are warnings where the app shows tags', () => {
  expect(found('<em>a</em>', '<strong>a</strong>')).toEqual([
    'warning: lacks <em> and has <strong>, which the default language does not',
  ])
  expect(found('<p>a</p><br><p>b</p>', '<p>a</p><p>b</p>')).toEqual(['warning: lacks <br>'])
  expect(found('<em>a</em>', 'a')).toEqual(['error: lacks <em>'])
})

test('what is no tag', () => {
  const texts = [
    'a < b and c > d',
    'a<b',
    '<email@example.com>',
    'Ann <ann@example.com>',
    '<https://example.com>',
    '<unknown>',
    'Map<String, List<Number>>',
    '<!-- x -->',
    '<>',
    '< b >x< /b >',
    '<-- --> </> <3',
    "'<b>'x'</b>'",
  ]
  for (const text of texts) {
    expect(found(text, 'translated')).toEqual([])
    expect(found('plain', text)).toEqual([])
  }
})

test('long texts take time in proportion', () => {
  const start = process.cpuUsage()
  for (const text of ['<', '<a ', '<a>', '</a>', '<a/'].map((part) => part.repeat(50_000))) found(text, text)
  // In µs of work.
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000)
})
