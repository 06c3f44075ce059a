/** Texts in workers, which have an address of their own, or, from a blob, none. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin, runWebpack } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS = { configFile: false, defaultLanguage: 'en', report: false } as const

const WORKER = `
import { load } from 'virtual:translations'
const messages = async () => [await load('en', 'common'), await load('de', 'common')]
messages().then(
  (all) => self.postMessage(all.map((one) => one.title).join(', ')),
  (error) => self.postMessage(error.message + ' ' + error.cause),
)
`
const FILES = {
  'locales/en/common.json': { title: 'Title' },
  'locales/de/common.json': { title: 'Titel' },
  'locales/pl/common.json': { title: 'Tytuł' },
  'worker.js': WORKER,
}
const SHOW = `
worker.onmessage = ({ data }) => { document.body.dataset.worker = data }
worker.onerror = (event) => { document.body.dataset.worker = 'error: ' + event.message }
`
/** The page loads texts as well: the same files, fetched from elsewhere. */
const PAGE = `
import { load } from 'virtual:translations'
load('de', 'common').then(({ title }) => { document.body.dataset.page = title })
`
const html = (script: string) => `<!doctype html><html lang="en"><body>${script}</body></html>\n`

covers({
  tool: 'workers',
  setting: 'module, classic, inline (Vite)',
  bundlers: ['vite', 'vite7', 'webpack', '@rspack/core'],
  limit: 'Vite needs the plugin in `worker.plugins`; inline workers contain their texts',
})

describe.skipIf(noChromium)('in Chromium', () => {
  async function shows(address: string, { isInPage = true } = {}): Promise<readonly string[]> {
    const watched = await visit(address)
    await expect.poll(() => watched.page.evaluate('document.body.dataset.worker')).toBe('Title, Titel')
    if (isInPage) await expect.poll(() => watched.page.evaluate('document.body.dataset.page')).toBe('Titel')
    await watched.close()
    return watched.requests
  }

  async function served(dist: string): Promise<string> {
    const server = await serveFolder(dist)
    onTestFinished(() => server.close())
    return `${server.origin}/`
  }

  describe.each(['vite', 'vite7'] as const)('%s', (version) => {
    interface ViteInput {
      readonly main: string
      readonly format?: 'es' | 'iife'
      readonly base?: string
      readonly options?: PluginOptions
      /** Whether the page's own build has the plugin. */
      readonly isInPage?: boolean
    }

    async function buildPage({
      main,
      format = 'iife',
      base = '/',
      options,
      isInPage = true,
    }: ViteInput): Promise<string> {
      const root = await tempFolder()
      await writeTree(root, {
        ...FILES,
        'main.js': main + SHOW + (isInPage ? PAGE : ''),
        'index.html': html('<script type="module" src="/main.js"></script>'),
      })
      const { build } = (await import(version)) as typeof import('vite')
      const plugin = await builtPlugin('vite', { ...OPTIONS, ...options })
      const inWorkers = [await builtPlugin('vite', { ...OPTIONS, ...options })] as never
      await build({
        root,
        base,
        configFile: false,
        logLevel: 'silent',
        plugins: isInPage ? [plugin as never] : [],
        worker: { format, plugins: () => inWorkers },
      })
      return join(root, 'dist')
    }

    const INLINE = "import Inline from './worker.js?worker&inline'\nconst worker = new Inline()"
    const IMPORTED = "import Imported from './worker.js?worker'\nconst worker = new Imported()"
    const classic = "const worker = new Worker(new URL('./worker.js', import.meta.url))"
    const module = "const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })"

    test.each([
      ['classic, by address', classic, 'iife'],
      ['module, by address', module, 'es'],
      ['classic, imported', IMPORTED, 'iife'],
      ['module, imported', IMPORTED, 'es'],
    ] as const)('%s: texts are files', async (_name, main, format) => {
      const dist = await buildPage({ main, format, base: './' })
      const requests = await shows(await served(dist))
      expect(requests.filter((address) => address.includes('/localization/')).length).toBeGreaterThan(1)
    })

    test.each([
      ['classic', 'iife', {}],
      ['module', 'es', { prune: true }],
    ] as const)('inline, %s: texts are in the worker', async (_name, format, options) => {
      const dist = await buildPage({ main: INLINE, format, base: './', options })
      const requests = await shows(await served(dist))
      // The page's own.
      expect(requests.filter((address) => address.includes('/localization/'))).toHaveLength(1)
    })

    test('inline, without the plugin in the page', async () => {
      await shows(await served(await buildPage({ main: INLINE, isInPage: false })), { isInPage: false })
    })

    test('one worker inline and not: both work, or the build says what to do', async () => {
      const both = `${IMPORTED}\nimport Inline from './worker.js?worker&inline'\nexport const other = new Inline()`
      const problem = await buildPage({ main: both }).then(
        async (dist) => void (await shows(await served(dist))),
        (error: Error) => error.message,
      )
      if (problem !== undefined)
        expect(problem).toMatch(/worker\.js is imported with \?inline and without.*worker\.plugins/s)
    })

    test('served in development', async () => {
      const root = await tempFolder()
      await writeTree(root, {
        ...FILES,
        'main.js': INLINE + SHOW + PAGE,
        'index.html': html('<script type="module" src="/main.js"></script>'),
      })
      const plugins = [(await builtPlugin('vite', OPTIONS)) as never]
      const server = await startVite({ root, configFile: false, plugins }, version)
      await shows(server.resolvedUrls?.local[0] ?? '')
    })
  })

  test('without worker.plugins, the build names the import that nothing resolves', async () => {
    const root = await tempFolder()
    const main = "import Imported from './worker.js?worker'\nexport default new Imported()"
    await writeTree(root, {
      ...FILES,
      'main.js': main,
      'index.html': html('<script type="module" src="/main.js"></script>'),
    })
    const { build } = await import('vite')
    const plugins = [(await builtPlugin('vite', OPTIONS)) as never]
    await expect(build({ root, configFile: false, logLevel: 'silent', plugins })).rejects.toThrow(
      /virtual:translations/,
    )
  })

  describe.each(['webpack', '@rspack/core'] as const)('%s', (name) => {
    test.each([
      ['classic', false, 'auto'],
      ['classic', false, '/'],
      ['module', true, 'auto'],
    ] as const)('%s workers, public path %s%s', async (_kind, isModule, publicPath) => {
      const root = await tempFolder()
      await writeTree(root, {
        ...FILES,
        'main.js': `const worker = new Worker(new URL('./worker.js', import.meta.url))${SHOW}${PAGE}`,
        'dist/index.html': html(`<script${isModule ? ' type="module"' : ''} src="js/main.js"></script>`),
      })
      await runWebpack(name, {
        context: root,
        mode: 'production',
        entry: './main.js',
        experiments: { outputModule: isModule },
        output: {
          path: join(root, 'dist'),
          publicPath,
          filename: 'js/[name].js',
          chunkFilename: 'js/[name].js',
          ...(isModule && { module: true, workerChunkLoading: 'import' }),
        },
        performance: false,
        plugins: [await builtPlugin(name === 'webpack' ? 'webpack' : 'rspack', OPTIONS)],
      })
      expect((await readdir(join(root, 'dist/js/localization'))).sort()).toEqual(['de', 'en', 'pl'])
      await shows(await served(join(root, 'dist')))
    })
  })
})
