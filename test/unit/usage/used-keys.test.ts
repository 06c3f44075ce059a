// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** From uses to keys: forms, children, namespaces, separators, and what other modules answer for. */
import { expect, test } from 'vitest'
import { createReferenceCloser } from '../../../src/usage/sources/find.ts'
import { rankUnknownCalls, unknownFindings } from '../../../src/usage/unused.ts'
import { missingIn, usedIn } from '../../helpers/usage.ts'

test('forms and children of a key', () => {
  const used = usedIn({ 'a.js': "t('item'); t('__proto__')" })
  for (const key of ['item', 'item_one', 'item_male_other', 'item_ordinal_two', 'item_plural', 'item.a.b', '__proto__'])
    expect(used.isUsed('shop', key), key).toBe(true)
  for (const key of ['items', 'other', 'a.item', 'constructor']) expect(used.isUsed('shop', key), key).toBe(false)
})

test('namespaces in front of a key, by either separator', () => {
  const used = usedIn({ 'a.js': "t('shop:a'); t('common.b')" })
  expect([used.isUsed('shop', 'a'), used.isUsed('common', 'a'), used.isUsed('common', 'b')]).toEqual([
    true,
    false,
    true,
  ])
})

test('a selector names a second namespace by its first property', () => {
  const setup = "import i18n from 'i18next'; i18n.init({ lng: 'en', ns: ['common', 'shop'], defaultNS: 'common' });"
  const used = usedIn({ 'a.js': `${setup} i18n.t($ => $.shop.a); i18n.t($ => $.b)` })
  expect([used.isUsed('shop', 'a'), used.isUsed('common', 'b'), used.isUsed('default', 'b')]).toEqual([
    true,
    true,
    true,
  ])
  expect([used.isUsed('shop', 'c'), used.isUsed('common', 'c')]).toEqual([false, false])
})

test('without the prefix, a namespace before a dot is a part of the key', () => {
  const files = { 'a.vue.js': "$t('common.b'); $t('common:c'); $t('d')" }
  const used = usedIn(files, { namespaces: ['common'], namespacePrefix: false })
  const keys = ['b', 'common.b', 'c', 'd']
  expect(keys.filter((key) => used.isUsed('common', key))).toEqual(['common.b', 'c', 'd'])
})

test('namespaces are told apart only where i18next is set up in sight', () => {
  const code = "import { useTranslation } from 'react-i18next'; const { t } = useTranslation('shop'); t('a')"
  const set = (options: string) =>
    usedIn({ 'a.js': code, 'i18n.js': `import i18n from 'i18next'; i18n.init(${options})` })
  expect(usedIn({ 'a.js': code }).isUsed('common', 'a')).toBe(true)
  expect(set("{ lng: 'en' }").isUsed('common', 'a')).toBe(false)
  expect(set("{ lng: 'en' }").isUsed('shop', 'a')).toBe(true)
  expect(set("{ fallbackNS: ['common'] }").isUsed('common', 'a')).toBe(true)
  expect(set('options').isUsed('common', 'a')).toBe(true)
})

test('a catalog may join segments otherwise than the app', () => {
  const used = usedIn({ 'a.js': "t('a.b'); t(`c.${x}`)" }, { keySeparator: '/' }, { keySeparator: '/' })
  expect([used.isUsed('shop', 'a/b'), used.isUsed('shop', 'c/d'), used.isUsed('shop', 'e/f')]).toEqual([
    true,
    true,
    false,
  ])
})

test('names that the catalog does not join', () => {
  const used = usedIn({ 'a.js': "t('a.b'); t('Save. Now?')" }, { keySeparator: '\u241f' }, { keySeparator: '\u241f' })
  const keys = ['a\u241fb', 'a.b', 'Save. Now?', 'e\u241ff']
  expect(keys.filter((key) => used.isUsed('shop', key))).toEqual(['a\u241fb', 'a.b', 'Save. Now?'])
  const texts = { 'a\u241fb': '$t(c.d) and @:shop.e', 'c\u241fd': '', e: '', 'c\u241fx': '' }
  const options = { keySeparator: '\u241f' }
  const closed = createReferenceCloser(['shop'], () => Object.entries(texts), options)(used)
  expect(Object.keys(texts).filter((key) => closed.isUsed('shop', key))).toEqual(['a\u241fb', 'c\u241fd', 'e'])
})

