/** A library is what its adapter says: nothing else in the analysis knows it. */
import { expect, test } from 'vitest'
import { createAnalyzer } from '../../../src/usage/analyze.ts'
import { LIBRARIES } from '../../../src/usage/libraries/index.ts'
import type { Library } from '../../../src/usage/libraries/library.ts'

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
