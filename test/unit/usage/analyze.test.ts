/** One construct at a time: what the analyzer understands, and what it must not miss. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
import { describe, expect, test } from 'vitest'
import { createAnalyzer } from '../../../src/usage/analyze.ts'
import { usesIn } from '../../helpers/usage.ts'

const REACT = "import { useTranslation, Trans, Translation, withTranslation } from 'react-i18next';"

/** Each row: the code, and what it uses. */
function rows(of: readonly (readonly [code: string, ...uses: string[]])[], before = '', file = 'app.tsx') {
  for (const [code, ...uses] of of)
    test(code, () => expect(usesIn(`${before}\n${code}`, file).sort()).toEqual([...uses].sort()))
}

describe('calls by name', () => {
  rows([
    ["t('a.b')", 'any/a.b'],
    ["t('ns:a.b')", 'any/ns:a.b'],
    ['t(`a`)', 'any/a'],
    ["t(['a', 'b'])", 'any/a', 'any/b'],
    ["t('a', { ns: 'x' })", 'x/a'],
    ["t('a', { ns: ['x', 'y'] })", 'x|y/a'],
    ["t('a', { ns: other })", 'any/a'],
    ["t('a', 'Default')", 'any/a'],
    ["t('a', 'Default', { ns: 'x' })", 'x/a'],
    ["t('a', { count: 1 })", 'any/a'],
    ["t?.('a')", 'any/a'],
    ["i18n?.t?.('a')", 'any/a'],
    [
      "this.t('a'); this.$t('b'); props.t('c'); i18n.t('d'); i18next.t('e'); global.t('f')",
      'any/a',
      'any/b',
      'any/c',
      'any/d',
      'any/e',
      'any/f',
    ],
    ["i18n.global.t('a')", 'any/a'],
    ["x['t']('a')", 'any/a'],
    ["t.call(this, 'a'); t.apply(this, ['b'])", 'any/a', 'any/b'],
    ['t.apply(this, list)', 'any/?'],
    ["(0, lib.t)('a')", 'any/a'],
    ["(t as Translate)('a' as Key)", 'any/a'],
    ["t!('a'!)", 'any/a'],
    ['t`a`', 'any/a'],
    ['t(...keys)', 'any/?'],
    ['t(key)', 'any/?'],
    ['t()'],
    ["function x(t) { t('a') }", 'any/a'],
    ["const x = ({ t: say }) => say('a')", 'any/a'],
    ["const say = props.t; say('a')", 'any/a'],
    ["const say = i18n.t.bind(i18n); say('a')", 'any/a'],
    ['t($ => $.a.b)', 'any/a.b'],
    ['t($ => $.a[x].b)', 'any/a.*.b'],
    ["t($ => $['a b'].c)", 'any/a b.c'],
    ['t(function ($) { return $.a.b })', 'any/a.b'],
    ['t($ => { if (x) return $.a; return $?.b?.c })', 'any/a', 'any/b.c'],
    ['t($ => (x ? $.a : $.b))', 'any/a', 'any/b'],
    ['const part = x ? "a" : "b"; t($ => $[part].c)', 'any/a.c', 'any/b.c'],
    ['t([$ => $.a, $ => $.b])', 'any/a', 'any/b'],
    ['const title = $ => $.a.b; t(title)', 'any/a.b'],
    ["import { keyFromSelector } from 'i18next'; const key = keyFromSelector($ => $.a.b); t(key)", 'any/a.b'],
    ['t(({ a }) => a.b)', 'any/?'],
    ['t($ => other.a)', 'any/?'],
    ['t($ => pick($))', 'any/?'],
    ['t($ => $)', 'any/?'],
    ["t($ => $.a, { ns: 'shop' })", 'shop/a'],
    ["t($ => $.shop.a, { ns: ['common', 'shop'] })", 'common|shop/shop:a'],
    ['t($ => $.b, { keyPrefix: $ => $.a })', 'any/b', 'any/a.b'],
    ["i18n.exists('a')", 'any/a'],
    ["fs.exists('a')"],
    [
      "$t('a'); $tc('b', 2); $te('c'); $tm('d'); x.te('e'); x.tm('f')",
      'any/a',
      'any/b',
      'any/c',
      'any/d',
      'any/e',
      'any/f',
    ],
    ["\\u0074('a')", 'any/a'],
    ["t /* x */ ('a')", 'any/a'],
    ["t('__proto__'); t('constructor'); t('toString')", 'any/__proto__', 'any/constructor', 'any/toString'],
  ])
  test('own names', () => {
    expect(usesIn("say('a'); x.say('b')")).toEqual([])
    expect(usesIn("say('a'); x.say('b')", 'a.ts', { functions: ['say'] })).toEqual(['any/a', 'any/b'])
    expect(usesIn("const say = useT(); say('a')", 'a.ts', { functions: ['useT'] })).toEqual(['any/a'])
    expect(usesIn("const say = useT('shop'); say('a')", 'a.ts', { functions: ['useT'] })).toContain('any/a')
  })
})

