/** `prune.perChunk` in workers of webpack and Rspack: an entry of its own, which nothing loads before it runs. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin, runWebpack } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const texts = (language: string) =>
  Object.fromEntries(['page', 'lazy', 'worker', 'later', 'unused'].map((key) => [key, `${language} ${key}`]))
const FILES = {
  'locales/en/common.json': texts('en'),
  'locales/de/common.json': texts('de'),
  'worker.js': `
    import { load } from 'virtual:translations'
    const show = async () => {
      const [en, de] = [await load('en', 'common'), await load('de', 'common')]
      const { later } = await import('./later.js')
      return [en.worker, de.worker, later(en), later(de)].join()
    }
    const answer = (port) => show().then((text) => port.postMessage(text), (error) => port.postMessage(error.message))
    // A shared worker has ports.
    if (typeof onconnect === 'undefined') answer(self)
    else onconnect = ({ ports }) => answer(ports[0])
  `,
  'later.js': 'export const later = (messages) => messages.later',
  'start.js': `
    import { load } from 'virtual:translations'
    const receive = ({ data }) => { document.body.dataset.worker = data }
    export const start = (worker) => { (worker.port ?? worker).onmessage = receive }
    export const show = async (key) => {
      const { [key]: text } = await load('de', 'common')
      document.body.dataset[key] = text
    }
  `,
  'lazy.js': `
    import { load } from 'virtual:translations'
    import { start } from './start.js'
    start(new Worker(new URL('./worker.js', import.meta.url)))
    load('de', 'common').then((messages) => { document.body.dataset.lazy = messages.lazy })
  `,
}
const DIRECT = `
  import { load } from 'virtual:translations'
  import { start } from './start.js'
  load('de', 'common').then((messages) => { document.body.dataset.page = messages.page })
`
const PAGES = {
  'a worker': `${DIRECT}start(new Worker(new URL('./worker.js', import.meta.url)))`,
  'a shared worker': `${DIRECT}start(new SharedWorker(new URL('./worker.js', import.meta.url)))`,
  'a worker of a lazy chunk': `${DIRECT}import('./lazy.js')`,
}

const BUILDS = (['webpack', '@rspack/core'] as const).flatMap((name) =>
  Object.entries(PAGES).map(([what, page]) => ({ name, what, page })),
)

test.each(BUILDS)('$name: $what gets its texts', async ({ name, what, page }) => {
  const root = await tempFolder()
  await writeTree(root, {
    ...FILES,
    'main.js': page,
    'dist/index.html':
      '<!doctype html><html lang="en"><link rel="icon" href="data:,"><body><script src="main.js"></script></body></html>',
  })
  await runWebpack(name, {
    context: root,
    mode: 'production',
    entry: './main.js',
    output: { path: join(root, 'dist'), publicPath: 'auto', filename: '[name].js', chunkFilename: '[id].js' },
    performance: false,
    optimization: { minimize: false },
    plugins: [
      await builtPlugin(name === 'webpack' ? 'webpack' : 'rspack', {
        configFile: false,
        report: false,
        prune: { perChunk: true },
      }),
    ],
  })
  const server = await serveFolder(join(root, 'dist'))
  onTestFinished(() => server.close())
  const watched = await visit(`${server.origin}/`)
  const shown = (key: string) => watched.page.evaluate(`document.body.dataset.${key}`)
  await expect.poll(() => shown('worker')).toBe('en worker,de worker,en later,de later')
  await expect.poll(() => shown('page')).toBe('de page')
  if (what.includes('lazy')) await expect.poll(() => shown('lazy')).toBe('de lazy')
  expect(watched.problems).toEqual([])
  await watched.close()
})
