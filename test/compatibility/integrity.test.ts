/** Plugins that put hashes into the page, which the browser then insists on (SRI). */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { covers, importPackage, noPackages } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  htmlPage,
  PLACES,
  pageProject,
  showsBothLanguages,
} from '../helpers/compatibility-page.ts'

type Factory = (options?: object) => unknown
type Constructor = new (options?: object) => unknown

const VITE_PLUGINS = [
  {
    tool: 'vite-plugin-sri3',
    create: async () => (await importPackage<{ sri: Factory }>('vite-plugin-sri3')).sri(),
    hashed: ['en'],
    limit: 'only preloaded texts have hashes',
  },
  {
    tool: 'vite-plugin-sri-gen',
    create: async () => (await importPackage<{ default: Factory }>('vite-plugin-sri-gen')).default(),
    hashed: ['en', 'pl'],
    limit: '',
  },
] as const

describe.skipIf(noChromium || noPackages).each(VITE_PLUGINS)('$tool', ({ tool, create, hashed, limit }) => {
  describe.each(['vite', 'vite7'] as const)('%s', (name) => {
    covers({ tool, setting: '`preload`', bundlers: [name], limit })

    test.each(PLACES)('%s', async (place) => {
      const root = await pageProject(place)
      await buildVitePage(name, { root, place, options: { preload: ['common'] } }, { plugins: [await create()] })
      await runs(join(root, 'dist'), 'index.html')
      const html = await readFile(join(root, 'dist/index.html'), 'utf8')
      const hashes = html.matchAll(/localization\/(\w+)\/common\.\w+\.js"(?::"| integrity=")sha384-/g)
      const languages = new Set([...hashes].map(([, language]) => language))
      expect([...languages]).toEqual(place === 'control' ? [] : hashed)
    })
  })
})

const COMPILERS = [
  { name: 'webpack', tool: 'webpack-subresource-integrity', setting: 'html-webpack-plugin' },
  { name: '@rspack/core', tool: 'SubresourceIntegrityPlugin', setting: 'HtmlRspackPlugin' },
] as const

describe.skipIf(noChromium || noPackages).each(COMPILERS)('$name', ({ name, tool, setting }) => {
  covers({ tool, setting, bundlers: [name], limit: 'texts have no hashes' })

  test.each(PLACES)('%s', async (place) => {
    const { HtmlRspackPlugin, SubresourceIntegrityPlugin } =
      name === '@rspack/core'
        ? await import(name)
        : {
            HtmlRspackPlugin: (await importPackage<{ default: Constructor }>(setting)).default,
            ...(await importPackage<{ SubresourceIntegrityPlugin: Constructor }>(tool)),
          }
    const root = await pageProject(place)
    const page = new HtmlRspackPlugin({ templateContent: htmlPage(''), filename: 'hashed.html' })
    const plugins = [page, new SubresourceIntegrityPlugin()]
    await buildWebpackPage(name, { root, place }, { plugins, output: { crossOriginLoading: 'anonymous' } })
    expect(await readFile(join(root, 'dist/hashed.html'), 'utf8')).toMatch(/<script[^>]* integrity="?sha384-/)
    await runs(join(root, 'dist'), 'hashed.html')
  })
})

async function runs(folder: string, page: string): Promise<void> {
  const server = await serveFolder(folder)
  onTestFinished(() => server.close())
  const watched = await visit(`${server.origin}/${page}`)
  await showsBothLanguages(watched)
  await watched.close()
}