describe('texts', () => {
  rows([
    ["const KEY = 'a.b'; t(KEY)", 'any/a.b'],
    ["t(c ? 'a' : 'b')", 'any/a', 'any/b'],
    ["t(c && 'a')", 'any/a'],
    ["t(x || 'a')", 'any/a', 'any/?'],
    ["t(c ? 'a' : undefined)", 'any/a'],
    ["t('a.' + 'b')", 'any/a.b'],
    ["t('a.' + x)", 'any/a.*'],
    ['t(`status.${x}`)', 'any/status.*'],
    ['t(`${x}.title`)', 'any/*.title'],
    ['t(`${x}`)', 'any/?'],
    ['t(`${x}.${y}`)', 'any/?'],
    ["t(`a.${c ? 'b' : 'c'}.d`)", 'any/a.b.d', 'any/a.c.d'],
    ["const K = { a: 'x', b: 'y' } as const; t(K.a)", 'any/x'],
    ["const K = { a: 'x', b: 'y' } as const; t(K[z])", 'any/x', 'any/y'],
    ["const K = { a: 'x', b: 'y' } as const; t(K['b'])", 'any/y'],
    ["const K = { a: { b: 'x' } }; t(K.a.b)", 'any/x'],
    ["const K = { a: 'x', ...more }; t(K.b)", 'any/?'],
    ["const B = { b: 'y' }; const K = { a: 'x', ...B }; t(K.b)", 'any/y'],
    ["const K = {}; K.a = 'x'; t(K.a)", 'any/x'],
    ["const K = { a: 'x' }; K[y] = z; t(K[w])", 'any/x', 'any/?'],
    ["const K = { a: 'x' }; fill(K); t(K[w])", 'any/x', 'any/?'],
    ["export const K = { a: 'x' }; t(K[w])", 'any/x', 'any/?'],
    ["export const K = { a: 'x' }; t(K.a)", 'any/x', 'any/?'],
    ["const L = ['x', 'y'] as const; t(L[i])", 'any/x', 'any/y'],
    ["const L = ['x', 'y']; L.push('z'); t(L[i])", 'any/x', 'any/y', 'any/z'],
    ["const L = ['x', 'y']; L.map((k) => t(`l.${k}`))", 'any/l.x', 'any/l.y'],
    ["['x', 'y'].forEach(function (k) { t(k) })", 'any/x', 'any/y'],
    ["[{ k: 'x' }, { k: 'y' }].map(({ k }) => t(k))", 'any/x', 'any/y'],
    ["[{ k: 'x' }, { k: 'y' }].filter(Boolean).map((e) => t(e.k))", 'any/x', 'any/y'],
    ['const M = { a: 1, b: 2 }; Object.keys(M).map((k) => t(k))', 'any/a', 'any/b'],
    ["const M = { a: 'x' }; Object.entries(M).map(([k, v]) => [t(k), t(v)])", 'any/a', 'any/x'],
    ["for (const k of ['x', 'y']) t(k)", 'any/x', 'any/y'],
    ['for (const k in { x: 1 }) t(k)', 'any/x'],
    ["let k = 'a'; if (c) k = 'b'; t(k)", 'any/a', 'any/b'],
    ["let k = 'a'; k += x; t(k)", 'any/a', 'any/a*', 'any/?'],
    ["const label = (s) => (s ? 'a' : 'b'); t(label(x))", 'any/a', 'any/b'],
    ["function label(s) { switch (s) { case 1: return 'a'; default: return 'b' } } t(label(x))", 'any/a', 'any/b'],
    ['function label(s) { return s } t(label(x))', 'any/?'],
    ["const say = (k) => t(k); say('a')", 'any/a'],
    ["const say = (k) => t('p.' + k); say('a')", 'any/p.a'],
    ["t(['a', 'b'].join('.'))", 'any/a.b'],
    ["t('a'.concat('.', 'b'))", 'any/a.b'],
    ["enum K { A = 'x', B = 'y' } t(K.A); t(K[z])", 'any/x', 'any/y'],
    ["enum K { A = 'x', B = 1 } t(K.A)", 'any/x'],
    ["enum K { A = 'x', B = 1 } t(K[z])", 'any/x', 'any/?'],
    ["enum K { A = 'x' } enum K { B = 'y' } t(K[z])", 'any/x', 'any/y'],
    ["const S = new Set(['x']); for (const k of S) t(k)", 'any/x'],
    ["const S = new Set(['x']); S.add(y); for (const k of S) t(k)", 'any/x', 'any/?'],
    ["const L = ['x'].filter(Boolean); L.push(y); t(L[i])", 'any/x', 'any/?'],
    ["const [first] = Object.values({ a: 'x', b: 'y' }); t(first)", 'any/x', 'any/y'],
    ["const k = ['a', 'b'].join('.'); t(k)", 'any/a.b'],
    ["t({ a: 'x', ...more, a: 'y' }.a)", 'any/y'],
    ["const K = c ? { a: 'x' } : null; t(K?.a)", 'any/x'],
    ["let f; f = () => 'x'; t(f())", 'any/x'],
    ['const k = k2; const k2 = k; t(k)'],
    ["function f(x) { const k = 'inner'; t(k) } const k = 'outer'; t(k)", 'any/inner', 'any/outer'],
    ["const { a, b: [c] } = { a: 'x', b: ['y'] }; t(a); t(c)", 'any/x', 'any/y'],
    ["const f = ({ k = 'x' }) => t(k)", 'any/x', 'any/?'],
    ['try { } catch (k) { t(k) }', 'any/?'],
    ["t(Object.freeze({ a: 'x' }).a)", 'any/x'],
    ["const K = 'a'; t(`${K}.${K}`)", 'any/a.a'],
  ])
})

