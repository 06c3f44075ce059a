/** `delivery: 'live'` in apps: the glue of each library, other hosts, `--watch`, many files, and hydration. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { installPackage } from '../helpers/consumer.ts'
import { html, startHost } from '../helpers/live-pages.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const CONFIG = { delivery: 'live', defaultLanguage: 'en', defaultNamespace: 'common', types: false, source: 'files' }
const REFRESH = { ...CONFIG, refresh: { intervalMs: 1000 } }
const TABLE = 'assets/localization/table.json'

const PLAIN = `
import { load, onUpdate, version } from 'virtual:translations'
const common = await load('en')
const show = () => { document.body.dataset.texts = Object.values(common).join(); document.body.dataset.version = version() }
show()
onUpdate(show)
Object.assign(globalThis, { load, version })
`
const PAGE = {
  'package.json': { type: 'module' },
  'index.html': html('<script type="module" src="/main.js"></script>'),
}
const TEXTS = { 'locales/en/common.json': { a: 'A', b: 'B' }, 'locales/en/shop.json': { buy: 'Buy' } }

type Files = Readonly<Record<string, string | object>>

/** A folder with a page, which `build` puts into `dist`. */
async function startApp(files: Files, more: object = {}) {
  const project = await startProject({ files: { ...PAGE, ...files } })
  const { root } = project
  const release = async (texts: Files, ...args: readonly string[]) => {
    for (const [path, content] of Object.entries(texts)) await save(join(root, path), content)
    const run = await project.run('release', 'dist', ...args)
    expect(run.code, run.output).toBe(0)
  }
  const build = async (settings: object = {}) => {
    const { build: run } = await import('vite')
    const plugins = [(await builtPlugin('vite', {})) as never]
    await run({ root, configFile: false, logLevel: 'silent', plugins, ...more, ...settings })
  }
  return { ...project, release, build, dist: join(root, 'dist') }
}

const tableIn = async (folder: string) =>
  JSON.parse(await readFile(join(folder, TABLE), 'utf8')) as { readonly version: string }

