// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** A library is what its adapter says: nothing else in the analysis knows it. */
import { expect, test } from 'vitest'
import { createAnalyzer } from '../../../src/usage/analyze.ts'
import { LIBRARIES } from '../../../src/usage/libraries/index.ts'
import type { Library } from '../../../src/usage/libraries/library.ts'
import { missingIn, usedIn } from '../../helpers/usage.ts'

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
