/**
 * Where a page looks for its texts: under a folder, beside the page, on another origin, and with scripts of its own
 * origin only.
 */
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin, isTested, rollupOf } from '../helpers/bundlers.ts'
import {
  buildLikeWebpack,
  buildWithEsbuild,
  buildWithRsbuild,
  buildWithVite,
  type PageBuild,
} from '../helpers/page-builds.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** What a small library does: it loads, and gives texts by key. */
const MAIN = `
import { load } from 'virtual:translations'
const loaded = {}
const t = (key) => {
  const [namespace, name] = key.includes(':') ? key.split(':') : ['common', key]
  return loaded[namespace][name]
}
async function show() {
  for (const [language, namespace] of [['de', 'common'], ['en', 'views/cart']])
    loaded[namespace] = await load(language, namespace)
  const { late } = await import('./late.js')
  document.body.dataset.texts = [t('title'), t('views/cart:title'), late(t)].join()
}
show()
`
const page = (script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="/favicon.svg"></head><body>${script}</body></html>\n`

const FILES = {
  'main.js': MAIN,
  'late.js': "export const late = (t) => t('late')\n",
  'index.html': page('<script type="module" src="/main.js"></script>'),
  'locales/en/common.json': { title: 'Title', late: 'Late' },
  'locales/de/common.json': { title: 'Titel', late: 'Spät', leftover: 'Rest' },
  'locales/en/views/cart.json': { title: 'Cart' },
}
const OPTIONS = { configFile: false, defaultLanguage: 'en' } as const

/** A base, and the folders from which the same build is served. */
type Place = readonly [string, readonly string[]]
/** Another origin than the page's. */
const CDN: Place = ['', []]

/** No inline script, no script from anywhere else. */
const STRICT = { 'Content-Security-Policy': "default-src 'self'; script-src 'self'" }

const rollupLike =
  (name: 'rollup' | 'rolldown', format: 'es' | 'iife', options: PluginOptions): PageBuild =>
  async (root, base) => {
    const rollup = await rollupOf(name)
    const plugins = [(await builtPlugin(name, { ...options, root })) as never]
    const bundle = await rollup({ input: join(root, 'main.js'), plugins })
    const inlineDynamicImports = format === 'iife'
    await bundle.write({ dir: join(root, 'dist'), format, entryFileNames: 'js/[name].js', inlineDynamicImports })
    await bundle.close()
    const type = format === 'es' ? ' type="module"' : ''
    await writeTree(root, { 'dist/index.html': page(`<script${type} src="${base}js/main.js"></script>`) })
  }

/** Whether the late code brings what only it uses: esbuild is not asked to. */
const canSplit = (name: string) => !/iife|esbuild/.test(name)

const buildsWith = (options: PluginOptions): readonly (readonly [string, PageBuild])[] => [
  ['vite', buildWithVite('vite', options)],
  ['vite7', buildWithVite('vite7', options)],
  ['rollup', rollupLike('rollup', 'es', options)],
  ['rollup, iife', rollupLike('rollup', 'iife', { ...options, library: false })],
  ['rolldown', rollupLike('rolldown', 'es', options)],
  ['webpack', buildLikeWebpack('webpack', options, page)],
  ['rspack', buildLikeWebpack('@rspack/core', options, page)],
  ['rsbuild', buildWithRsbuild(options, page)],
  ['esbuild', buildWithEsbuild({ ...options, prune: options.prune && { onUnknown: 'ignore' } }, page)],
]
const builds = [false, true].flatMap((isPruned) =>
  // What a library of its own does with whole messages is no use of all their keys.
  buildsWith({ ...OPTIONS, prune: isPruned && { perChunk: true, onUnknown: 'ignore' } })
    .filter(([name]) => isTested(name) && repeats(isPruned || name === 'esbuild' || !isTested('esbuild'), true))
    .map(([name, build]) => [isPruned ? `${name}, pruned` : name, build, isPruned] as const),
)

describe.skipIf(noChromium).each(builds)('%s', (name, build, isPruned) => {
  async function project(): Promise<string> {
    const root = await tempFolder()
    await writeTree(root, FILES)
    return root
  }

  async function showsTexts(address: string): Promise<void> {
    const watched = await visit(address)
    await expect.poll(() => watched.page.evaluate('document.body.dataset.texts')).toBe('Titel,Cart,Spät')
    // Nothing but what the page asked for.
    const texts = watched.requests.filter((request) => request.includes('localization/'))
    expect(texts.map((request) => request.replace(/^.*localization\/(.*)\.[0-9a-f]{8}\.js$/, '$1')).sort()).toEqual([
      'de/common',
      // What only the late code uses.
      ...(isPruned && canSplit(name) ? ['de/common.chunk'] : []),
      'en/views~2fcart',
    ])
    for (const request of texts.filter((one) => one.includes('de/common'))) {
      expect((await (await fetch(request)).text()).includes('Rest')).toBe(!isPruned)
    }
    // The console names no address; the answer's own line does.
    const isIcon = (problem: string) => /favicon|Failed to load resource/.test(problem)
    expect(watched.problems.filter((problem) => !isIcon(problem))).toEqual([])
    await watched.close()
  }

  // In `npm test`, each bundler has the relative base. Two have the CDN: esbuild, which knows it at the build, and webpack,
  // whose pages know it. Pruned texts are addressed as the others are. A classic script of another origin has no address
  // of its own to begin at.
  const isClassic = name.includes('iife')
  const relative: Place = ['./', repeats(['deep/app/'], ['', 'deep/app/'])]
  const others: readonly Place[] = [CDN, ['/', ['']], ['/deep/app/', ['deep/app/']]]
  const sample = isPruned || isClassic ? [relative] : [CDN]
  if (name.startsWith('webpack')) sample.push(CDN)
  const places = repeats(sample, [relative, ...others])
  test.each(places.filter((place) => place !== CDN))(
    'base %s, in %o, scripts of its own origin only',
    async (base, places) => {
      const root = await project()
      await build(root, base)
      for (const place of places) {
        const folder = join(root, 'www', place)
        await cp(join(root, 'dist'), folder, { recursive: true })
        const server = await serveFolder(join(root, 'www'), STRICT)
        onTestFinished(() => server.close())
        await showsTexts(`${server.origin}/${place}`)
        await rm(folder, { recursive: true })
      }
    },
  )

  if (isClassic || !places.includes(CDN)) return
  test('another origin, with CORS', async () => {
    const root = await project()
    // Its address is known before the build, as a CDN's is.
    const cdn = await serveFolder(join(root, 'dist'), { 'Access-Control-Allow-Origin': '*' })
    onTestFinished(() => cdn.close())
    await build(root, `${cdn.origin}/`)
    await mkdir(join(root, 'www'))
    await rename(join(root, 'dist/index.html'), join(root, 'www/index.html'))
    const server = await serveFolder(join(root, 'www'))
    onTestFinished(() => server.close())
    await showsTexts(`${server.origin}/`)
  })
})

const textLinks = (html: string) =>
  [...html.matchAll(/<link[^>]*rel="modulepreload"[^>]*href="([^"]*localization\/[^"]*)"/g)].map(
    ([, href = '']) => href,
  )

describe.each((['vite', 'vite7'] as const).filter(isTested))('%s', (name) => {
  async function buildPages(root: string, base: string): Promise<void> {
    await writeTree(root, { ...FILES, 'deep/page.html': FILES['index.html'] })
    const { build } = (await import(name)) as typeof import('vite')
    const options = { ...OPTIONS, preload: ['common', 'views/cart', 'absent'] }
    const input = [join(root, 'index.html'), join(root, 'deep/page.html')]
    const plugins = [(await builtPlugin('vite', options)) as never]
    const own = { rollupOptions: { input }, manifest: true }
    await build({ root, base, configFile: false, logLevel: 'silent', plugins, build: own })
  }

  test.each([
    ['/', '/', '/'],
    ['./', './', './../'],
    ['/deep/app/', '/deep/app/', '/deep/app/'],
  ])('preload, base %s: links to the texts in every page, and the files in the manifest', async (base, ...starts) => {
    const root = await tempFolder()
    await buildPages(root, base)
    for (const [index, page] of ['index.html', 'deep/page.html'].entries()) {
      const links = textLinks(await readFile(join(root, 'dist', page), 'utf8'))
      expect(links.map((href) => href.replace(/\.[0-9a-f]{8}\.js$/, ''))).toEqual(
        ['en/common', 'en/views~2fcart'].map((path) => `${starts[index]}assets/localization/${path}`),
      )
    }
    const manifest = JSON.parse(await readFile(join(root, 'dist/.vite/manifest.json'), 'utf8')) as object
    const files = Object.values(manifest)
      .map(({ file }: { file: string }) => file)
      .filter((file) => file.includes('localization/'))
    expect(files.map((file) => file.replace(/\.[0-9a-f]{8}\./, '.')).sort()).toEqual([
      'assets/localization/de/common.js',
      'assets/localization/de/views~2fcart.js',
      'assets/localization/en/common.js',
      'assets/localization/en/views~2fcart.js',
    ])
  })

  test.skipIf(noChromium)('a page asks for what is preloaded itself, and once', async () => {
    const root = await tempFolder()
    await buildPages(root, '/deep/app/')
    await mkdir(join(root, 'www/deep'), { recursive: true })
    await rename(join(root, 'dist'), join(root, 'www/deep/app'))
    const server = await serveFolder(join(root, 'www'), STRICT)
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}/deep/app/deep/page.html`)
    await expect.poll(() => watched.page.evaluate('document.body.dataset.texts')).toBe('Titel,Cart,Spät')
    const links = textLinks(await watched.page.content()).map((href) => new URL(href, server.origin).href)
    expect(links).toHaveLength(2)
    for (const link of links) expect(watched.requests.filter((request) => request === link)).toHaveLength(1)
    await watched.close()
  })
})