test('unknown calls: kept, ignored in a file, ignored everywhere', () => {
  const files = { 'src/own/t.js': 't(key)' }
  expect(usedIn(files).isWhole('shop')).toBe(true)
  expect(usedIn(files, { isIgnored: (file) => file === 'src/own/t.js' }).isWhole('shop')).toBe(false)
  const ignored = usedIn(files, { onUnknown: 'ignore' })
  expect(ignored.isUsed('shop', 'x')).toBe(false)
  expect(ignored.unknownCalls).toMatchObject([
    { file: 'src/own/t.js', line: 1, column: 1, code: 't(key)', isIgnored: true },
  ])
  expect(usedIn({ 'a.js': '' }, { keep: ['errors.*', 'shop:x.*'] }).isUsed('common', 'errors.a.b')).toBe(true)
})

test('a function of another module answers for what it is given', () => {
  const call = "import { t } from './i18n'; import { columns } from './columns'; columns(t)"
  const whole = (columns: string) => usedIn({ 'src/a.js': call, 'src/columns.js': columns }).isWhole('shop')
  expect(whole("export const columns = (t) => t('a')")).toBe(false)
  expect(whole("export const columns = (say) => say('a')")).toBe(true)
  expect(whole('export function columns(t) { deep(t) } function deep(say) { say(1) }')).toBe(true)
  expect(usedIn({ 'src/a.js': call, 'other/columns.js': "export const columns = (t) => t('a')" }).isWhole('shop')).toBe(
    true,
  )
})

test('texts refer to keys, and those to others', () => {
  const used = usedIn({ 'a.js': "t('a')" })
  const texts = { a: '$t(b, {"count": 1}) @:c.d', b: "$t('e')", 'c.d': 'x', e: 'x', f: '$t(g)', g: 'x' }
  const closed = createReferenceCloser(['shop'], () => Object.entries(texts))(used)
  expect(Object.keys(texts).filter((key) => closed.isUsed('shop', key))).toEqual(['a', 'b', 'c.d', 'e'])
})

test('a call of several readings is listed once', () => {
  const used = usedIn({ 'a.js': "t(key, options); t('shop', key); t(\n  key, more)" })
  expect(used.unknownCalls.length).toBeGreaterThan(3)
  const lines = unknownFindings(used, []).map(({ message, place: { line, column } }) => `${line}:${column} ${message}`)
  const why = 'the key is known only at run time; keeps all of default, shop, common'
  expect(lines).toEqual([
    `1:1 t(key, options): ${why}`,
    "1:18 t('shop', key): the key is known only at run time; keeps all of shop",
    `1:34 t( key, more): ${why}`,
  ])
  const template = usedIn({ 'a.vue': '_ctx.$t($setup.kind + $props.name)' }).unknownCalls
  expect(template.map(({ code }) => code)).toEqual(['$t(kind + name)'])
  const literals = usedIn({ 'a.js': 't(key, options)' }, { onUnknown: 'literals' })
  expect(rankUnknownCalls(literals, [])).toMatchObject([{ keeps: 'literals' }])
  const files = { 'a.js': "import { t } from 'i18next'; t(x ? 'a' : 'b', options); t('a')" }
  expect(missingIn(files, { common: ['c'] })).toEqual(['a', 'b', 'a'])
})

test('only methods of translation functions count where a name alone says that it is one', () => {
  const whole = (code: string) => usedIn({ 'a.js': `function draw(t) { ${code} }` }).isWhole('shop')
  for (const code of ['t.getStrokeOutline(x)', 't.add(x)', 't.on(x, y)', 't.slice(x)', 't.plural(x)'])
    expect(whole(code), code).toBe(false)
  for (const code of [
    't(x)',
    't.call(this, x)',
    't.rich(x)',
    't.markup(x)',
    't.raw(x)',
    't.t(x)',
    't[m](x)',
    't.tm(x)',
  ])
    expect(whole(code), code).toBe(true)
  // Another function than those that are known, but a key all the same.
  expect(usedIn({ 'a.js': "function draw(t) { t.plural('a.b', 2) }" }).isUsed('shop', 'a.b')).toBe(true)
  const known = "import { useTranslation } from 'react-i18next'; const { t } = useTranslation();"
  expect(usedIn({ 'a.js': `${known} t.plural(x)` }).isWhole('shop')).toBe(true)
  expect(usedIn({ 'a.js': 'function draw(t) { t.plural(x) }' }, {}, { functions: ['plural'] }).isWhole('shop')).toBe(
    true,
  )
})
