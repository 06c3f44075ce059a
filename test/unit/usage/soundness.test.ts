// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** No guess: what cannot be known for sure keeps its keys, and is not reported as missing. */
import { createInstance, type InitOptions } from 'i18next'
import { describe, expect, test } from 'vitest'
import { missingIn, usedIn } from '../../helpers/usage.ts'

const REACT = "import { useTranslation, Trans, Translation, withTranslation } from 'react-i18next';"

/** Ways to set an option of i18next elsewhere; `$` stands for the option's value. */
const ELSEWHERE: readonly (readonly [name: string, options: string, files: Readonly<Record<string, string>>])[] = [
  ['a named import', '{ NAME: value }', { 'shared.js': 'export const value = $' }],
  ['a default import', '{ NAME: shared.value }', { 'shared.js': 'export default { value: $ }' }],
  ['a namespace import', '{ NAME: all.value }', { 'shared.js': 'export const value = $' }],
  ['a re-export', '{ NAME: value }', { 'shared.js': "export * from './deep.js'", 'deep.js': 'export const value = $' }],
  [
    'a renamed re-export',
    '{ NAME: value }',
    { 'shared.js': "export { other as value } from './deep.js'", 'deep.js': 'const other = $; export { other }' },
  ],
  ['a spread', '{ ...value }', { 'shared.js': 'export const value = { NAME: $ }' }],
  ['whole options', 'value', { 'shared.js': 'export const value = { NAME: $ }' }],
  ['a function', 'value()', { 'shared.js': 'export function value() { return { NAME: $ } }' }],
  ['an arrow function', '{ ...value() }', { 'shared.js': 'export const value = () => ({ NAME: $ })' }],
  ['CommonJS', '{ NAME: shared.value }', { 'shared.js': 'module.exports = { value: $ }' }],
  ['a folder', '{ NAME: fromFolder }', { 'folder/index.js': 'export const fromFolder = $' }],
]

const IMPORTS = [
  "import i18n from 'i18next'",
  "import shared, { value } from './shared.js'",
  "import * as all from './shared.js'",
  "import { fromFolder } from './folder'",
].join(';')

/** An app whose option is set up elsewhere. */
function appWith(option: string, value: string, [, options, files]: (typeof ELSEWHERE)[number], call: string) {
  const fill = (text: string) => text.replace('NAME', option).replace('$', () => value)
  const others = Object.entries(files).map(([name, code]) => [name, fill(code)])
  return { 'i18n.js': `${IMPORTS}; i18n.init(${fill(options)}); ${call}`, ...Object.fromEntries(others) }
}

describe.each(ELSEWHERE)('options in %s', (...way) => {
  const NAMESPACES = { namespaces: ['default', 'shop', 'common'] }
  const whole = (option: string, value: string, call: string) => usedIn(appWith(option, value, way, call), NAMESPACES)

  test.each(['contextSeparator', 'pluralSeparator'])('%s', (option) => {
    const used = whole(option, "'//'", "i18n.t('friend')")
    expect([used.isUsed('shop', 'friend//male'), used.isUsed('default', 'friend//male')]).toEqual([false, true])
    expect(used.isUsed('default', 'friendly')).toBe(false)
  })

  test('nsSeparator', () => {
    const used = whole('nsSeparator', "'|'", "i18n.t('shop|a')")
    expect([used.isUsed('shop', 'a'), used.isUsed('common', 'a')]).toEqual([true, false])
  })

  test('keySeparator', () => {
    const used = whole('keySeparator', "'/'", "i18n.t('a/b')")
    expect([used.isUsed('default', 'a.b'), used.isUsed('default', 'a.c')]).toEqual([true, false])
  })

  test('defaultNS', () => {
    const used = whole('defaultNS', "'common'", "i18n.t('a')")
    expect([used.isUsed('common', 'a'), used.isUsed('shop', 'a')]).toEqual([true, false])
  })
})

