// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** Default texts, plural forms and namespaces of the keys that `localization extract` finds, library by library. */
import { transformSync } from 'esbuild'
import { createInstance } from 'i18next'
import { createElement, Fragment } from 'react'
import { nodesToString } from 'react-i18next'
import { nodesToString as nodesToString17 } from 'react-i18next-17'
import { describe, expect, test } from 'vitest'
import type { ResolvedConfig } from '../../../src/config/types.ts'
import { createAnalyzer } from '../../../src/usage/analyze.ts'
import { type ExtractResult, extractKeys } from '../../../src/usage/extract/extract.ts'
import type { ReadImport } from '../../../src/usage/flow/imports.ts'
import type { PluralStyle } from '../../../src/usage/model.ts'
import { missingIn, usedIn } from '../../helpers/usage.ts'

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Given extends Partial<Pick<ResolvedConfig, 'defaultNamespace' | 'keySeparator' | 'namespacePrefix'>> {
  readonly language?: string
  readonly plurals?: PluralStyle
  readonly texts?: Texts
  readonly broken?: readonly string[]
  readonly functions?: readonly string[]
  /** That of react-i18next. */
  readonly version?: string | undefined
}

function extract(files: string | Readonly<Record<string, string>>, given: Given = {}): ExtractResult {
  const all = typeof files === 'string' ? { 'app.tsx': files } : files
  const { texts = { common: {} }, broken = [], functions = [], language = 'en', plurals, ...naming } = given
  const versionOf = (name: string) => (name === 'react-i18next' ? given.version : undefined)
  const readImport: ReadImport = (source) => {
    const file = source.replace('./', '')
    const code = all[file]
    return code === undefined ? undefined : { code, file }
  }
  const analyzer = createAnalyzer({
    ...{ details: true, functions, readImport, versionOf },
    keySeparator: given.keySeparator ?? '.',
  })
  const modules = Object.entries(all).map(([file, code]) => [file, analyzer.analyze(code, file)] as const)
  const known = Object.entries(texts).map(([namespace, messages]) => ({
    namespace,
    messages: new Map(Object.entries(messages)),
    isBroken: broken.includes(namespace),
  }))
  const defaults = { defaultNamespace: 'common', keySeparator: '.', namespacePrefix: true }
  return extractKeys(modules, known, language, { ...defaults, ...naming, usage: { plurals } })
}

/** `namespace/key = text`, in the order of the code. */
function keysIn(files: Parameters<typeof extract>[0], given: Given = {}): string[] {
  return extract(files, given).keys.map(({ namespace, key, text }) => `${namespace}/${key} = ${text}`)
}

const I18NEXT = "import i18n from 'i18next'; i18n.init({ lng: 'en', defaultNS: 'common' });"
const REACT = `${I18NEXT} import { useTranslation, Trans } from 'react-i18next'; const { t } = useTranslation();`
const INTL = "import { defineMessages, FormattedMessage, useIntl } from 'react-intl';"

/** Each row: the code, and the keys that are extracted. */
function rows(of: readonly (readonly [code: string, ...keys: string[]])[], before: string, given: Given = {}) {
  for (const [code, ...keys] of of) test(code, () => expect(keysIn(`${before}\n${code}`, given)).toEqual(keys))
}

