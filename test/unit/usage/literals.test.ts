// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** `onUnknown: 'literals'`: what a call with an unknown key keeps, where, and why. */
import { expect, test } from 'vitest'
import { scanLiterals } from '../../../src/usage/literals.ts'
import { usedIn } from '../../helpers/usage.ts'

const SETUP = "import i18n from 'i18next'; i18n.init({ lng: 'en', defaultNS: 'common' });"
const UNKNOWN = `${SETUP} import { useTranslation } from 'react-i18next'; const { t } = useTranslation('shop'); t(item.label)`
const LITERALS = { onUnknown: 'literals' } as const

/** Which of the keys of `shop` are kept. */
function keptOf(code: string, keys: readonly string[], call = UNKNOWN): string[] {
  const used = usedIn({ 'src/call.jsx': call, 'src/table.tsx': code }, LITERALS)
  return keys.filter((key) => used.isUsed('shop', key))
}

test.each([
  ["export const ITEMS = [{ label: 'menu.open' }]", ['menu.open'], ['menu', 'menu.close', 'open']],
  ['const a = \'menu.open\', b = "file\\u002eclose", c = `plain`', ['menu.open', 'file.close', 'plain'], ['file']],
  ["const a = 'item'", ['item', 'item_one', 'item_male_other', 'item_ordinal_two'], ['items', 'item.below']],
  ["const a = 'item'; t(b, { returnObjects: true })", ['item', 'item.below'], ['items']],
  ["const a = 'shop:deep.key'", ['deep.key'], ['deep']],
  ["const a = 'shop.deep.key'", ['deep.key'], ['deep']],
  ["const a = 'common:deep.key'", [], ['deep.key']],
  ['const a = `status.${state}`', ['status.open', 'status.a.b'], ['status', 'other']],
  ["const a = 'status.' + state", ['status.open'], ['status', 'other']],
  ["const a = 'status.'.concat(state)", ['status.open'], ['other']],
  ["const a = ['status', state].join('.')", ['status.open'], ['other']],
  ['const a = `${group}.title`', ['page.title', 'a.b.title'], ['page.titles', 'other']],
  ["const PART = 'status'; const a = PART + '.open'", ['status.open'], ['status.closed']],
  ['const a = `${x}, ${y}`', [], ['a, b', 'other']],
  ['const labels = { open: 1, "closed.now": 2 }; Object.keys(labels)', ['open', 'closed.now'], ['labels']],
  ["enum Kind { Open = 'kind.open' }", ['kind.open'], ['Open']],
  ['<Item label="menu.open" />', ['menu.open'], ['menu.close']],
  ['<Item>Open the menu</Item>', ['Open the menu'], ['Open']],
  ["import x from 'menu.open'; export * from 'menu.close'", [], ['menu.open', 'menu.close']],
  ["type Kind = 'menu.open'", [], ['menu.open']],
  ['// "menu.open"', [], ['menu.open']],
])('%s', (code, kept, left) => {
  expect(keptOf(code, [...kept, ...left])).toEqual(kept)
})

test('other namespaces, and apps without unknown calls, keep nothing for literals', () => {
  const table = "export const ITEMS = ['menu.open']"
  const used = usedIn({ 'src/call.jsx': UNKNOWN, 'src/table.js': table }, LITERALS)
  expect([used.isUsed('shop', 'menu.open'), used.isUsed('common', 'menu.open')]).toEqual([true, false])
  expect(keptOf(table, ['menu.open'], `${SETUP} i18n.t('a')`)).toEqual([])
  expect(used.isWhole('shop')).toBe(false)
  expect(used.unknownCalls).toMatchObject([{ keeps: 'literals', isIgnored: false, namespaces: ['shop'] }])
})

test('a function that goes elsewhere keeps literals; messages as a whole, and unreadable options, keep everything', () => {
  const whole = (code: string) => usedIn({ 'a.jsx': code }, LITERALS).isWhole('shop')
  expect(whole(`${SETUP} format(useTranslation('shop').t)`)).toBe(false)
  expect(whole("import { load } from 'virtual:translations'; show(await load('en', 'shop'))")).toBe(true)
  expect(whole("import { load } from 'virtual:translations'; const m = await load('en', 'shop'); m[key]")).toBe(false)
  expect(whole("import i18n from 'i18next'; i18n.init({ keySeparator: other() }); i18n.t('a.b')")).toBe(true)
  expect(whole("t('a'")).toBe(true)
})

test('a table of a lazily loaded page comes with the page', () => {
  const used = usedIn(
    {
      'src/menu.jsx': UNKNOWN,
      'src/shop.js': "export const ITEMS = ['shop.open']",
      'src/orders.js': "['orders.open']",
    },
    LITERALS,
  )
  const among = (...files: string[]) => {
    const own = used.within((file) => files.includes(file))
    return ['shop.open', 'orders.open'].filter((key) => own.isUsed('shop', key))
  }
  expect(among('src/menu.jsx')).toEqual([])
  expect(among('src/shop.js')).toEqual(['shop.open'])
  expect(among('src/menu.jsx', 'src/orders.js')).toEqual(['orders.open'])
})

test('every key has its reason', () => {
  const table = "export const ITEMS = [\n  'menu.open',\n  `status.${state}`,\n]"
  const used = usedIn(
    { 'src/call.jsx': `${UNKNOWN}; t('title'); t(\`named.\${x}\`)`, 'src/table.js': table },
    { ...LITERALS, keep: ['errors.*'] },
  )
  const reasonOf = (key: string) => used.reasonOf('shop', key)
  expect(reasonOf('title_one')).toMatchObject({ kind: 'key', name: 'title', file: 'src/call.jsx', line: 1 })
  expect(reasonOf('named.a')).toMatchObject({ kind: 'pattern', name: 'named.*', file: 'src/call.jsx' })
  expect(reasonOf('menu.open')).toEqual({
    kind: 'literal',
    name: 'menu.open',
    file: 'src/table.js',
    line: 2,
    column: 3,
  })
  expect(reasonOf('status.open')).toEqual({
    kind: 'pattern',
    name: 'status.*',
    file: 'src/table.js',
    line: 3,
    column: 3,
  })
  expect(reasonOf('errors.server')).toEqual({ kind: 'keep', name: 'errors.*' })
  expect(reasonOf('unused')).toBeUndefined()
  const whole = usedIn({ 'src/call.jsx': UNKNOWN })
  expect(whole.reasonOf('shop', 'unused')).toMatchObject({ kind: 'call', name: 't(item.label)', file: 'src/call.jsx' })
  const more = used.with((_, key) => (key === 'seen' ? { kind: 'reference', name: 'title' } : undefined))
  expect([more.reasonOf('shop', 'seen'), more.isUsed('shop', 'seen')]).toEqual([
    { kind: 'reference', name: 'title' },
    true,
  ])
})

test('the code of packages: every literal, however the code is written', () => {
  const code = [
    `var a='first',b="sec\\u006fnd",c=\`third\`;`,
    `var d=/["']/,e='after a pattern';// don't`,
    `var f='it\\'s',g="say \\"x\\"",h='a\\\nb',i="\\x41\\u{1F600}"`,
    "var j=`${'inside'} ${`deep`}`",
  ].join('\n')
  const texts = scanLiterals(code).map(({ text }) => text)
  const literals = ['first', 'second', 'third', 'after a pattern', "it's", 'say "x"', 'ab', 'A😀', 'inside', 'deep']
  expect(literals.filter((text) => !texts.includes(text))).toEqual([])
})