describe('options that cannot be read', () => {
  const ONE = [
    "import { value } from 'some-package'; i18n.init({ NAME: value })",
    "import { value } from './nowhere.js'; i18n.init({ NAME: value })",
    'i18n.init({ NAME: window.value })',
    'let value = "_"; export const set = (given) => { value = given }; i18n.init({ NAME: value })',
  ]
  /** Any option may be set. */
  const ALL = [
    'i18n.init({ ...options() })',
    'export const setUp = (options) => i18n.init({ lng: "en", ...options })',
    'const options = {}; fill(options); i18n.init(options)',
    'i18n.init({ NAME: "_", ...more })',
    'i18n.init({ NAME: "_", [name]: "|" })',
  ]
  const app = (option: string, code: string, call: string) => ({
    'i18n.js': `import i18n from 'i18next'; ${code.replaceAll('NAME', option)}; ${call}`,
  })

  test.each([...ONE, ...ALL])('%s', (code) => {
    const forms = usedIn(app('contextSeparator', code, "i18n.t('friend')"))
    expect([forms.isUsed('default', 'friend//male'), forms.isUsed('default', 'other')]).toEqual([
      true,
      ALL.includes(code),
    ])
    for (const option of ['keySeparator', 'nsSeparator']) {
      const used = usedIn(app(option, code, "i18n.t('shop|a/b'); i18n.t('plain')"))
      expect([used.isUsed('shop', 'a.b'), used.isWhole('shop')]).toEqual([true, true])
      expect(used.unknownCalls.map(({ reason }) => reason)).toContain('setup')
    }
    expect(usedIn(app('defaultNS', code, "i18n.t('a')")).isUsed('common', 'a')).toBe(true)
  })

  test('nothing that depends on them is reported as missing', () => {
    for (const option of ['keySeparator', 'nsSeparator', 'contextSeparator']) {
      const files = app(option, `i18n.init({ ${option}: window.value })`, "i18n.t('shop|a/b'); i18n.t('item')")
      expect(missingIn(files, { default: ['item//male'], shop: ['a.b'] })).toEqual(
        option === 'contextSeparator' ? ['shop|a/b'] : ['item'],
      )
    }
  })

  test('keys without a separator do not depend on them', () => {
    const used = usedIn(app('keySeparator', 'i18n.init({ keySeparator: window.value })', "i18n.t('plain')"))
    expect([used.isUsed('default', 'plain'), used.isUsed('default', 'other')]).toEqual([true, false])
  })

  test('options of react that change keys', () => {
    const text = (react: string) =>
      usedIn({
        'i18n.js': `import i18n from 'i18next'; i18n.init({ lng: 'en', react: ${react} })`,
        'a.jsx': `${REACT} <Trans>Hello</Trans>`,
      }).isWhole('translation')
    expect(text('{ useSuspense: false }')).toBe(false)
    for (const react of ['{ hashTransKey: hash }', "{ transKeepBasicHtmlNodesFor: ['b'] }", 'options', '{ keyPrefix }'])
      expect(
        usedIn({
          'i18n.js': `import i18n from 'i18next'; i18n.init({ lng: 'en', react: ${react} })`,
          'a.jsx': `${REACT} <Trans>Hello</Trans>`,
        }).isWhole('default'),
        react,
      ).toBe(true)
  })

  test('separators of single calls', () => {
    const files = { 'a.js': "import i18n from 'i18next'; i18n.t('shop#a', { nsSeparator: '#' })" }
    expect(usedIn(files).isUsed('shop', 'a')).toBe(true)
  })
})

test('each separator of the real library finds the kept key', async () => {
  const options: InitOptions = {
    lng: 'en',
    ns: ['default', 'shop'],
    defaultNS: 'default',
    nsSeparator: '|',
    keySeparator: '/',
    contextSeparator: '//',
    pluralSeparator: '#',
  }
  const i18n = createInstance()
  const texts = { a: { b: 'nested' }, 'friend//male': 'he', 'item#one': 'one', 'item#other': 'many' }
  const places = { 'place#ordinal#one': 'st', 'place#ordinal#two': 'nd', 'place#ordinal#few': 'rd' }
  await i18n.init({ ...options, resources: { en: { default: texts, shop: { ...texts, ...places } } } })
  const calls = [
    ["i18n.t('shop|a/b')", i18n.t('shop|a/b'), 'shop', 'a.b'],
    ["i18n.t('friend', { context: 'male' })", i18n.t('friend', { context: 'male' }), 'default', 'friend//male'],
    ["i18n.t('item', { count: 1 })", i18n.t('item', { count: 1 }), 'default', 'item#one'],
    ["i18n.t('shop|place', o)", i18n.t('shop|place', { count: 2, ordinal: true }), 'shop', 'place#ordinal#two'],
  ] as const
  const setup = `import i18n from 'i18next'; i18n.init(${JSON.stringify(options)});`
  for (const [code, text, namespace, key] of calls) {
    expect(['nested', 'he', 'one', 'nd']).toContain(text)
    const used = usedIn({ 'a.js': `${setup} ${code}` }, { namespaces: ['default', 'shop'] })
    expect([used.isUsed(namespace, key), used.isUsed(namespace, 'never')], code).toEqual([true, false])
    expect(
      missingIn({ 'a.js': `${setup} ${code}` }, { default: Object.keys(texts), shop: ['a.b', 'place#ordinal#two'] }),
    ).toEqual([])
  }
})