describe("i18next's calls", () => {
  rows(
    [
      ["t('a')", 'common/a = '],
      ["t('a', 'Text')", 'common/a = Text'],
      ["t('a', 'Te' + 'xt')", 'common/a = Text'],
      ['t(`a`, `Text`)', 'common/a = Text'],
      ['t("a", `Text ${x}`)', 'common/a = '],
      ["const text = 'Text'; t('a', text)", 'common/a = Text'],
      ["t('a', { defaultValue: 'Text' })", 'common/a = Text'],
      ["t('a', 'Text', { x: 1 })", 'common/a = Text'],
      ["t('a', x ? 'One' : 'Two')"],
      ["t(x ? 'a' : 'b')", 'common/a = ', 'common/b = '],
      ['t(key); t(`a.${b}`); t("a." + b)'],
      ["t(['first', 'second'], 'Text')", 'common/second = Text'],
      ["i18n.exists('a')"],
      ["t('a', { count })", 'common/a_one = ', 'common/a_other = '],
      [
        "t('a', { count, defaultValue_one: 'One', defaultValue_other: '{{count}}' })",
        'common/a_one = One',
        'common/a_other = {{count}}',
      ],
      ["t('a', { count, defaultValue: '{{count}}' })", 'common/a_one = {{count}}', 'common/a_other = {{count}}'],
      [
        "t('a', { count: 1, ordinal: true })",
        'common/a_ordinal_one = ',
        'common/a_ordinal_two = ',
        'common/a_ordinal_few = ',
        'common/a_ordinal_other = ',
      ],
      ["t('a', { context: 'male' })", 'common/a_male = '],
      ["t('a', { context: x ? 'male' : 'female' })", 'common/a_male = ', 'common/a_female = '],
      ["t('a', { context: 'b', count: 2 })", 'common/a_b_one = ', 'common/a_b_other = '],
      ["t('a', { context })"],
      ["t('a', options)"],
      ["t('a', { ...options })"],
      ["t('a', { returnObjects: true })"],
      ["t('shop:a')", 'shop/a = '],
      ["t('a', { ns: 'shop' })", 'shop/a = '],
      ["t('new:a')"],
      ["t('Sentence: with a colon')", 'common/Sentence: with a colon = '],
      ["const shop = useTranslation('shop'); shop.t('a')", 'shop/a = '],
      ["const { t: of } = useTranslation(['shop', 'common']); of('a')", 'shop/a = '],
      ["const { t: of } = useTranslation('more'); of('a')", 'more/a = '],
      ["const { t: of } = useTranslation('shop', { keyPrefix: 'x' }); of('a')", 'shop/x.a = '],
      ["list.filter((t: string) => t.startsWith('a'))"],
      ["t('known'); t('section'); t('known', { count }); t('empty')"],
    ],
    REACT,
    { texts: { common: { known: 'Known', 'section.a': 'A', empty: '' }, shop: { x: 'X' } } },
  )

  test('forms that a file lacks, and forms that are there', () => {
    const given = {
      texts: { common: { a_one: 'One', b: 'B', c_one: 'One', c_other: 'Many', d: 'One', d_plural: 'Many' } },
    }
    const calls = "t('a', { count }); t('b', { count }); t('c', { count }); t('d', { count })"
    expect(keysIn(`${REACT}${calls}`, given)).toEqual(['common/a_other = '])
    expect(extract(`${REACT}t('a', options)`, given)).toEqual({ keys: [], skipped: [] })
  })

  test("i18next's older plural format", () => {
    const given = { texts: { common: { b: 'B', b_plural: 'Bs' } } }
    expect(keysIn(`${REACT}t('a', { count, defaultValue_other: 'As' })`, given)).toEqual([
      'common/a = ',
      'common/a_plural = As',
    ])
    expect(keysIn(`${REACT}t('a', { count })`, { ...given, language: 'pl' })).toEqual([])
    expect(keysIn(`${REACT}t('b', { count })`, given)).toEqual([])
  })

  test("the forms are those of the default language, with i18next's separators", () => {
    expect(keysIn(`${REACT}t('a', { count })`, { language: 'pl' })).toEqual(
      ['one', 'few', 'many', 'other'].map((form) => `common/a_${form} = `),
    )
    // Not those of the machine's language.
    expect(keysIn(`${REACT}t('a', { count })`, { language: 'tlh' })).toEqual(['common/a_other = '])
    const app = REACT.replace('lng:', "pluralSeparator: '__', contextSeparator: '//', lng:")
    expect(keysIn(`${app}t('a', { count, context: 'b' })`)).toEqual(['common/a//b__one = ', 'common/a//b__other = '])
  })

  test('two default texts: the first one counts, and both places are known', () => {
    const { keys } = extract(`${REACT}\nt('a')\nt('a', 'First')\nt('a', 'Second')`)
    expect(keys).toMatchObject([{ text: 'First', from: 'call', calls: [{ line: 2 }, { line: 3 }, { line: 4 }] }])
    expect(keys[0]?.conflict).toEqual({ text: 'Second', place: { file: 'app.tsx', line: 4, column: 1 } })
  })

  test('where keys are sentences, the key is the text', () => {
    const texts = { common: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`Text ${i}.`, `Text ${i}.`])) }
    const app = REACT.replace('lng:', "keySeparator: false, nsSeparator: '|', lng:")
    const calls = "t('Stop. Now'); t('{{count}} files', { count }); t('Now', { context: 'time' }); t('common|Text: 1')"
    expect(keysIn(`${app}${calls}`, { texts })).toEqual([
      'common/Stop. Now = Stop. Now',
      'common/{{count}} files_one = {{count}} files',
      'common/{{count}} files_other = {{count}} files',
      'common/Now_time = Now',
      'common/Text: 1 = Text: 1',
    ])
    // One of many such texts is none.
    expect(keysIn(`${REACT}t('b')`, { texts: { common: { a: 'a', 'b.c': 'Text', d: 'Else' } } })).toEqual([])
    expect(keysIn(`${REACT}t('e')`, { texts: { common: { a: 'a', b: 'Text', d: 'Else' } } })).toEqual(['common/e = '])
  })

  test("another separator than the files' one", () => {
    const app = REACT.replace('lng:', "keySeparator: '/', lng:")
    expect(keysIn(`${app}t('a/b'); t('c/d')`, { texts: { common: { 'c.d': 'D' } } })).toEqual(['common/a.b = '])
  })

  test('names that the files do not join', () => {
    const given = { keySeparator: '\u241f', texts: { common: { 'a\u241fb': 'B', 'Save. Now': 'x' } } }
    const app = REACT.replace('lng:', 'keySeparator: false, lng:')
    expect(keysIn(`${app}t('Save. Now'); t('Save'); t('c.d')`, given)).toEqual(['common/Save = ', 'common/c.d = '])
    const prefixed = `${app}const { t: of } = useTranslation('common', { keyPrefix: 'Save' }); of(' Now'); of('x')`
    expect(keysIn(prefixed, given)).toEqual(['common/Save.x = '])
    // A library that reads nested messages by a path with dots.
    const intl = `${INTL}const { formatMessage } = useIntl();`
    const calls = "formatMessage({ id: 'common.a.b' }); formatMessage({ id: 'common.a.c', defaultMessage: 'C' })"
    expect(keysIn(intl + calls, given)).toEqual(['common/a.c = C'])
  })
})

