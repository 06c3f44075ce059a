// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** A library is what its adapter says: nothing else in the analysis knows it. */
import { describe, expect, test } from 'vitest'
import { createAnalyzer } from '../../../src/usage/analyze.ts'
import { LIBRARIES } from '../../../src/usage/libraries/index.ts'
import type { Library } from '../../../src/usage/libraries/library.ts'
import { missingIn, usedIn, usesIn } from '../../helpers/usage.ts'

const madeUp: Library = {
  functions: ['sayIt'],
  methods: ['utter'],
  factories: ['useSpeech'],
  members: { 2: 'function' },
  wrappers: ['gently'],
  keyAttributes: { saidKey: 'any' },
  components: { Said: 'what' },
  words: ['speech'],
  importValue: (source, name) =>
    source === 'speech' && name === 'voice' ? { kind: 'function', namespaces: ['shop'] } : undefined,
  callValue: ({ name, args: [namespace] }, values) =>
    name === 'speak' ? { kind: 'function', namespaces: values.namespacesOf(namespace) } : undefined,
}

const CODE = `
  import { voice as v } from 'speech'
  sayIt('a'); anything.utter('b'); v('c'); speak('common')('d')
  const [, , say] = useSpeech(); gently(say)('e');
  [<i saidKey="f" />, <Said what="g" />, { saidKey: 'h' }]
`

test('an adapter is all that a library needs', () => {
  const uses = (libraries: readonly Library[]) =>
    createAnalyzer({}, libraries)
      .analyze(CODE, 'app.jsx')
      .uses.map(({ namespaces, key }) => `${namespaces}/${key}`)
  expect(uses([...LIBRARIES, madeUp])).toEqual([
    'any/a',
    'any/b',
    'shop/c',
    'common/d',
    'any/e',
    'any/f',
    'any/g',
    'any/h',
  ])
  expect(uses(LIBRARIES)).toEqual([])
})

test('without adapters, no function translates', () => {
  const code =
    "import { useTranslation } from 'react-i18next'; useTranslation().t('a'); $t('b'); formatMessage({ id: 'c' })"
  expect(createAnalyzer({ functions: ['other'] }, []).analyze(code, 'app.js')).toEqual({ uses: [], unknown: [] })
})

test("a separator of the app's own, where the text before it is a namespace", () => {
  const texts = { core: ['Key', 'a.b'], common: ['default: notify all'], default: [] }
  const code = "import { t } from './t'; t('core#Key'); t('core::a.b'); t('core#Other'); t('default: notify all')"
  expect(missingIn({ 'a.js': code }, texts)).toEqual(['core#Other'])
  const bound = "import { useTranslation } from 'react-i18next'; useTranslation('common').t('core#Key')"
  expect(missingIn({ 'a.js': bound, 'b.js': "import i18n from 'i18next'; i18n.init({ lng: 'en' })" }, texts)).toEqual([
    'core#Key',
  ])
  const used = usedIn(
    { 'a.js': `${code}; t('core|' + x)`, 'b.js': 't(`${x}#title`)' },
    { namespaces: ['core', 'shop'] },
  )
  expect(used.isUsed('core', 'Key')).toBe(true)
  expect(used.isUsed('shop', 'Key')).toBe(false)
  expect(used.isUsed('core', 'anything')).toBe(true)
  expect([used.isUsed('shop', 'title'), used.isUsed('shop', 'other')]).toEqual([true, false])
})