test('i18next joins what follows a second separator with dots', async () => {
  const i18n = createInstance()
  const shop = { a: { b: 'text' } }
  await i18n.init({
    lng: 'en',
    ns: ['default', 'shop'],
    nsSeparator: ':',
    keySeparator: '.',
    resources: { en: { shop } },
  })
  expect(i18n.t('shop:a:b')).toBe('text')
  expect(usedIn({ 'a.js': "t('shop:a:b')" }).isUsed('shop', 'a.b')).toBe(true)
})

describe('never reported as missing', () => {
  const TEXTS = { common: ['known', 'section.title', 'Note: this'], shop: ['item_few', 'place_ordinal_two', 'p.a'] }
  const SETUP = "import i18n from 'i18next'; i18n.init({ lng: 'en', ns: ['common', 'shop'], defaultNS: 'common' });"
  const KNOWN = `${SETUP} ${REACT} const { t } = useTranslation();`
  test.each([
    ['vue-i18n: a colon', "import { useI18n } from 'vue-i18n'; const { t } = useI18n(); t('Note: this')", []],
    ['a colon behind a namespace', "import { useI18n } from 'vue-i18n'; const { t } = useI18n(); t('shop:x')", ['x']],
    ['a parameter', "const rows = lines.map((t) => t('x'))", []],
    ['a method of a parameter', "const rows = lines.map((line) => line.t('x'))", []],
    ['a list', 'function walk(t) { t.push("x"); t.forEach("y") }', []],
    ['a loop', "for (const t of lines) t('x')", []],
    ['a variable', "const t = split(line); t('x')", []],
    ['a hook', "const t = useT(); t('x')", ['x']],
    ['no condition', "t('x')", ['x']],
    ['an excluded branch', "if (false) t('x')", []],
    ['an excluded alternative', "t(false ? 'x' : 'known')", []],
    ['an excluded constant', "const isOld = false; const key = isOld ? 'x' : 'known'; t(key)", []],
    ['a comparison', "const kind = 'a'; kind === 'b' ? t('x') : t('known')", []],
    ['a comparison that may hold', "kind === 'b' ? t('x') : t('known')", ['x']],
    ['the other side', "if (!true) { t('x') } else { t('known') }", []],
    ['an operator', "const isOld = false; isOld && t('x')", []],
    ['another build', "import.meta.env.DEV && t('x'); if (process.env.NODE_ENV === 'test') t('y')", []],
    ['a question', "i18n.exists('x')", []],
    ['a guarded call', "i18n.exists('x') ? t('x') : t('known')", []],
    ['a list with fallback', "t(['x', 'known'])", []],
    ['another component', '<Field i18nKey="x" />', []],
    ['an object', 'const columns = [{ i18nKey: "x" }]', []],
    ['an own component', 'import { Trans as Own } from "./own"; <Own i18nKey="x" />', []],
    ['the real component', '<Trans i18nKey="x" />', ['x']],
    ['an unknown prefix', "props.t('a'); this.t('title')", []],
    ['plural forms of another language', "t('shop:item', { count: 2 })", []],
    ['ordinals', "t('shop:place', { count: 2, ordinal: true })", []],
  ])('%s: %s', (_name, code, missing) => {
    expect(
      missingIn({ 'a.jsx': `${/useI18n|const t |\(t\)|of lines/.test(code) ? SETUP + REACT : KNOWN} ${code}` }, TEXTS),
    ).toEqual(missing)
  })

  test('what is excluded keeps its key', () => {
    const used = usedIn({
      'a.js': `${KNOWN} if (false) t('x'); import.meta.env.DEV && t('y'); t(false ? 'z' : 'known')`,
    })
    for (const key of ['x', 'y', 'z', 'known']) expect(used.isUsed('common', key), key).toBe(true)
  })
})