test.each(['en', 'pl', 'ar', 'ja', 'pt-BR'])('what is written is what i18next looks for: %s', async (language) => {
  for (const [pluralSeparator, contextSeparator] of [
    ['_', '_'],
    ['~', '//'],
  ]) {
    const options = { pluralSeparator, contextSeparator, lng: language, defaultNS: 'common' }
    const calls = [
      { count: 1 },
      { count: 1, ordinal: true },
      { context: 'x' },
      { context: 'x', count: 1 },
      { context: 'x', count: 1, ordinal: true },
    ]
    for (const given of calls) {
      const setup = `import i18n from 'i18next'; i18n.init(${JSON.stringify(options)})`
      const code = `${setup}; i18n.t('a', ${JSON.stringify(given)})`
      const { keys } = extract(code, { language })
      const texts = Object.fromEntries(keys.map(({ key }) => [key, key]))
      const app = createInstance()
      await app.init({ ...options, resources: { [language]: { common: texts } } } as object)
      const show = app.t as (key: string, options: object) => string
      const counts = 'count' in given ? Array.from({ length: 130 }, (_, count) => ({ ...given, count })) : [given]
      const shown = new Set(counts.map((each) => show('a', each)))
      // Nothing but these keys is shown. One form may be for fractions or for millions.
      expect([...shown].sort(), JSON.stringify(given)).toEqual(
        Object.keys(texts)
          .sort()
          .filter((key) => shown.has(key)),
      )
      expect(keys.length - shown.size, JSON.stringify(given)).toBeLessThan(2)
    }
  }
})