describe('i18next in React', () => {
  rows(
    [
      ["const { t } = useTranslation(); t('a')", 'a'],
      ["const { t } = useTranslation('shop'); t('a')", 'shop/a'],
      ["const { t } = useTranslation(['a', 'b']); t('k')", 'a|b/k'],
      ["const [t] = useTranslation('shop'); t('a')", 'shop/a'],
      ["const [say, i18n] = useTranslation('shop'); say('a'); i18n.t('b')", 'shop/a', 'b'],
      ["const { t: say, i18n } = useTranslation('shop'); say('a'); i18n.t('b')", 'shop/a', 'b'],
      ["const all = useTranslation('shop'); all.t('a')", 'shop/a'],
      ["const { t } = useTranslation('shop', { keyPrefix: 'p.q' }); t('a'); t(x)", 'shop/p.q.a', 'shop/p.q.*'],
      ["const { t } = useTranslation('shop', { keyPrefix: pre }); t('a')", 'shop/*.a'],
      ["const { t } = useTranslation(NS); t('a')", 'any/a'],
      ["const NS = 'shop'; const { t } = useTranslation(NS); t('a')", 'shop/a'],
      ["const { t } = useTranslation('shop'); t(x)", 'shop/?'],
      ["const { t } = useTranslation(c ? 'shop' : undefined); t('a')", 'any/a'],
      ["const { t } = useTranslation(c && 'shop'); t('a')", 'any/a'],
      ["const { t } = useTranslation(''); t('a')", 'any/a'],
      ["let ns; if (c) ns = 'shop'; const { t } = useTranslation(ns); t('a')", 'any/a'],
      ["const { t } = useTranslation('shop', { keyPrefix: c ? 'p' : undefined }); t('a')", 'shop/p.a', 'shop/a'],
      ["const { t } = useTranslation('shop'); t('a', { ns: c ? 'x' : undefined })", 'any/a'],
      ["const { t } = useTranslation('shop'); t('a', c ? { ns: 'x' } : undefined)", 'shop|x/a'],
      ["const { t } = c ? useTranslation('shop') : null; t('a')", 'shop/a'],
      ["const { t } = useTranslation('shop'); t('a', values)", 'any/a'],
      ["const { t } = useTranslation('shop'); useEffect(() => { t('a') }, [t])", 'shop/a'],
      ["const { t } = useTranslation('shop'); useMemo(() => t('a'), [t, x])", 'shop/a'],
      ["const { t } = useTranslation('shop'); return t", 'shop/?'],
      ["const { t } = useTranslation('shop'); class A { #t = 1; get() { return this.#t } }"],
      ["const { t } = useTranslation('shop'); columns(t)", 'shop/?'],
      ["const { t } = useTranslation('shop'); const o = { t }; const p = { say: t }", 'shop/?'],
      ["const { t } = useTranslation('shop'); <Row t={t} />"],
      ["const { t } = useTranslation('shop'); <Row say={t} />", 'shop/?'],
      ["const { t } = useTranslation('shop', { keyPrefix: 'p' }); <Row t={t} />", 'shop/p.*'],
      ["const useShop = () => useTranslation('shop'); const { t } = useShop(); t('a')", 'shop/a'],
      ["const ref = useRef(t); ref.current('a')", 'any/a'],
      ["const t = i18n.getFixedT(null, 'shop', 'p'); t('a')", 'shop/p.a'],
      ['<Trans i18nKey="a.b">x <b>y</b></Trans>', 'a.b'],
      ["<Trans i18nKey={c ? 'a' : 'b'} ns=\"shop\" />", 'shop/a', 'shop/b'],
      ["const { t } = useTranslation('shop'); <Trans i18nKey='a' t={t} />", 'shop/a'],
      ["const { t } = useTranslation('shop'); <Trans t={t} {...rest} />", 'any/?'],
      ['<Trans>Hello</Trans>', 'Hello'],
      ["<Translation ns='shop'>{(say) => say('a')}</Translation>", 'shop/a'],
      [
        "class A extends B { render() { const { t } = this.props; return t('a') } } withTranslation('shop')(A)",
        'any/a',
      ],
    ],
    REACT,
  )
  rows([
    ["const { t } = useTranslation('shop'); t('a')", 'any/a'],
    ["import { useTranslation } from './i18n'; const { t } = await useTranslation(lng, 'shop'); t('a')", 'any/a'],
    [
      "import { useTranslation } from './i18n'; const { t } = useTranslation('x', { keyPrefix: 'p' }); t('a')",
      'any/p.a',
      'any/a',
    ],
    ["import i18n from 'i18next'; i18n.t('a'); const { t } = i18n; t('b')", 'a', 'b'],
    ["import { t } from 'i18next'; t('a')", 'a'],
    ["import { t as say } from './i18n'; say('a')", 'any/a'],
    ["const { useTranslation } = require('react-i18next'); const { t } = useTranslation('shop'); t('a')", 'shop/a'],
    ["import * as R from 'react-i18next'; const { t } = R.useTranslation('shop'); t('a')", 'shop/a'],
    [
      "import { useTranslations } from 'next-intl'; const t = useTranslations('Home'); t('title'); t.rich('body', {})",
      'any/Home.title',
      'any/Home.body',
    ],
    ["import { columns } from './columns'; import { t } from './i18n'; export const list = columns(t)", 'any/?'],
    ["import { t } from './i18n'; export const say = t", 'any/?'],
    ['export const say = i18n.t', 'any/?'],
  ])
})

