/** Service workers that keep the output, texts of every language included: the page runs when the server is gone. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit, type WatchedPage } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { covers, importPackage, noPackages, packageFile } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  MAIN,
  OPTIONS,
  type Place,
  pageProject,
  showsBothLanguages,
  TEXTS,
} from '../helpers/compatibility-page.ts'

const PLACES = ['control', 'first'] as const

const WORKER = `
import { precacheAndRoute } from 'workbox-precaching'
precacheAndRoute(self.__WB_MANIFEST)
self.skipWaiting()
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
`
/** A service worker has no `import()`, and so no `load()`. */
const WITH_TEXTS = `
import en from 'virtual:translations/en/common'
import pl from 'virtual:translations/pl/common'
${WORKER}
self.addEventListener('message', ({ data, source }) => source.postMessage({ en, pl }[data].title))
`
const LIMIT = "import the worker's texts statically"

const COST = 'precaches every language; `globIgnores` excludes them: [build.md](build.md#service-workers)'

/** A new one each time: bundlers put their defaults into it. */
const resolve = () => ({ alias: { 'workbox-precaching': packageFile('workbox-precaching/index.mjs') } })

const PWA = { registerType: 'autoUpdate', injectRegister: 'script', manifest: false }
const STRATEGIES = {
  generateSW: { workbox: { globPatterns: ['**/*.{js,html}'], skipWaiting: true, clientsClaim: true } },
  injectManifest: { srcDir: '.', filename: 'sw.js', injectManifest: { globPatterns: ['**/*.{js,html}'] } },
}

describe.skipIf(noChromium || noPackages).each(['vite', 'vite7'] as const)('vite-plugin-pwa, %s', (name) => {
  describe.each(Object.entries(STRATEGIES))('%s', (strategies, settings) => {
    covers({ tool: 'vite-plugin-pwa', setting: `\`${strategies}\``, bundlers: [name], limit: COST })

    test.each(PLACES)('%s', async (place) => {
      const { VitePWA } = await importPackage<{ VitePWA(options: object): unknown }>('vite-plugin-pwa')
      const root = await pageProject(place, { 'sw.js': WORKER })
      const pwa = VitePWA({ ...PWA, ...settings, strategies })
      await buildVitePage(name, { root, place }, { plugins: [pwa], resolve: resolve() })
      await runsOffline(root)
    })

    test('without the texts', async () => {
      const { VitePWA } = await importPackage<{ VitePWA(options: object): unknown }>('vite-plugin-pwa')
      const root = await pageProject('first', { 'sw.js': WORKER })
      const [[field, own]] = Object.entries(settings).slice(-1) as [[string, object]]
      const globs = { [field]: { ...own, globIgnores: ['**/localization/**'] } }
      const pwa = VitePWA({ ...PWA, ...settings, ...globs, strategies })
      await buildVitePage(name, { root, place: 'first' }, { plugins: [pwa], resolve: resolve() })
      expect(await readFile(join(root, 'dist/sw.js'), 'utf8')).not.toContain('localization/')
    })
  })
})

describe.skipIf(noChromium || noPackages).each(['vite', 'vite7'] as const)('texts in the worker, %s', (name) => {
  covers({ tool: 'vite-plugin-pwa', setting: 'texts in the service worker', bundlers: [name], limit: LIMIT })

  test('injectManifest', async () => {
    const { VitePWA } = await importPackage<{ VitePWA(options: object): unknown }>('vite-plugin-pwa')
    const root = await pageProject('first', { 'sw.js': WITH_TEXTS })
    const { injectManifest } = STRATEGIES.injectManifest
    const pwa = VitePWA({
      ...PWA,
      ...STRATEGIES.injectManifest,
      strategies: 'injectManifest',
      injectManifest: { ...injectManifest, buildPlugins: { vite: [await builtPlugin('vite', OPTIONS)] } },
    })
    await buildVitePage(name, { root, place: 'first' }, { plugins: [pwa], resolve: resolve() })
    await speaks(root)
  })
})

describe.skipIf(noChromium || noPackages)('workbox-webpack-plugin', () => {
  async function build(place: Place, worker: string): Promise<string> {
    const { default: workbox } = await importPackage<{
      default: { InjectManifest: new (options: object) => unknown }
    }>('workbox-webpack-plugin')
    const register = "navigator.serviceWorker.register('/sw.js')"
    const root = await pageProject(place, { 'main.js': `${MAIN}${register}\n`, 'sw.js': worker })
    const plugins = [new workbox.InjectManifest({ swSrc: join(root, 'sw.js') })]
    await buildWebpackPage('webpack', { root, place }, { plugins, resolve: resolve() })
    return root
  }

  describe('the page', () => {
    covers({ tool: 'workbox-webpack-plugin', setting: '`InjectManifest`', bundlers: ['webpack'] })
    test.each(PLACES)('%s', async (place) => runsOffline(await build(place, WORKER)))
  })

  describe('texts in the worker', () => {
    covers({
      tool: 'workbox-webpack-plugin',
      setting: 'texts in the service worker',
      bundlers: ['webpack'],
      limit: LIMIT,
    })
    test('InjectManifest', async () => speaks(await build('first', WITH_TEXTS)))
  })
})

/** The page asks its worker for a text in each language. */
async function speaks(root: string): Promise<void> {
  const server = await serveFolder(join(root, 'dist'))
  onTestFinished(() => server.close())
  const watched = await visit(`${server.origin}/`)
  await controlled(watched)
  const ask = (language: string) =>
    watched.page.evaluate(`new Promise((resolve) => {
      navigator.serviceWorker.onmessage = ({ data }) => resolve(data)
      navigator.serviceWorker.controller.postMessage('${language}')
    })`)
  expect([await ask('en'), await ask('pl')]).toEqual(Object.values(TEXTS))
  expect(watched.problems).toEqual([])
  await watched.close()
}

async function controlled({ page }: WatchedPage): Promise<void> {
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller?.state')).toBe('activated')
}

async function runsOffline(root: string): Promise<void> {
  const server = await serveFolder(join(root, 'dist'))
  const watched = await visit(`${server.origin}/`)
  await expect.poll(() => watched.page.evaluate('document.body.dataset.text')).toBe(TEXTS.en)
  await controlled(watched)
  expect(watched.problems).toEqual([])
  await server.close()
  watched.requests.splice(0)
  await watched.page.reload()
  await showsBothLanguages(watched)
  await watched.close()
}