describe('options of i18next that are set up elsewhere', () => {
  const app = (options: string) => ({
    'app.tsx': `import shared, { more } from './shared.mjs'; ${REACT.replace("lng: 'en', defaultNS: 'common'", options)}
      t('a'); t('b', { count }); t('c|d'); t('e', { context: 'x' })`,
    'shared.mjs':
      "export const more = { plural: '~' }\nconst all = { ns: 'shop', context: '//' }\nexport default all\n",
  })
  const given = { texts: { common: {}, shop: {} } }

  test('are read from other modules', () => {
    const options =
      "defaultNS: shared.ns, contextSeparator: shared.context, pluralSeparator: more.plural, nsSeparator: '|'"
    expect(keysIn(app(options), given)).toEqual(['shop/a = ', 'shop/b~one = ', 'shop/b~other = ', 'shop/e//x = '])
  })

  test('that cannot be read: nothing that depends on them is extracted, with the reason', () => {
    const reasons = (options: string) => {
      const { keys, skipped } = extract(app(options), given)
      return [keys.map(({ namespace, key }) => `${namespace}/${key}`), skipped.map(({ key, reason }) => [key, reason])]
    }
    expect(reasons("lng: 'en', defaultNS: 'shop', pluralSeparator: load(), nsSeparator: '|'")).toEqual([
      ['shop/a', 'shop/e_x'],
      [
        ['b', "i18next's pluralSeparator cannot be read"],
        ['d', 'it seems to name the namespace c, which has no file in the default language'],
      ].map(([key, reason]) => [key === 'd' ? 'c|d' : key, reason]),
    ])
    expect(reasons("lng: 'en', defaultNS: load(), nsSeparator: '|'")[0]).toEqual([])
    expect(reasons("lng: 'en', defaultNS: 'shop', nsSeparator: load()")).toEqual([
      ['shop/a', 'shop/b_one', 'shop/b_other', 'shop/e_x'],
      [['c|d', 'the i18next settings nsSeparator and keySeparator cannot be read']],
    ])
  })

  test('an instance of its own does not count for the app', () => {
    const plugin =
      "import { createInstance } from 'i18next'; const own = createInstance(); own.init({ defaultNS: x, ns })"
    expect(keysIn({ 'app.tsx': `${REACT}t('a')`, 'plugin.ts': plugin }, given)).toEqual(['common/a = '])
  })
})

describe('functions that get `t`', () => {
  const helper = "export function label(t, x) { return t('a') }\nexport const outer = (t) => label(t, 1)"
  const given = { texts: { common: {}, shop: {}, other: {} } }

  test('look where their callers look', () => {
    const app = `${REACT}import { outer } from './helper'; const { t: of } = useTranslation('shop'); outer(of)`
    expect(keysIn({ 'app.tsx': app, 'helper.ts': helper }, given)).toEqual(['shop/a = '])
  })

  test('without callers, or with callers that disagree: nothing is written', () => {
    const none = extract({ 'app.tsx': REACT, 'helper.ts': helper }, given)
    expect(none).toMatchObject({
      keys: [],
      skipped: [{ key: 'a', reason: 'its namespace is unknown; name it in the key or in the option "ns"' }],
    })
    const app = `${REACT}import { label } from './helper'; label(t); label(useTranslation('shop').t)`
    expect(keysIn({ 'app.tsx': app, 'helper.ts': helper }, given)).toEqual([])
  })
})

