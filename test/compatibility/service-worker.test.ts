/** Service workers that keep the output, texts of every language included: the page runs when the server is gone. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChromium, serveFolder } from '../helpers/browser.ts'
import { covers, importPackage, noPackages, packageFile } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  chromiumForFile,
  MAIN,
  PLACES,
  pageProject,
  showsBothLanguages,
  TEXTS,
} from '../helpers/compatibility-page.ts'

const chromium = chromiumForFile()

const WORKER = `
import { precacheAndRoute } from 'workbox-precaching'
precacheAndRoute(self.__WB_MANIFEST)
self.skipWaiting()
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
`
/** A new one each time: bundlers put their defaults into it. */
const resolve = () => ({ alias: { 'workbox-precaching': packageFile('workbox-precaching/index.mjs') } })

const STRATEGIES = {
  generateSW: { workbox: { globPatterns: ['**/*.{js,html}'], skipWaiting: true, clientsClaim: true } },
  injectManifest: { srcDir: '.', filename: 'sw.js', injectManifest: { globPatterns: ['**/*.{js,html}'] } },
}

describe.skipIf(noChromium || noPackages).each(['vite', 'vite7'] as const)('vite-plugin-pwa, %s', (name) => {
  describe.each(Object.entries(STRATEGIES))('%s', (strategies, settings) => {
    covers({ tool: 'vite-plugin-pwa', setting: `\`${strategies}\``, bundlers: [name] })

    test.each(PLACES)('%s', async (place) => {
      const { VitePWA } = await importPackage<{ VitePWA(options: object): unknown }>('vite-plugin-pwa')
      const root = await pageProject(place, { 'sw.js': WORKER })
      const pwa = VitePWA({
        strategies,
        registerType: 'autoUpdate',
        injectRegister: 'script',
        manifest: false,
        ...settings,
      })
      await buildVitePage(name, { root, place }, { plugins: [pwa], resolve: resolve() })
      await runsOffline(root)
    })
  })
})

describe.skipIf(noChromium || noPackages)('workbox-webpack-plugin', () => {
  covers({ tool: 'workbox-webpack-plugin', setting: '`InjectManifest`', bundlers: ['webpack'] })

  test.each(PLACES)('%s', async (place) => {
    const { default: workbox } = await importPackage<{
      default: { InjectManifest: new (options: object) => unknown }
    }>('workbox-webpack-plugin')
    const register = "navigator.serviceWorker.register('/sw.js')"
    const root = await pageProject(place, { 'main.js': `${MAIN}${register}\n`, 'sw.js': WORKER })
    const plugins = [new workbox.InjectManifest({ swSrc: join(root, 'sw.js') })]
    await buildWebpackPage('webpack', { root, place }, { plugins, resolve: resolve() })
    await runsOffline(root)
  })
})

async function runsOffline(root: string): Promise<void> {
  const server = await serveFolder(join(root, 'dist'))
  const watched = await chromium.open(`${server.origin}/`)
  await expect.poll(() => watched.page.evaluate('document.body.dataset.text')).toBe(TEXTS.en)
  await expect
    .poll(() => watched.page.evaluate('navigator.serviceWorker.controller?.state'), {
      timeout: 20_000,
    })
    .toBe('activated')
  expect(watched.problems).toEqual([])
  await server.close()
  watched.requests.splice(0)
  await watched.page.reload()
  await showsBothLanguages(watched)
  await watched.close()
}