describe('texts that code reads as data', () => {
  const SHOWN = "import i18n from 'i18next'; i18n.init({ lng: 'en' });"
  const rows: readonly (readonly [code: string, ...uses: string[]])[] = [
    ["i18n.getResource(lng, 'shop', 'a')", 'shop/a'],
    ["i18n.getResource(lng, 'shop', `a.${x}`)", 'shop/a.*'],
    ["i18n.getResource(lng, 'shop', key)", 'shop/?'],
    ["i18n.getResource(lng, ns, 'a')", 'any/a'],
    ["i18n.getResource(lng, ...more); i18n.getResource(lng, 'shop')", 'any/?', 'shop/?'],
    ["i18n.getResource(lng, 'shop', ['a', 'b'])", 'shop/?'],
    ['const read = i18n.getResource', 'any/?'],
    ["i18n.getResourceBundle(lng, 'shop')", 'shop/?'],
    ["i18n.getResourceBundle(lng, x ? 'shop' : 'common').a", 'shop|common/a'],
    ["show(getI18n().getResourceBundle(lng, 'shop')?.[key])", 'shop/?'],
    ['i18n.getDataByLanguage(lng)', 'any/?'],
    ['i18n.getDataByLanguage(lng).shop', 'shop/?'],
    ['i18n.getDataByLanguage(lng).shop.a.length', 'shop/a'],
    ['i18n.store.data', 'any/?'],
    ["i18n.store.getResource(lng, 'shop', 'a')", 'shop/a'],
    ["i18n.services.resourceStore.getResource(lng, 'shop', 'a')", 'shop/a'],
    ['const { resourceStore } = i18n.services', 'any/?'],
    ["i18n.store.on('added', f); i18n.addResourceBundle(lng, 'shop', x); i18n.hasResourceBundle(lng, 'shop')"],
    ['redux.store.data; const { store, messages } = redux; f({ messages, store })'],
    ["import { createI18n } from 'vue-i18n'; createI18n({ messages: all }).global.setLocaleMessage('en', x)"],
    ["import { useI18n } from 'vue-i18n'; useI18n({ messages })"],
    ["import { createI18n } from 'vue-i18n'; createI18n(x).global.getLocaleMessage('en').title", 'any/title'],
    ["import { createI18n } from 'vue-i18n'; createI18n(x).global.getLocaleMessage('en')", 'any/?'],
    ["import { useI18n } from 'vue-i18n'; const { getLocaleMessage: read } = useI18n()", 'any/?'],
    ["import { useI18n } from 'vue-i18n'; const { messages } = useI18n()", 'any/?'],
    ['this.$i18n.messages.en.a', 'any/a'],
    ['this.$i18n.messages[language].a.b', 'any/a'],
    ['this.$i18n.messages.en[key]', 'any/?'],
    ['i18n.global.messages.value[language].a', 'any/a'],
    ['show(i18n.global.messages.value)', 'any/?'],
    ['i18n.global.messages.value.en', 'any/?'],
    ['i18n.global.messages.value.en = x; i18n.global.messages.value = y'],
    ["import { useIntl } from 'react-intl'; useIntl().messages.a", 'any/a'],
    ["import { useIntl } from 'react-intl'; const i = useIntl(); i.messages['shop.a']", 'any/shop.a'],
    ["import { useIntl } from 'react-intl'; let messages; ({ messages } = useIntl())", 'any/?'],
    ['props.intl.messages[id] ?? id', 'any/?'],
    ['const Label = ({ intl: { messages } }) => messages[id]; const formatMessage = 1', 'any/?'],
    ["Reflect.apply(i18n.t, i18n, ['a']); Reflect.apply(i18n.t, i18n, list)", 'a', '?'],
    ["const m = 't'; i18n[m]('a')", 'a'],
    ["i18n[x ? 't' : 'exists']('a')", 'a'],
    ["i18n[x ? 'language' : 'dir']('a'); i18n['on' + x]('a')"],
    ["i18n[m]('a')", 'any/?'],
    ['const f = i18n[m]; f(x)', 'any/?'],
    ["i18n['get' + x]('en', 'shop')", 'any/?'],
    ['function f() { const i18n = { en: 1, messages: 2 }; return [i18n[language], i18n.messages] }'],
  ]
  test.each(rows)('%s', (code, ...uses) => {
    expect(usesIn(`${SHOWN}${code}`)).toEqual(uses)
  })

  test('are reported with their place, and keep what they can reach', () => {
    const files = { 'a.js': `${SHOWN}\nshow(i18n.getResourceBundle(lng, 'shop'))` }
    const used = usedIn(files)
    expect(used.unknownCalls).toMatchObject([
      { file: 'a.js', line: 2, column: 6, code: "i18n.getResourceBundle(lng, 'shop')", reason: 'messages' },
    ])
    expect([used.isUsed('shop', 'any'), used.isUsed('common', 'any')]).toEqual([true, false])
    // A text need not exist because code reads it.
    expect(missingIn({ 'a.js': `${SHOWN} i18n.getResource(lng, 'shop', 'a')` }, { shop: [] })).toEqual([])
  })
})