describe('`<Trans>`', () => {
  rows(
    [
      ['<Trans i18nKey="a" />', 'common/a = '],
      ['<Trans i18nKey="a" defaults="Text <0>b</0>" />', 'common/a = Text <0>b</0>'],
      ['<Trans i18nKey="a">Text <b>bold</b></Trans>', 'common/a = Text <1>bold</1>'],
      ['<Trans i18nKey="a">Text {x}</Trans>', 'common/a = '],
      [
        '<Trans i18nKey="a" count={n}>{{ count: n }} files</Trans>',
        'common/a_one = {{count}} files',
        'common/a_other = {{count}} files',
      ],
      ['<Trans i18nKey="a" values={{ count: n }} />', 'common/a_one = ', 'common/a_other = '],
      ['<Trans i18nKey="a">{{ count: n }} files</Trans>'],
      ['<Trans i18nKey="a" ns="shop">Text</Trans>', 'shop/a = Text'],
      ['<Trans ns="shop">Text</Trans>', 'shop/Text = Text'],
      ['<Trans>Text {x}</Trans>'],
      ['<Trans>Text\twith a tab</Trans>'],
      ['<Trans {...props}>Text</Trans>'],
    ],
    REACT,
    { texts: { common: {}, shop: {} } },
  )

  test("the component of another package is not react-i18next's", () => {
    expect(keysIn("import { Trans } from '@lingui/react'; <Trans>Text</Trans>")).toEqual([])
  })

  /** Each is serialized by react-i18next itself too. */
  const CHILDREN = [
    'Text',
    ' Text with <b>bold</b> and <br /> ',
    'Text<br/>more <strong>strong</strong> <i title="x">i</i><p>a <b>b</b></p><strong>{`x`}</strong>',
    '\n      Some\n      lines with <a href="x">a\n      link</a>\n      and&nbsp;\n      <b>a &amp; b</b>\n    ',
    "{'Text'} {{ name: user }} and {{ when, format: 'date' }}{' '}<Own><b/>deep <i>{'er'}</i></Own>",
    "{/* a comment */}<b>one</b>{/* another */}<b>{'two'}</b>",
    '{null}<b>one</b>{true}<b>two</b>',
    '<b key="x"/><br className="x"/><i></i>',
    'two  spaces\t\n\tnext',
    'Read <strong>the <em>new</em> rules</strong>',
    '<p>{{ name: user }}</p><i>a {{ name: user }}</i><strong><strong>twice</strong></strong><i><br/></i>',
    '<strong className="x">a <em>b</em></strong><p key="x">c<br/></p>',
  ]
  const plain = { transSupportBasicHtmlNodes: true, transKeepBasicHtmlNodesFor: ['br', 'strong', 'i', 'p'] }
  const versions = [
    ['16.6.6', nodesToString],
    ['17.1.13', nodesToString17],
  ] as const
  const all = CHILDREN.flatMap((children) => versions.map((version) => [children, ...version] as const))
  test.each(all)('children as react-i18next reads them: %j, version %s', (children, version, serialize) => {
    const jsx = transformSync(`<Root>${children}</Root>`, { loader: 'jsx', jsxFactory: 'h', jsxFragment: 'F' }).code
    const element = new Function('h', 'F', 'Root', 'Own', 'user', 'when', `return ${jsx.trim().replace(/;$/, '')}`)(
      createElement,
      Fragment,
      'root',
      'own',
      'Jane',
      'today',
    ) as { props: { children: React.ReactNode } }
    const expected = serialize(element.props.children, plain as never, undefined as never, '')
    const { keys } = extract(`${REACT}<Trans i18nKey="k">${children}</Trans>`, { version })
    expect(keys.map(({ text }) => text)).toEqual([expected])
  })

  test('children that versions read differently: without a version, all keys count as used, and none is written', () => {
    const code = `${REACT}<Trans>Read <strong>the <em>new</em> rules</strong></Trans>; <Trans>Same <b>text</b></Trans>`
    const keys = ['Read <1>the <1>new</1> rules</1>', 'Read <strong>the <1>new</1> rules</strong>', 'Same <1>text</1>']
    const [old, since17, same] = keys.map((key) => `common/${key} = ${key}`)
    expect(keysIn(code, { version: '16.6.6' })).toEqual([old, same])
    expect(keysIn(code, { version: '17.0.0' })).toEqual([since17, same])
    expect(keysIn(code, { version: '18.0.2' })).toEqual([since17, same])
    expect(keysIn(code)).toEqual([same])
    const used = usedIn({ 'app.tsx': code })
    expect(keys.map((key) => used.isUsed('default', key))).toEqual([true, true, true])
    expect(used.askedKeys().map(({ key }) => key)).toEqual([keys[2]])
    expect(usedIn({ 'app.tsx': code }, {}, { versionOf: () => '17.0.0' }).isUsed('default', keys[0] ?? '')).toBe(false)
  })
})