describe('keys that are kept', () => {
  const SETUP = "import i18n from 'i18next'; i18n.init({ lng: 'en', defaultNS: 'common' });"
  test.each([
    ["withTranslation('shop', { keyPrefix: 'p' })(({ t }) => t('a'))", 'shop', 'p.a'],
    ["const options = { keyPrefix: 'p' }; withTranslation('shop', options)(Page)", 'shop', 'p.a'],
    ["withTranslation('shop', { ...options })(({ t }) => t('a'))", 'shop', 'p.a'],
    ['<Translation ns="shop" keyPrefix="p">{(t) => t("a")}</Translation>', 'shop', 'p.a'],
    ["const { t } = useTranslation('shop', { keyPrefix: 'q', ...options }); t('a')", 'shop', 'p.a'],
    ["const { t } = useTranslation('shop'); t('a', options)", 'shop', 'p.a'],
    ['<Field i18nKey="a" />', 'shop', 'a'],
    ['const columns = [{ i18nKey: "a" }]', 'shop', 'a'],
    ["const { t } = useTranslation('common', { keyPrefix: 'p' }); <Row t={t} />", 'common', 'p.a'],
    ["export function useShop() { const { t } = useTranslation('shop'); return [t] }", 'shop', 'any.key'],
    ["export const useShop = () => ({ say: useTranslation('shop').t })", 'shop', 'any.key'],
    ["const { t } = useTranslation('shop'); <Context.Provider value={t} />", 'shop', 'any.key'],
    ["const { t } = useTranslation('common'); const say = (k) => t(k); say('shop:a')", 'shop', 'a'],
  ])('%s', (code, namespace, key) => {
    expect(usedIn({ 'a.jsx': `${SETUP} ${REACT} ${code}` }).isUsed(namespace, key)).toBe(true)
  })

  test('texts refer to keys with the separators of the app', async () => {
    const { createReferenceCloser } = await import('../../../src/usage/sources/find.ts')
    const setup = "import i18n from 'i18next'; i18n.init({ lng: 'en', nsSeparator: '|', contextSeparator: '//' });"
    const used = usedIn({ 'a.js': `${setup} i18n.t('a')` }, { namespaces: ['translation', 'shop'] })
    const texts: Record<string, Record<string, string>> = {
      translation: { a: '$t(shop|b) $t(c, {"context": "male"})', 'c//male': 'x', d: 'x' },
      shop: { b: 'x', d: 'x' },
    }
    const closed = createReferenceCloser(['translation', 'shop'], (name) => Object.entries(texts[name] ?? {}))(used)
    const kept = Object.entries(texts).flatMap(([name, own]) =>
      Object.keys(own).filter((key) => closed.isUsed(name, key)),
    )
    expect(kept).toEqual(['a', 'c//male', 'b'])
  })
})

