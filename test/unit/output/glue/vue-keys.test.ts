/** Every key a catalog can hold is found by vue-i18n under `namespace.key`, or under `key` without the prefix. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'
import { createManifest, type Messages } from '../../../../src/runtime.ts'
import { createLanguageLoader } from '../../../../src/vue-i18n.ts'
import '../../../helpers/seed.ts'

const segment = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'title',
    'a-b',
    '$x',
    '0',
    '__proto__',
    'constructor',
    'toString',
    'zażółć',
    'a/b',
    "it's",
    'two words',
    '[0]',
    '"q"',
    '',
  ),
  fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme' }),
)
const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('.'))

async function shown(messages: Messages, namespacePrefix?: boolean) {
  const i18n = createI18n({ legacy: false, locale: 'en', missingWarn: false, fallbackWarn: false })
  const translations = createManifest({
    languages: [{ key: 'en', name: 'English', isDefault: true }],
    defaultLanguage: 'en',
    namespaces: ['common'],
    defaultNamespace: 'common',
    loaders: { en: { common: async () => ({ default: messages }) } },
  })
  await createLanguageLoader(i18n, { ...translations, namespacePrefix }).setLanguage('en')
  return i18n.global
}

test.each([true, false])('flat keys of any spelling, prefix: %s', async (namespacePrefix) => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 8 }), async (keys) => {
      const sorted = [...keys].sort((a, b) => (a < b ? -1 : 1))
      const messages = Object.fromEntries(sorted.map((name, i) => [name, `text ${i}`]))
      const { t } = await shown(messages, namespacePrefix)
      // vue-i18n shows nothing for an empty key, and takes `[0]` at the beginning for `0`.
      const isFound = ([name]: readonly [string, unknown]) => namespacePrefix || !/^(?:$|\[)/.test(name)
      for (const [name, text] of Object.entries(messages).filter(isFound))
        expect(t(namespacePrefix ? `common.${name}` : name), name).toBe(text)
    }),
  )
})

test('nested messages, and branches for te and tm', async () => {
  const { t, te, tm } = await shown({ basket: { open: 'Open', line: { each: 'Each' } }, title: 'Title' })
  expect([t('common.basket.open'), t('common.basket.line.each'), t('common.title')]).toEqual(['Open', 'Each', 'Title'])
  expect([te('common.basket.open'), te('common.basket.close')]).toEqual([true, false])
  expect(tm('common.basket.line')).toEqual({ each: 'Each' })
})

test('nested messages without the prefix', async () => {
  const { t, te, tm } = await shown({ basket: { open: 'Open' }, common: { title: 'Title' } }, false)
  expect([t('basket.open'), t('common.title'), te('common.basket.open')]).toEqual(['Open', 'Title', false])
  expect(tm('common')).toEqual({ title: 'Title' })
})
