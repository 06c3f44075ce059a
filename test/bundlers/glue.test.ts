/** The glue, bundled with the real libraries and run. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { bundlers } from '../helpers/bundlers.ts'
import { expectedTexts, installExample, LANGUAGES } from '../helpers/examples.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { writeTree } from '../helpers/temp.ts'

const COUNT = 5
const COLLECT = `
globalThis.collect = async () => {
  const shown = {}
  for (const language of ${JSON.stringify(LANGUAGES)}) shown[language] = await texts(language)
  return shown
}`

/** Each has `texts(language)`: title, greeting and plural form. */
const entries: Readonly<Record<string, string>> = {
  'react-i18next': `
import { createInstance } from 'i18next'
import { createBackend } from 'unplugin-localization/i18next'
import * as translations from 'virtual:translations'
async function texts(lng) {
  const i18n = createInstance()
  await i18n.use(createBackend(translations)).init({ lng, fallbackLng: false, ns: ['common'], defaultNS: 'common' })
  return [i18n.t('title'), i18n.t('greeting.named', { name: 'Karl' }), i18n.t('bags', { count: ${COUNT} })]
}`,
  'vue-i18n': `
import { createTexts } from './i18n.js'
async function texts(language) {
  const { t } = (await createTexts(language)).i18n.global
  return [t('common.title'), t('common.greeting.named', { name: 'Karl' }), t('common.bags', ${COUNT})]
}`,
  'react-intl': `
import { createIntl } from 'react-intl'
import { parse } from '@formatjs/icu-messageformat-parser'
import { createIntlStore } from 'unplugin-localization/react-intl'
import * as translations from 'virtual:translations'
async function intlTexts(language, options) {
  const store = createIntlStore(translations, { namespaces: ['common'], ...options })
  await store.setLanguage(language)
  const { formatMessage, messages } = createIntl(store.getSnapshot())
  const shown = ['common.title', 'common.greeting.named', 'common.bags'].map((id) => formatMessage({ id }, { name: 'Karl', count: ${COUNT} }))
  return { shown, parsed: Object.values(messages).every(Array.isArray) }
}
async function texts(language) {
  const plain = await intlTexts(language)
  const precompiled = await intlTexts(language, { parse })
  if (plain.parsed || !precompiled.parsed) throw new Error('not precompiled')
  if (String(plain.shown) !== String(precompiled.shown)) throw new Error('precompiled messages differ')
  return plain.shown
}`,
}

const NAMES = ['vite', 'webpack', 'esbuild', 'rspack']
const LIBRARIES = Object.entries(entries)

describe.each(bundlers.filter(({ name }) => NAMES.includes(name)))('$name', (bundler) => {
  // Each library with a bundler, and each bundler with a library.
  const own = LIBRARIES.filter((_, i) => i === (NAMES.indexOf(bundler.name) + 1) % LIBRARIES.length)
  test.each(repeats(own, LIBRARIES))('%s: every language', async (example, code) => {
    const root = await installExample(example)
    await writeTree(root, { 'entry.js': code + COLLECT, 'package.json': { type: 'module' } })
    // webpack and Rspack have no TypeScript of their own.
    if (example === 'vue-i18n') await writeTree(root, { 'i18n.js': await script(join(root, 'src/i18n.ts')) })
    const { entryFile } = await bundler.build({
      root,
      entries: { entry: 'entry.js' },
      options: { root, configFile: false, defaultLanguage: 'en' },
      define: { 'process.env.NODE_ENV': '"production"' },
    })
    const shown = await runEntry<Record<string, string[]>>(entryFile('entry'))
    for (const language of LANGUAGES) {
      const number = (count: number) =>
        example === 'react-intl' ? new Intl.NumberFormat(language).format(count) : String(count)
      const expected = await expectedTexts(language, { name: 'Karl', count: COUNT, number })
      expect(shown[language]).toEqual([expected.h1, expected['.greeting'], expected['.bags']])
    }
  })
})

async function script(file: string): Promise<string> {
  return (await transform(await readFile(file, 'utf8'), { loader: 'ts' })).code
}