describe('objects that are changed', () => {
  const SETUP = "import i18n, { t } from 'i18next'; i18n.init({ lng: 'en', ns: ['default', 'shop'] });"
  const DATA =
    "const o = { key: 'a', in: { key: 'b' } }; const rows = [{ key: 'a' }, { key: 'b' }]; const keys = ['a', 'b'];"
  const ask = 't(o.key); t(o.in.key); rows.forEach((row) => t(row.key));'

  /** Each row asks for `new`, unless it names another key. */
  test.each([
    ["const c = o; c.key = 'new'", ask],
    ["function configure(config) { config.key = 'new' } configure(o)", ask],
    ["for (const c of rows) if (admin) c.key = 'p.' + c.key", 't(rows[0].key)', 'p.a'],
    ["rows.forEach((row) => { row.key = 'new' })", ask],
    ["rows.find((row) => row.key).key = 'new'", ask],
    ["const { in: inner } = o; inner.key = 'new'", ask],
    ["const w = { s: o }; w.s.key = 'new'", ask],
    ['[o.key, o.in.key] = [o.in.key, o.key]', 't(o.key)', 'b'],
    ["const give = () => o; give().key = 'new'", ask],
    ["const set = (list) => { list[0] = { key: 'new' } }; set(rows)", ask],
    ['rows.reverse()', 't(rows[0].key)', 'b'],
    ['keys.reverse()', 't(keys[0])', 'b'],
    ["const list = keys; list.splice(0, 1, 'new')", 'keys.forEach((key) => t(key))'],
    ['const list = rows; list.copyWithin(0, 1)', 't(rows[0].key)', 'b'],
    ["Object.assign(o, { key: 'new' })", ask],
    ["Object.defineProperty(o, 'key', { value: 'new' })", ask],
    ["Reflect.set(o, 'key', 'new')", ask],
    ["import merge from 'lodash.merge'; merge(o, { in: { key: 'new' } })", ask],
    ["import { produce } from 'immer'; const p = produce(o, (draft) => { draft.key = 'new' })", ask],
    ["import { register } from 'some-package'; register(o)", ask, 'any'],
    ["import { register } from 'some-package'; register(new (class { constructor() { return o } })())", ask, 'any'],
    ["import { register } from 'some-package'; function Maker() { return o } register(new Maker())", ask, 'any'],
    ["const ref = { current: null }; ref.current = o; ref.current.key = 'new'", ask],
    ["class Changer { constructor(o) { this.o = o } go() { this.o.key = 'new' } } new Changer(o).go()", ask],
    ["(function () { this.key = 'new' }).call(o)", ask],
    ["({ x: o.key } = { x: 'new' })", ask],
    ["for (const k of ['key']) { const c = o; c[k] = 'new' }", ask],
    ["const copy = { ...o }; copy.in.key = 'new'", ask],
    ["const c = new Proxy(o, {}); c.key = 'new'", ask],
    ["const { assign } = Object; assign(o, { key: 'new' })", ask],
    ["const h = { list: [o], get first() { return this.list[0] } }; h.first.key = 'new'", ask],
    ["const h = { list: [o], give() { return this.list[0] } }; h.give().key = 'new'", ask],
    ["import { useState } from 'react'; const [state] = useState(o); state.key = 'new'", ask],
    ["import { ref } from 'vue'; const state = ref(o); state.value.key = 'new'", ask],
    ['show(<Row o={o} />)', ask, 'any'],
  ])('%s', (code, asks, key = 'new') => {
    const used = usedIn({ 'a.js': `${SETUP} ${DATA} ${code}; ${asks}` }, { namespaces: ['default', 'shop'] })
    expect(used.isUsed('default', key)).toBe(true)
  })

  test('by another module', () => {
    const asking = `${SETUP} import { change } from './b.js'; export ${DATA} change(); t(o.key)`
    for (const code of ["import { o } from './a.js'; export const change = () => { o.key = 'new' }", OTHER_WAY])
      expect(usedIn({ 'a.js': asking, 'b.js': code }).isUsed('default', 'new'), code).toBe(true)
  })
  test.each([
    'export function give() { return o }',
    'export default function () { return o }',
    'export const give = () => o',
  ])('by another module that gets it from a function: %s', (giving) => {
    const source = giving.includes('default') ? 'give' : '{ give }'
    const files = {
      'a.js': `${SETUP} ${DATA} ${giving}; t(o.key)`,
      'b.js': `import ${source} from './a.js'; give().key = 'new'`,
    }
    expect(usedIn(files).isUsed('default', 'new')).toBe(true)
  })
  test('what all callers of a function of the module give', () => {
    const named = (code: string) => {
      const used = usedIn({ 'a.js': `${SETUP} ${code}` }, { namespaces: ['default', 'shop'] })
      return ['x', 'y', 'never'].filter((key) => used.isUsed('default', key))
    }
    expect(named("function say(key) { t(key) } say('x'); say('y')")).toEqual(['x', 'y'])
    expect(named("const say = ({ key }) => t(key); [1].map(() => say({ key: 'x' }))")).toEqual(['x'])
    expect(named("function say(key = 'x') { t(key) } say()")).toEqual(['x'])
    for (const code of ['export { say }', 'on(say)', "say(...['x'])", 'say.call(null, z)', 'new say(z)'])
      expect(named(`function say(key) { t(key) } say('x'); ${code}`), code).toEqual(['x', 'y', 'never'])
    expect(named("export function say(key) { t(key) } say('x')")).toEqual(['x', 'y', 'never'])
    expect(named("let say = (key) => t(key); say('x'); say = other; say('y')")).toEqual(['x', 'y', 'never'])
  })

  const OTHER_WAY = "import * as all from './a.js'; export const change = () => { const { o } = all; o.key = 'new' }"

  test.each([
    'let el = o; el = { ...el }; t(el.key)',
    "let w; w = w || 'x'; t(w); t(o.key)",
    'let s = o.key; s = s + s; t(s)',
    'let list = rows; list = list.filter((row) => row); t(list[0].key)',
    'function ownKeys(e, r) { var t = Object.keys(e); if (e) { var o = Object.getOwnPropertySymbols(e); r && (o = o.filter(function (r) { return e[r] })), t.push.apply(t, o) } return t } ownKeys(o); t(o.key)',
  ])('what is made of itself can be read: %s', (code) => {
    const used = usedIn({ 'a.js': `${SETUP} ${DATA} ${code}` }, { namespaces: ['default', 'shop'] })
    expect([
      used.isUsed('default', 'a') || code.includes("'x'"),
      used.unknownCalls.map(({ reason }) => reason),
    ]).toEqual([true, expect.not.arrayContaining(['syntax'])])
  })
})

