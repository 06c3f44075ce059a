/**
 * A page that stays open while its texts cannot be fetched, or are replaced by those of a new version; and what servers
 * know of the files.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { buildLikeWebpack, buildWithEsbuild, buildWithVite } from '../helpers/page-builds.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS = { configFile: false, defaultLanguage: 'en', report: false } as const

const MAIN = `
import { load } from 'virtual:translations'
window.show = (language) => load(language, 'common').then(
  (messages) => {
    window.same = window.last === messages
    window.last = messages
    return messages.title
  },
  (error) => error.code + ', ' + (error instanceof Error),
)
load('en', 'common').then(({ title }) => { document.body.dataset.title = title })
`
const page = (script: string) => `<!doctype html><html lang="en"><body>${script}</body></html>\n`
const FILES = {
  'main.js': MAIN,
  'index.html': page('<script type="module" src="/main.js"></script>'),
  'locales/en/common.json': { title: 'Title' },
  'locales/de/common.json': { title: 'Titel' },
}

covers({
  tool: 'a page that is open during a deploy',
  setting: '`load()` retries once',
  bundlers: ['vite', 'vite7', 'webpack', 'esbuild'],
  limit: 'rejects with `LOAD_FAILED` if the files are gone',
})

const builds = [
  ['vite', buildWithVite('vite', OPTIONS)],
  ['vite7', buildWithVite('vite7', OPTIONS)],
  ['webpack', buildLikeWebpack('webpack', OPTIONS, page)],
  ['esbuild', buildWithEsbuild(OPTIONS, page)],
] as const

describe.skipIf(noChromium).each(builds)('%s', (_name, build) => {
  async function openBuilt() {
    const root = await tempFolder()
    await writeTree(root, FILES)
    await build(root, '/')
    const server = await serveFolder(join(root, 'dist'))
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}/`)
    onTestFinished(() => watched.close())
    await expect.poll(() => watched.page.evaluate('document.body.dataset.title')).toBe('Title')
    const show = (language: string) => watched.page.evaluate<string>(`show('${language}')`)
    const asked = () => watched.requests.filter((address) => address.includes('/de/common.'))
    return { root, page: watched.page, show, asked }
  }

  test('texts that cannot be fetched at first are asked for once more, and are then the same object', async () => {
    const { page: open, show, asked } = await openBuilt()
    let refused = 0
    await open.route('**/localization/de/**', (route) => (refused++ === 0 ? route.abort() : route.continue()))
    expect(await Promise.all([show('de'), show('de')])).toEqual(['Titel', 'Titel'])
    expect(await show('de')).toBe('Titel')
    expect(await open.evaluate('same')).toBe(true)
    expect(asked()).toHaveLength(2)
    expect(new Set(asked()).size).toBe(2)
  })

  test('texts that are gone reject with a code; a later call finds them again', async () => {
    const { page: open, show, asked } = await openBuilt()
    let isGone = true
    await open.route('**/localization/de/**', (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()))
    expect(await show('de')).toBe('LOAD_FAILED, true')
    expect(asked()).toHaveLength(2)
    expect(await show('de')).toBe('LOAD_FAILED, true')
    isGone = false
    expect(await show('de')).toBe('Titel')
    expect(await show('de')).toBe('Titel')
    expect(await open.evaluate('same')).toBe(true)
  })

  test('a new version: the old page says so, and shows the new texts when it is loaded anew', async () => {
    const { root, page: open, show } = await openBuilt()
    await writeTree(root, { 'locales/de/common.json': { title: 'Neuer Titel' } })
    await rm(join(root, 'dist'), { recursive: true })
    await build(root, '/')
    expect(await show('de')).toBe('LOAD_FAILED, true')
    await open.reload()
    await expect.poll(() => open.evaluate('document.body.dataset.title')).toBe('Title')
    expect(await show('de')).toBe('Neuer Titel')
  })
})

describe('what is known of the files', () => {
  interface Entry {
    readonly file: string
    readonly isEntry?: boolean
    readonly dynamicImports?: readonly string[]
  }

  test.each(['vite', 'vite7'] as const)(
    '%s: the manifest names each by its module, and links it to what loads it',
    async (version) => {
      const root = await tempFolder()
      await writeTree(root, {
        ...FILES,
        'other.html': page('<script type="module" src="/other.js"></script>'),
        'other.js': "document.title = 'no texts'\n",
      })
      const { build } = (await import(version)) as typeof import('vite')
      const plugins = [(await builtPlugin('vite', OPTIONS)) as never]
      const input = [join(root, 'index.html'), join(root, 'other.html')]
      await build({
        root,
        configFile: false,
        logLevel: 'silent',
        plugins,
        build: { manifest: true, rollupOptions: { input } },
      })
      const manifest = JSON.parse(await readFile(join(root, 'dist/.vite/manifest.json'), 'utf8')) as Record<
        string,
        Entry
      >
      const texts = ['virtual:translations/de/common', 'virtual:translations/en/common']
      expect([...(manifest['index.html']?.dynamicImports ?? [])].sort()).toEqual(texts)
      expect(manifest['other.html']?.dynamicImports).toBeUndefined()
      for (const [name, title] of Object.entries({ de: 'Titel', en: 'Title' })) {
        const file = manifest[`virtual:translations/${name}/common`]?.file ?? ''
        expect(await readFile(join(root, 'dist', file), 'utf8')).toContain(title)
      }
    },
  )

  test.each([false, true])(
    'esbuild: the metafile has them among the imports of what loads them (prune: %s)',
    async (prune) => {
      const root = await tempFolder()
      await writeTree(root, { ...FILES, 'other.js': "document.title = 'no texts'\n" })
      const { build } = await import('esbuild')
      const { metafile } = await build({
        absWorkingDir: root,
        entryPoints: ['main.js', 'other.js'],
        outdir: 'dist',
        entryNames: '[name]-[hash]',
        bundle: true,
        splitting: true,
        format: 'esm',
        metafile: true,
        logLevel: 'silent',
        plugins: [(await builtPlugin('esbuild', { ...OPTIONS, prune })) as never],
      })
      const importsOf = (entry: string) =>
        Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === entry)?.imports ?? []
      const texts = importsOf('main.js').filter(({ path }) => path.startsWith('dist/localization/'))
      expect(texts.map(({ kind }) => kind)).toEqual(['dynamic-import', 'dynamic-import'])
      for (const { path } of texts)
        expect(metafile.outputs[path]?.bytes).toBe((await readFile(join(root, path))).length)
      expect(importsOf('other.js')).toEqual([])
    },
  )

  test('esbuild without splitting writes one file, with them in it', async () => {
    const root = await tempFolder()
    await writeTree(root, FILES)
    const { build } = await import('esbuild')
    await build({
      absWorkingDir: root,
      entryPoints: ['main.js'],
      outdir: 'dist',
      bundle: true,
      format: 'esm',
      logLevel: 'silent',
      plugins: [(await builtPlugin('esbuild', OPTIONS)) as never],
    })
    expect(await readFile(join(root, 'dist/main.js'), 'utf8')).toContain('Titel')
  })
})