describe('other libraries', () => {
  rows(
    [
      ["useIntl().formatMessage({ id: 'a', defaultMessage: 'Text' })", 'common/a = Text'],
      ["const m = defineMessages({ a: { id: 'a', defaultMessage: 'Te' + `xt` } })", 'common/a = Text'],
      [
        '<FormattedMessage id="a" defaultMessage="Text {count, plural, other {#}}" />',
        'common/a = Text {count, plural, other {#}}',
      ],
      ['<FormattedMessage {...{ id: "a", defaultMessage: "Text" }} />', 'common/a = Text'],
      ["useIntl().formatMessage({ id: 'a', defaultMessage: text })", 'common/a = '],
      ["useIntl().formatMessage({ defaultMessage: 'Text' })"],
    ],
    INTL,
  )

  test('vue-i18n, next-intl and svelte-i18n: no plural forms', () => {
    const vue = "import { useI18n } from 'vue-i18n'; const { t, te } = useI18n(); t('a', { count: 2 }, 'Text'); te('b')"
    expect(keysIn(vue)).toEqual(['common/a = '])
    const next =
      "import { useTranslations } from 'next-intl'; const t = useTranslations('Home'); t('a', { count }); t.has('b')"
    expect(keysIn(next)).toEqual(['common/Home.a = '])
    expect(keysIn("import { _ } from 'svelte-i18n'; $_('a', { default: 'Text' })")).toEqual(['common/a = Text'])
  })

  test("the glue's namespace before the key", () => {
    const vue = "import { useI18n } from 'vue-i18n'; const { t } = useI18n(); t('shop.a'); t('shop.b'); t('c')"
    const { keys, skipped } = extract(vue, { texts: { common: {}, shop: { b: 'B' } } })
    expect(keys.map(({ namespace, key }) => `${namespace}/${key}`)).toEqual(['shop/a'])
    expect(skipped).toMatchObject([
      { key: 'c', reason: 'its namespace is unknown; name it in the key or in the option "ns"' },
    ])
  })

  test("selectors, and a namespace as a selector's first property", () => {
    const code = `${I18NEXT} i18n.t($ => $.a.b, { defaultValue: 'B' }); i18n.t($ => $.items, { count: 2 })
i18n.t($ => $.shop.known); i18n.t($ => $.shop.c); i18n.t($ => $.shop.d, { ns: ['common', 'shop'] })
i18n.t($ => $.shop.e, { ns: 'common' }); i18n.t($ => $.x[y])`
    const { keys, skipped } = extract(code, { texts: { common: {}, shop: { known: 'K' } } })
    expect(keys.map(({ namespace, key, text }) => `${namespace}/${key} = ${text}`)).toEqual([
      'common/a.b = B',
      'common/items_one = ',
      'common/items_other = ',
      'shop/d = ',
      'common/shop.e = ',
    ])
    expect(skipped).toMatchObject([{ key: 'shop.c', reason: expect.stringContaining('is also a namespace') }])
  })

  test('no namespace before the key', () => {
    const vue = "import { useI18n } from 'vue-i18n'; const { t } = useI18n(); t('common.a'); t('b')"
    expect(keysIn(vue, { namespacePrefix: false })).toEqual(['common/common.a = ', 'common/b = '])
  })

  test('a function of an unknown library: plural forms are not guessed', () => {
    expect(keysIn("import { t } from './t'; t('a'); t('b', { count: 2 })")).toEqual(['common/a = '])
  })

  test('t(namespace, key) of an app', () => {
    expect(keysIn("import { t } from './t'; t('shop', 'title')", { texts: { common: {}, shop: {} } })).toEqual([])
  })
})