describe('compiled JSX', () => {
  rows(
    [
      ["import { jsx as _jsx } from 'react/jsx-runtime'; _jsx(Trans, { i18nKey: 'a', ns: 'shop' })", 'shop/a'],
      ["import { jsxDEV } from 'react/jsx-dev-runtime'; jsxDEV(Trans, { i18nKey: 'a' }, void 0, false, {}, this)", 'a'],
      ["React.createElement(Trans, { i18nKey: 'a' }, 'x')", 'a'],
      ["React.createElement(Trans, null, 'x')", 'x'],
      ["_jsx(Translation, { ns: 'shop', children: (say) => say('a') })", 'shop/a'],
      ["const T = Trans; _jsx(T, { i18nKey: 'a' })", 'a'],
      ["const { t } = useTranslation('shop'); _jsx(Row, { t })"],
      ["const { t } = useTranslation('shop', { keyPrefix: 'p' }); _jsx(Row, { t })", 'shop/p.*'],
      ["const { t } = useTranslation('shop', { keyPrefix: 'p' }); _jsx(Trans, { i18nKey: 'a', t })", 'shop/p.a'],
    ],
    REACT,
    'app.js',
  )
})

describe('react-intl', () => {
  test.each([
    "useIntl().formatMessage({ id: KEY, defaultMessage: 'A' })",
    "const { formatMessage } = useIntl(); formatMessage(x ? { id: KEY, defaultMessage: 'A' } : '')",
    "createElement(FormattedMessage, { id: KEY, defaultMessage: 'A' })",
    "validate({ id: KEY, defaultMessage: 'A' })",
  ])('a descriptor counts once: %s', (code) => {
    const { analyze } = createAnalyzer()
    const imports = "import { FormattedMessage, useIntl } from 'react-intl';"
    const usageWith = (key: string) => analyze(`${imports} ${code.replace('KEY', key)}`, 'app.tsx')
    expect(usageWith("'a'").uses.filter(({ key }) => key === 'a')).toHaveLength(1)
    expect(usageWith('key').unknown).toHaveLength(1)
  })
  rows([
    ["intl.formatMessage({ id: 'a' })", 'any/a'],
    ["const { formatMessage: f } = useIntl(); f({ id: 'a', defaultMessage: 'A' })", 'any/a'],
    ["intl.$t({ id: 'a' })", 'any/a'],
    ["intl.formatMessage(x ? { id: 'a' } : { id: 'b' })", 'any/a', 'any/b'],
    ["const m = defineMessages({ a: { id: 'x', defaultMessage: 'X' } }); intl.formatMessage(m.a)", 'any/x', 'any/?'],
    ["const m = defineMessage({ id: 'x' }); intl.formatMessage(m)", 'any/x'],
    ["const m = { a: { id: 'x' } }; intl.formatMessage(m[y])", 'any/x'],
    ["export default { id: 'x', defaultMessage: 'X' }", 'any/x'],
    ["import { FormattedMessage } from 'react-intl'; <FormattedMessage id='a' />", 'any/a'],
    ["import { FormattedMessage } from 'react-intl'; <FormattedMessage {...m} />", 'any/?'],
    ["import { FormattedMessage } from 'react-intl'; const m = { id: 'x' }; <FormattedMessage {...m} />", 'any/x'],
    ["import { FormattedMessage } from 'react-intl'; createElement(FormattedMessage, { id: 'a' })", 'any/a'],
    ['intl.formatMessage({ defaultMessage: "generated" })', 'any/?'],
  ])
})