test.each([
  "i18n.getResource('en', 'shop', 'new')",
  "i18n.getResourceBundle('en', 'shop').new",
  "i18n.getDataByLanguage('en').shop.new",
  'i18n.store.data.en.shop.new',
  'i18n.services.resourceStore.data.en.shop.new',
  "Reflect.apply(i18n.getFixedT(null, 'shop'), null, ['new'])",
  "Reflect.apply(i18n.t, i18n, ['shop:new'])",
  "i18n['t']('shop:new')",
  "const m = 't'; i18n[m]('shop:new')",
  "i18n[which]('shop:new')",
  "import { useI18n } from 'vue-i18n'; const { messages } = useI18n(); show(messages.value.en['new'])",
  "import { useI18n } from 'vue-i18n'; useI18n().getLocaleMessage('en').new",
  "import { useI18n } from 'vue-i18n'; useI18n().getLocaleMessage('en').shop.new",
  "import { useI18n } from 'vue-i18n'; show(useI18n().messages.value.en.shop)",
  "import { useI18n } from 'vue-i18n'; const { tm } = useI18n(); show(tm('shop'))",
  "import { useI18n } from 'vue-i18n'; const { tm } = useI18n(); show(tm('shop').new)",
  "show(this.$tm('shop'))",
  "import { useIntl } from 'react-intl'; useIntl().messages['new']",
])('texts that are read as data: %s', (code) => {
  const setup = "import i18n from 'i18next'; i18n.init({ lng: 'en', ns: ['default', 'shop'] });"
  expect(usedIn({ 'a.js': `${setup} ${code}` }).isUsed('shop', 'new')).toBe(true)
})

test.each([
  [
    "export class A { static row(t) { return t('a') } } export class B { static row(t) { return show(t) } }",
    'B.row(t)',
  ],
  ["export const A = { row(t) { return t('a') } }; export const B = { row(t) { return show(t) } }", 'B.row(t)'],
  ['export const Row = ({ t }) => show(t)', '<Row t={t} />'],
  ['export class Row { render() { const { t } = this.props; return show(t) } }', '<Row t={t} />'],
  ["export default withTranslation('shop')(({ t }) => show(t))", ''],
  ['export const Row = () => { const { t } = useContext(C); return show(t) }', '<C.Provider value={{ t }} />'],
])('a translation function that is passed to unknown code: %s, %s', (row, use) => {
  const files = { 'row.jsx': `${REACT} ${row}`, 'a.jsx': `${REACT} const { t } = useTranslation('shop'); ${use}` }
  expect(usedIn(files).isUsed('shop', 'new')).toBe(true)
})

test('a tagged template passes its translation function to no code', () => {
  const used = usedIn({ 'a.js': `${REACT} const { t } = useTranslation('shop'); t\`a\`` })
  expect([used.isUsed('shop', 'a'), used.isUsed('shop', 'b')]).toEqual([true, false])
})