describe("a plugin in place of i18next's format", () => {
  const calls = `t('a', 'Text', { count }); t('b', { context: 'x', count, defaultValue: '{count, plural, other {#}}' });
t('c', { count, ordinal: true }); t('d', options); <Trans i18nKey="e" count={n}>Text</Trans>; t('old', { count })`
  const one = ['a = Text', 'b = {count, plural, other {#}}', 'c = ', 'd = ', 'e = Text', 'old = ']
  const texts = { common: { old_one: 'One', old_other: 'Many' } }
  const extracted = (code: string) => keysIn({ 'app.tsx': `${REACT}${calls}`, 'i18n.ts': code }, { texts })
  const keys = one.map((key) => `common/${key}`)

  test.each([
    "import ICU from 'i18next-icu'; i18n.use(ICU)",
    "import Fluent from 'i18next-fluent'; i18n.use(new Fluent({}))",
    "i18n.use((await import('i18next-icu/esm')).default)",
    "i18n.use({ type: 'i18nFormat', parse: (text) => text, addLookupKeys: (keys) => keys })",
    "export class Format { static type = 'i18nFormat'; addLookupKeys(finalKeys, key) { return finalKeys } }",
    "class Format { constructor() { this.type = 'i18nFormat' } addLookupKeys() {} }",
  ])('whose messages hold the plurals: one message for each key, %s', (code) => {
    expect(extracted(code)).toEqual(keys)
  })

  test.each([
    "const other = 'i18next-icu'; show(other)",
    // Without the method, i18next adds its own endings.
    "i18n.use({ type: 'i18nFormat', parse: (text) => text })",
  ])('none: %s', (code) => {
    expect(extracted(code)).toContain('common/a_one = Text')
  })

  test.each([
    "i18n.use({ type: 'i18nFormat', addLookupKeys(keys, key) { keys.push(key + '.few') } })",
    "i18n.use({ type: 'i18nFormat', addLookupKeys })",
    "import Shopify from '@shopify/i18next-shopify'; i18n.use(Shopify)",
  ])('whose keys are unknown: nothing is written, which is said once, %s', (code) => {
    const files = { 'app.tsx': `${REACT}${calls}; t('plain')`, 'i18n.ts': code }
    const { keys: written, skipped } = extract(files, { texts })
    expect(written.map(({ key }) => key)).toEqual(['plain'])
    expect(skipped).toMatchObject([{ key: 'a', reason: expect.stringContaining('i18nFormat') }])
    expect(skipped[0]?.reason).toContain('usage.plurals')
    const asKeys = extract(files, { texts, plurals: 'keys' })
    expect(asKeys.keys.map(({ key }) => key)).toContain('a_one')
    expect(asKeys.skipped.filter(({ reason }) => reason.includes('i18nFormat'))).toEqual([])
    const asMessages = extract(files, { texts, plurals: 'messages' })
    expect(asMessages.keys.map(({ key }) => key)).toContain('a')
    expect(asMessages.keys.map(({ key }) => key)).not.toContain('a_one')
  })

  test('the option usage.plurals also settles the calls of an unknown library', () => {
    const files = { 'app.js': "import { t } from './own.js'; t('a', { count: 2 })" }
    expect(extract(files).keys).toEqual([])
    expect(extract(files, { plurals: 'messages' }).keys.map(({ key }) => key)).toEqual(['a'])
    expect(extract(files, { plurals: 'keys' }).keys.map(({ key }) => key)).toEqual(['a_one', 'a_other'])
  })

  test('check --missing-in-code asks for the key and not for its forms, which prune keeps', () => {
    const app = `${I18NEXT} i18n.t('old', { count }); i18n.t('new', { count }); i18n.t('a.b')`
    const catalog = { common: ['old_one', 'old_other', 'new', 'a.b.c'] }
    expect(missingIn({ 'a.js': app }, catalog)).toEqual([])
    expect(missingIn({ 'a.js': app, 'b.js': "import 'i18next-icu'" }, catalog)).toEqual(['old'])
    expect(usedIn({ 'a.js': app, 'b.js': "import 'i18next-icu'" }).isUsed('common', 'old_one')).toBe(true)
  })
})