describe.skipIf(noChromium)('a release', () => {
  test('shows in an open page through every glue, in the texts of chunks too', async () => {
    const app = await startApp({
      'localization.config.json': { ...REFRESH, prune: { perChunk: true } },
      'main.js': `
import i18next from 'i18next'
import { createIntl } from 'react-intl'
import { createIntlStore } from 'unplugin-localization/react-intl'
import { createBackend } from 'unplugin-localization/i18next'
import { createLanguageLoader } from 'unplugin-localization/vue-i18n'
import * as translations from 'virtual:translations'
import { createI18n } from 'vue-i18n'

const vue = createI18n({ legacy: false, locale: 'en', messages: {} })
const loader = createLanguageLoader(vue, translations, { namespaces: ['common'] })
const store = createIntlStore(translations, { namespaces: ['common'] })
const plain = await translations.load('en')
await Promise.all([store.setLanguage('en'), loader.setLanguage('en')])
i18next.use(createBackend(translations))
await i18next.init({ lng: 'en', fallbackLng: false, ns: ['common'], defaultNS: 'common' })
let route
globalThis.texts = () => [
  plain.title, i18next.t('title'), createIntl(store.getSnapshot()).formatMessage({ id: 'common.title' }), vue.global.t('common.title'),
  ...(route?.texts({ i18n: i18next, intl: createIntl(store.getSnapshot()), vue: vue.global }) ?? []),
]
globalThis.go = async (name) => { route = await (name === 'home' ? import('./home.js') : import('./shop.js')) }
`,
      'home.js':
        "export const texts = ({ i18n, intl, vue }) => [i18n.t('home'), intl.formatMessage({ id: 'common.home' }), vue.t('common.home')]\n",
      'shop.js':
        "export const texts = ({ i18n, intl, vue }) => [i18n.t('shop'), intl.formatMessage({ id: 'common.shop' }), vue.t('common.shop')]\n",
      'locales/en/common.json': { title: 'Title', home: 'Home', shop: 'Shop', unused: 'Unused' },
    })
    await installPackage(app.root)
    await app.build()
    const host = await startHost(app.dist)
    const { page, problems } = await visit(host.origin)
    await page.waitForFunction('globalThis.texts')
    const texts = () => page.evaluate('globalThis.texts()')
    const all = (title: string, route?: string) => [
      ...Array.from({ length: 4 }, () => title),
      ...(route ? [route, route, route] : []),
    ]
    await expect.poll(texts).toEqual(all('Title'))
    await page.evaluate("go('home')")
    await expect.poll(texts).toEqual(all('Title', 'Home'))
    const edited = { title: 'Title 2', home: 'Home 2', shop: 'Shop 2', unused: 'Unused' }
    await app.release({ 'locales/en/common.json': edited })
    await expect.poll(texts).toEqual(all('Title 2', 'Home 2'))
    await page.evaluate("go('shop')")
    await expect.poll(texts).toEqual(all('Title 2', 'Shop 2'))
    await app.release({}, '--previous')
    await expect.poll(texts).toEqual(all('Title', 'Shop'))
    expect(problems).toEqual([])
  })

  test.each([
    ['base', (cdn: string) => ({ base: `${cdn}/` })],
    ['renderBuiltUrl', (cdn: string) => ({ experimental: { renderBuiltUrl: (file: string) => `${cdn}/${file}` } })],
  ])(
    'on another origin (%s), whose caches keep the table for an hour: the page stays whole, and names its version',
    async (_name, settings) => {
      const app = await startApp({ 'localization.config.json': REFRESH, 'main.js': PLAIN, ...TEXTS })
      const cdn = await startHost(app.dist)
      await app.build(settings(cdn.origin))
      const pages = await startHost(app.dist)
      const built = await readFile(join(app.dist, TABLE), 'utf8')
      const { version } = JSON.parse(built) as { readonly version: string }
      let isOld = true
      cdn.replace = (path) => (isOld && path.endsWith('table.json') ? built : undefined)
      await app.release({ 'locales/en/common.json': { a: 'A2', b: 'B2' }, 'locales/en/shop.json': { buy: 'Buy 2' } })
      const { page, problems } = await visit(pages.origin)
      const shown = () => page.evaluate('[document.body.dataset.texts, document.body.dataset.version]')
      await expect.poll(shown).toEqual(['A,B', version])
      expect(await page.evaluate("load('en', 'shop')")).toEqual({ buy: 'Buy' })
      const tables = () => cdn.sent.filter(({ path }) => path.endsWith('table.json')).length
      await expect.poll(tables).toBeGreaterThan(2)
      expect(await shown()).toEqual(['A,B', version])
      isOld = false
      await expect.poll(shown).toEqual(['A2,B2', (await tableIn(app.dist)).version])
      expect(await page.evaluate("load('en', 'shop')")).toEqual({ buy: 'Buy 2' })
      expect(pages.sent.filter(({ path }) => path.includes('/localization/'))).toEqual([])
      expect(problems).toEqual([])
    },
  )

  test('with --watch: every edit shows; a broken file is reported once, and the next edit shows again', async () => {
    const app = await startApp({ 'localization.config.json': REFRESH, 'main.js': PLAIN, ...TEXTS })
    await app.build()
    const host = await startHost(app.dist)
    const watching = app.start('release', 'dist', '--watch')
    await expect.poll(() => watching.output()).toContain('watching the texts')
    const { page, problems } = await visit(host.origin)
    const shown = () => page.evaluate('document.body.dataset.texts')
    await expect.poll(shown).toBe('A,B')
    const path = join(app.root, 'locales/en/common.json')
    for (const text of ['1', '2']) {
      await save(path, { a: `A${text}`, b: 'B' })
      await expect.poll(shown).toBe(`A${text},B`)
    }
    await save(path, '{ "a": ')
    await expect.poll(() => watching.output()).toContain('common.json:1:')
    expect(await shown()).toBe('A2,B')
    await save(path, { a: 'A3', b: 'B' })
    await expect.poll(shown).toBe('A3,B')
    expect(watching.output().match(/common\.json:1:/g)).toHaveLength(1)
    watching.child.kill('SIGINT')
    expect((await watching.ended).code).toBe(0)
    expect(problems).toEqual([])
  })

  test('with an index for each language: a page fetches the table, the index and what changed', async () => {
    const many = Array.from({ length: 70 }, (_, at) => at)
    const place = (language: string) =>
      many.map((at) => [`locales/${language}/n${at}.json`, { text: `${language} ${at}` }])
    const app = await startApp({
      'localization.config.json': { ...REFRESH, defaultNamespace: 'n0' },
      'main.js': PLAIN,
      ...Object.fromEntries([...place('en'), ...place('pl')]),
    })
    await app.build()
    const host = await startHost(app.dist)
    const { page, problems } = await visit(host.origin)
    const shown = () => page.evaluate('document.body.dataset.texts')
    await expect.poll(shown).toBe('en 0')
    expect(await page.evaluate("load('pl', 'n69')")).toEqual({ text: 'pl 69' })
    host.takeSent()
    await app.release({ 'locales/en/n0.json': { text: 'Released' } })
    await expect.poll(shown).toBe('Released')
    const sent = host.takeSent().filter(({ status }) => status === 200)
    expect(sent.map(({ path }) => path.replace(/\.[0-9a-f]{8}\./, '.').replace('/assets/localization/', ''))).toEqual([
      'table.json',
      'en.js',
      'en/n0.js',
    ])
    expect(await page.evaluate("load('pl', 'n69')")).toEqual({ text: 'pl 69' })
    expect(problems).toEqual([])
  })

  test('three times after a page opened: a namespace that it loads now is of one version with the others', async () => {
    const app = await startApp({ 'localization.config.json': CONFIG, 'main.js': PLAIN, ...TEXTS })
    await app.build()
    const both = (text: string) => ({
      'locales/en/common.json': { a: `A${text}`, b: 'B' },
      'locales/en/shop.json': { buy: `Buy${text}` },
    })
    await app.release(both('1'))
    const host = await startHost(app.dist)
    const [kept, gone] = await Promise.all([visit(host.origin), visit(host.origin)])
    for (const { page } of [kept, gone])
      await expect.poll(() => page.evaluate('document.body.dataset.texts')).toBe('A1,B')
    for (const text of ['2', '3', '4']) await app.release(both(text), '--keep', '1')
    expect(await kept.page.evaluate("load('en', 'shop')")).toEqual({ buy: 'Buy1' })
    expect(await kept.page.evaluate('document.body.dataset.texts')).toBe('A1,B')
    // The host lost what is no part of the build: the page goes to the texts of the build, all of them.
    const { version } = JSON.parse(await readFile(join(app.dist, TABLE.replace('table', 'build')), 'utf8')).table
    host.replace = (path) => (/shop\.[0-9a-f]{8}\.js$/.test(path) && !isBuilt(path) ? 404 : undefined)
    const record = await readFile(join(app.dist, TABLE.replace('table', 'build')), 'utf8')
    const isBuilt = (path: string) => record.includes(/\.([0-9a-f]{8})\.js$/.exec(path)?.[1] ?? '-')
    expect(await gone.page.evaluate("load('en', 'shop')")).toEqual({ buy: 'Buy' })
    await expect.poll(() => gone.page.evaluate('document.body.dataset.texts')).toBe('A,B')
    expect(await gone.page.evaluate('version()')).toBe(version)
  })

  test('between the rendering on a server and the page: it hydrates with the version of the server', async () => {
    const app = await startApp({
      'localization.config.json': { ...REFRESH, library: false },
      'app.js': `
import { createElement as h, useState } from 'react'
export function App({ texts }) {
  const [count, setCount] = useState(0)
  return h('main', null, h('h1', null, texts.a), h('button', { onClick: () => setCount(count + 1) }, String(count)))
}
`,
      'server.js': `
import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'
import * as translations from 'virtual:translations'
import { App } from './app.js'
export async function render() {
  const snapshot = translations.snapshot()
  return { body: renderToString(h(App, { texts: await snapshot.load('en') })), version: snapshot.version() }
}
`,
      'main.js': `
import { createElement as h } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { load, onUpdate, version } from 'virtual:translations'
import { App } from './app.js'
const texts = await load('en')
globalThis.first = [texts.a, version()]
const root = hydrateRoot(document.getElementById('root'), h(App, { texts }))
onUpdate(() => root.render(h(App, { texts: { ...texts } })))
`,
      ...TEXTS,
    })
    await installPackage(app.root)
    await app.build({ build: { outDir: 'dist/client' } })
    await app.build({ build: { outDir: 'dist/server', ssr: 'server.js' } })
    const { render } = (await import(pathToFileURL(join(app.dist, 'server/server.js')).href)) as {
      render(): Promise<{ readonly body: string; readonly version: string }>
    }
    const host = await startHost(join(app.dist, 'client'))
    const template = await readFile(join(app.dist, 'client/index.html'), 'utf8')
    for (const [now, next] of [
      ['A', 'A2'],
      ['A2', 'A3'],
    ] as const) {
      const { body, version } = await render()
      expect(body).toContain(`<h1>${now}</h1>`)
      const meta = `<meta name="localization-version" content="${version}">`
      const page = template
        .replace('<head>', `<head>${meta}`)
        .replace('<input id="state">', `<div id="root">${body}</div>`)
      host.replace = (path) => (path.endsWith('rendered.html') ? page : undefined)
      await app.release({ 'locales/en/common.json': { a: next, b: 'B' } })
      const watched = await visit(`${host.origin}/rendered.html`)
      await watched.page.waitForFunction('globalThis.first')
      expect(await watched.page.evaluate('first')).toEqual([now, version])
      await watched.page.click('button')
      await expect.poll(() => watched.page.textContent('h1')).toBe(next)
      expect(await watched.page.textContent('button')).toBe('1')
      // React reports what does not fit.
      expect(watched.problems).toEqual([])
      await watched.close()
    }
  })
})
