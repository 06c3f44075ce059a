/** The packed package with libraries of several versions: a page shows the same texts with and without `prune`. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launchChromium, noChromium, openPage, serveFolder } from '../helpers/browser.ts'
import { npmInstall, packTarball, runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const TEXTS = {
  title: 'Witaj',
  'menu.open': 'Otwórz',
  'menu.exit': 'Zakończ',
  'state.on': 'Włączone',
  'state.off': 'Wyłączone',
  unused: 'Nieużyte',
}
const FORMS = { item_one: 'rzecz', item_few: 'rzeczy', item_many: 'rzeczy', item_other: 'rzeczy' }
/** The key of the same element differs between versions. */
const CHILDREN = {
  'Read <1>the <1>new</1> rules</1>': 'Przeczytaj <1>te <1>nowe</1> zasady</1>',
  'Read <strong>the <1>new</1> rules</strong>': 'Przeczytaj <strong>te <1>nowe</1> zasady</strong>',
}

/**
 * Keys in an object that is changed, and keys that are composed.
 * @param prefix that of the glue
 */
const asks = (prefix: string, t = 't', call = (key: string) => `t(${key})`) => `
  const rows = [{ label: '${prefix}menu.open' }, { label: '${prefix}menu.close' }]
  for (const row of rows) if (row.label.endsWith('close')) row.label = '${prefix}menu.exit'
  const textsOf = (${t}) => [
    ${call(`'${prefix}title'`)},
    ...rows.map((row) => ${call('row.label')}),
    ...['on', 'off'].map((name) => ${call(`\`${prefix}state.\${name}\``)}),
  ]
`
const SHOWN = ['Witaj', 'Otwórz', 'Zakończ', 'Włączone', 'Wyłączone']

const I18NEXT = `
  import i18next from 'i18next'
  import { createBackend } from 'unplugin-localization/i18next'
  import * as translations from 'virtual:translations'
  const OPTIONS = { lng: 'pl', fallbackLng: false, ns: ['common'], defaultNS: 'common', keySeparator: false }
  ${asks('')}
`
const BACKEND = 'i18next.use(createBackend(translations))'
const NEXT = `${I18NEXT}
  await ${BACKEND}.init(OPTIONS)
  document.body.textContent = [...textsOf(i18next.t), i18next.t('item', { count: 5 })].join(' | ')
`
const REACT = `${I18NEXT}
  import { createElement } from 'react'
  import { createRoot } from 'react-dom/client'
  import { initReactI18next, Trans, useTranslation } from 'react-i18next'
  await ${BACKEND}.use(initReactI18next).init(OPTIONS)
  function Page() {
    const { t } = useTranslation()
    const rules = createElement(Trans, null, 'Read ', createElement('strong', null, 'the ', createElement('em', null, 'new'), ' rules'))
    return createElement('p', null, [...textsOf(t), t('item', { count: 5 })].join(' | '), ' | ', rules)
  }
  createRoot(document.body).render(createElement(Page))
`
const VUE = `
  import { createLanguageLoader } from 'unplugin-localization/vue-i18n'
  import * as translations from 'virtual:translations'
  import { createApp, h } from 'vue'
  import { createI18n, useI18n } from 'vue-i18n'
  ${asks('common.')}
  const i18n = createI18n({ legacy: false, locale: 'pl', fallbackLocale: false })
  await createLanguageLoader(i18n, translations, { namespaces: ['common'] }).setLanguage('pl')
  const Page = { setup() { const { t } = useI18n(); return () => h('p', textsOf(t).join(' | ')) } }
  createApp(Page).use(i18n).mount(document.body)
`
const INTL = `
  import { createElement } from 'react'
  import { createRoot } from 'react-dom/client'
  import { IntlProvider, useIntl } from 'react-intl'
  import { createIntlStore } from 'unplugin-localization/react-intl'
  import * as translations from 'virtual:translations'
  ${asks('common.', 'intl', (key) => `intl.formatMessage({ id: ${key} })`)}
  const store = createIntlStore(translations, { namespaces: ['common'] })
  await store.setLanguage('pl')
  function Page() {
    return createElement('p', null, textsOf(useIntl()).join(' | '))
  }
  createRoot(document.body).render(createElement(IntlProvider, store.getSnapshot(), createElement(Page)))
`
const FORM = ['rzeczy']
const RULES = ['rzeczy', 'Przeczytaj te nowe zasady']

describe.skipIf(noChromium)('a page shows the same texts with and without prune', () => {
  test.each([
    ['i18next 25', ['i18next@25'], NEXT, FORM],
    ['i18next 27', ['i18next@27'], NEXT, FORM],
    ['react-i18next 16', ['i18next@25', 'react-i18next@16', 'react@19', 'react-dom@19'], REACT, RULES],
    ['react-i18next 18', ['i18next@27', 'react-i18next@18', 'react@19', 'react-dom@19'], REACT, RULES],
    ['vue-i18n', ['vue@3', 'vue-i18n@11'], VUE, []],
    ['react-intl', ['react-intl@7', 'react@19', 'react-dom@19'], INTL, []],
  ])('%s', { timeout: 600_000 }, async (_name, packages, code, more) => {
    const root = await tempFolder()
    await writeTree(root, {
      'package.json': { private: true, type: 'module' },
      'index.html':
        '<!doctype html><html lang="pl"><link rel="icon" href="data:,"><body></body><script type="module" src="/src/main.js"></script>',
      'src/main.js': code,
      'locales/en/common.json': { title: 'Hello' },
      'locales/pl/common.json': { ...TEXTS, ...(more.length > 0 && { ...FORMS, ...CHILDREN }) },
      'vite.config.js': `
        import localization from 'unplugin-localization/vite'
        const options = { defaultLanguage: 'en', keySeparator: false, prune: process.env.PRUNE === 'true' }
        const build = { target: 'es2022', modulePreload: false, outDir: process.env.PRUNE }
        export default { logLevel: 'warn', build, plugins: [localization(options)] }
      `,
    })
    await npmInstall(root, '--force', await packTarball(), 'vite@8', ...packages)
    const shown = []
    for (const PRUNE of ['false', 'true']) {
      const { code: ended, output } = await runNode(process.execPath, ['node_modules/vite/bin/vite.js', 'build'], {
        cwd: root,
        env: { PRUNE },
      })
      expect(ended, output).toBe(0)
      shown.push({ text: await textOf(join(root, PRUNE)), hasUnused: await contains(join(root, PRUNE), 'Nieużyte') })
    }
    const text = [...SHOWN, ...more].join(' | ')
    expect(shown).toEqual([
      { text, hasUnused: true },
      { text, hasUnused: false },
    ])
  })
})

async function textOf(folder: string): Promise<string> {
  const server = await serveFolder(folder)
  const { page, problems, close } = await openPage(await launchChromium(), `${server.origin}/`, {})
  await expect.poll(() => page.textContent('body')).toMatch(/\w/)
  const text = (await page.innerText('body')).trim()
  expect(problems).toEqual([])
  await close()
  await server.close()
  return text
}

async function contains(folder: string, text: string): Promise<boolean> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js'))
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
  return contents.some((content) => content.includes(text))
}