describe('an existing key wins over a separator', () => {
  const texts = {
    common: { 'default: notify all': 'x', 'shop:sale': 'x', 'shop:item_one': 'x' },
    default: { ' notify all': 'x', quiet: 'x' },
    shop: {},
  }
  rows(
    [
      ["t('default: notify all'); t('shop:sale'); t('default:quiet')"],
      ["t('shop:item', { count })", 'common/shop:item_other = '],
      ["t('default: notify me'); t('shop:new')", 'common/default: notify me = ', 'shop/new = '],
    ],
    REACT,
    { texts },
  )

  test('but not over the prefix that the glue gives to each key', () => {
    const vue = "import { useI18n } from 'vue-i18n'; const { t } = useI18n(); t('shop.title'); t('shop: x')"
    expect(keysIn(vue, { texts: { common: { 'shop.title': 'x', 'shop: x': 'x' }, shop: {} } })).toEqual([
      'shop/title = ',
    ])
  })
})

describe('functions of the app', () => {
  const functions = ['say', 'useSay']

  test('have no default texts', () => {
    const code = `import { say } from './say'; say('Hello', 'Ada'); say('b', { defaultValue: 'B' }); say.call(null, 'c', 'x')
const speak = useSay(); speak('d', 'x'); const { say: own } = api; own('e', 'x'); function show(say) { say('f', 'x') }`
    expect(keysIn(code, { functions })).toEqual(
      ['Hello', 'b', 'c', 'd', 'e', 'f'].map((key) => {
        return `common/${key} = ${key === 'b' ? 'B' : ''}`
      }),
    )
    const library = `${REACT}const say = t; say('a', 'A'); const { t: useSay } = useTranslation(); useSay('b', 'B')`
    expect(keysIn(library, { functions })).toEqual(['common/a = A', 'common/b = B'])
  })

  test('may have a separator between namespace and key, which existing keys show', () => {
    const texts = { common: { 'a#b': 'x' }, core: { Key: 'x' } }
    const code = "import { say } from './say'; say('core#Key'); say('core#New'); say('a#b'); say('core/Key?')"
    expect(extract(code, { functions, texts })).toMatchObject({ keys: [{ namespace: 'core', key: 'New' }] })
    // Without such a key, it is not known where the text belongs.
    expect(keysIn("say('core#New')", { functions, texts })).toEqual([])
  })
})

test('a file that cannot be read may have any key', () => {
  expect(keysIn(`${REACT}t('a'); t('shop:b')`, { texts: { common: {}, shop: {} }, broken: ['common'] })).toEqual([
    'shop/b = ',
  ])
})