describe("load's results", () => {
  rows(
    [
      ["const m = await load('en', 'common'); m.title; m['a.b']", 'common/title', 'common/a.b'],
      ["const m = await load(lang, 'common'); m.section.title.length", 'common/section'],
      ["const m = await load('en', 'common'); m[x]", 'common/?'],
      ["const m = await load('en', 'common'); m[`a.${x}`]", 'common/a.*'],
      ["const { title, ...rest } = await load('en', 'common')", 'common/title', 'common/?'],
      ["const { title } = await load('en', 'common')", 'common/title'],
      ["const m = await load('en', 'common'); show(m)", 'common/?'],
      ["const m = await load('en', 'common'); const n = { ...m }", 'common/?'],
      ["load('en', 'common').then((m) => m.title)", 'common/title'],
      ["load('en', 'common').then(show)", 'common/?'],
      ["const [m, n] = await Promise.all([load('en', 'common'), load('en', 'shop')]); m.a; n.b", 'common/a', 'shop/b'],
      ["const all = await Promise.all(names.map((n) => load('en', n)))", 'any/?'],
      ["const [m] = await Promise.all([load('en', 'common'), ...more]); m.a", 'common/?'],
      ["const [first, ...others] = await Promise.all([more, load('en', 'common')]); others[0].a", 'common/?'],
      ["export default await load('en', 'common')", 'common/?'],
      ["const all = await loadLanguage('en'); all.common.title", 'common/title'],
      ["const all = await loadLanguage('en'); show(all)", 'any/?'],
      ['show(load)', 'any/?'],
      ["const m = await load('en'); m.title", 'title'],
      ["const m = await load('en', ns); m.title", 'any/title'],
    ],
    "import { load, loadLanguage } from 'virtual:translations';",
    'app.ts',
  )
  rows([
    ["import common from 'virtual:translations/en/common'; common.title", 'common/title'],
    ["import common from 'virtual:translations/en/views%2Fmain'; show(common)", 'views/main/?'],
    ["import * as common from 'virtual:translations/en/common'; common.default.title", 'common/title'],
    ["import all from 'virtual:translations/en'; all.common.title", 'common/title'],
    ["import common from '#translations/en/common'; common.title", 'common/title'],
    ["import common from '#translations/en/views/50~25@acme'; common.title", 'views/50%/title'],
    ["import hashed from '#translations/en/~x0123456789'; hashed.title", 'any/title'],
    ["import { load } from '#translations'; const m = await load('en', 'common'); m.title", 'common/title'],
    ["const { default: m } = await import('virtual:translations/en/common'); m.title", 'common/title'],
    ["const m = (await import('virtual:translations/en/common')).default; m.title", 'common/title'],
    ["import('virtual:translations/en/common').then((m) => m.default.title)", 'common/title'],
    ["import('virtual:translations/en/common').then(show)", 'common/?'],
    ["import('unplugin-localization-virtual/translations/en/common').then(show)", 'common/?'],
    ["export { default } from 'virtual:translations/en/common'", 'any/?'],
    ["import * as all from 'virtual:translations'; const m = await all.load('en', 'common'); m.title", 'common/title'],
    ["import * as all from 'virtual:translations'; keep(all)", 'any/?'],
    [
      "import * as all from 'virtual:translations'; import { createBackend } from 'unplugin-localization/i18next';\n" +
        "i18next.use(createBackend(all)).init({ lng: 'en' })",
    ],
    ["import { languages } from 'virtual:translations'; languages.map(({ name }) => name)"],
  ])
})

