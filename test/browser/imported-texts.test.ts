/** A page that imports texts and loads the same ones: it holds them once, and asks for nothing. */
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin, isTested, rollupOf } from '../helpers/bundlers.ts'
import { buildLikeWebpack, buildWithEsbuild, buildWithVite, type PageBuild } from '../helpers/page-builds.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const page = (script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>${script}</body></html>\n`

const FILES = {
  'index.html': page('<script type="module" src="/main.js"></script>'),
  // A namespace in a folder, and a whole language.
  'main.js': `
import { load } from 'virtual:translations'
import common from 'virtual:translations/en/common'
import cart from 'virtual:translations/en/views/cart'
import german from 'virtual:translations/de'
const t = (key) => common[key]
async function show() {
  const loaded = [await load('en', 'common'), await load('en', 'views/cart'), await load('de', 'common')]
  const isSame = loaded[0] === common && loaded[1] === cart && loaded[2] === german.common
  const { late } = await import('./late.js')
  const polish = await load('pl', 'common')
  document.body.dataset.texts = [isSame, t('title'), cart.title, loaded[2].title, polish.title, late(loaded[0])].join()
}
show()
`,
  'late.js': "const t = (key) => key\nexport const late = (common) => (t('late'), common.late)\n",
  'locales/en/common.json': { title: 'Title', late: 'Late', leftover: 'Rest' },
  'locales/en/views/cart.json': { title: 'Cart' },
  'locales/de/common.json': { title: 'Titel', late: 'Spät' },
  'locales/pl/common.json': { title: 'Tytuł', late: 'Późno' },
}

const withRollup =
  (name: 'rollup' | 'rolldown', options: PluginOptions): PageBuild =>
  async (root, base) => {
    const rollup = await rollupOf(name)
    const plugins = [(await builtPlugin(name, { ...options, root })) as never]
    const bundle = await rollup({ input: join(root, 'main.js'), plugins })
    await bundle.write({ dir: join(root, 'dist'), format: 'es', entryFileNames: 'js/[name].js' })
    await bundle.close()
    await writeTree(root, { 'dist/index.html': page(`<script type="module" src="${base}js/main.js"></script>`) })
  }

const buildsWith = (options: PluginOptions): readonly (readonly [string, PageBuild])[] => [
  ['vite', buildWithVite('vite', options)],
  ['rollup', withRollup('rollup', options)],
  ['rolldown', withRollup('rolldown', options)],
  ['webpack', buildLikeWebpack('webpack', options, page)],
  ['rspack', buildLikeWebpack('@rspack/core', options, page)],
  ['esbuild', buildWithEsbuild({ ...options, prune: options.prune && { onUnknown: 'ignore' } }, page)],
]
const OPTIONS = { configFile: false, defaultLanguage: 'en' } as const
const keys = { keep: ['title', 'late', 'views/cart:*'] }
const builds = [false, true].flatMap((isPruned) =>
  buildsWith({ ...OPTIONS, prune: isPruned && { ...keys, perChunk: true, onUnknown: 'ignore' } })
    .filter(([name]) => isTested(name))
    .map(([name, build]) => [isPruned ? `${name}, pruned` : name, build] as const),
)

describe.skipIf(noChromium).each(builds)('%s', (_name, build) => {
  test('imported texts are the loaded ones, without a request', async () => {
    const root = await tempFolder()
    await writeTree(root, FILES)
    await build(root, '/')
    const server = await serveFolder(join(root, 'dist'))
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}/`)
    await expect
      .poll(() => watched.page.evaluate('document.body.dataset.texts'))
      .toBe('true,Title,Cart,Titel,Tytuł,Late')
    const texts = watched.requests.filter((request) => request.includes('localization/'))
    const names = texts.map((request) => request.replace(/^.*localization\/(.*)\.[0-9a-f]{8}\.js$/, '$1'))
    expect(names.filter((name) => !name.startsWith('pl/'))).toEqual([])
    await watched.close()
  })
})