describe('files that are not what they should be', () => {
  test('what cannot be parsed keeps everything', () => {
    const { unknown } = createAnalyzer().analyze("t('a'", 'a.ts')
    expect(unknown).toMatchObject([{ namespaces: 'any', reason: 'syntax' }])
  })
  test('what cannot be parsed and has no name that matters uses nothing', () => {
    const { mayUseKeys, analyze } = createAnalyzer()
    expect(mayUseKeys('const x = (')).toBe(false)
    expect(analyze('const x = (', 'a.ts')).toEqual({ uses: [], unknown: [] })
  })
  test('BOM, CRLF, a hashbang, a directive', () => {
    expect(usesIn("\ufeff#!/usr/bin/env node\r\n'use strict'\r\nt('a')\r\n", 'a.js').length).toBeGreaterThan(0)
    expect(
      createAnalyzer()
        .analyze("x()\r\nt('a')\r\n  t('b')", 'a.js')
        .uses.map(({ place }) => place),
    ).toEqual([
      { line: 2, column: 1 },
      { line: 3, column: 3 },
    ])
  })
  test('nested deeper than any stack', () => {
    const deep = `t(${'('.repeat(20_000)}'a'${')'.repeat(20_000)})`
    expect(usesIn(deep, 'a.js')).toEqual(['any/?'])
    const long = `t(${Array.from({ length: 20_000 }, () => "'a'").join('+')})`
    expect(usesIn(long, 'a.js').length).toBe(1)
  })
  test('alternatives without end are told apart no more', () => {
    const chain = Array.from({ length: 210 }, (_, at) => `const k${at + 1} = c ? k${at} : k${at} + 'x';`).join('\n')
    expect(usesIn(`const k0 = 'a';${chain} t(k210)`, 'a.js')).toContain('any/?')
  })
})
