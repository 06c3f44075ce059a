/**
 * `prune.perChunk` where chunks are not what the sources say: globs, manual chunks, several entries, several outputs of
 * one build.
 */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { readReport, reportFile } from '../../src/report/report.ts'
import { builtPlugin, bundlers, isTested, rollupOf } from '../helpers/bundlers.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = {
  configFile: false,
  defaultNamespace: 'common',
  report: false,
  prune: { perChunk: true, ignoreIn: ['main.js'] },
}

const mainOf = (pages: string) => `
import { load } from 'virtual:translations'
import { title } from './title.js'
const pages = ${pages}
globalThis.collect = async () => {
  const texts = await load('en', 'common')
  const before = Object.keys(texts)
  const a = await pages['./pages/a.js']()
  const b = await pages['./pages/b.js']()
  return { before, shown: [await title(), await a.show(), await b.show()] }
}`
const pageOf = (key: string) =>
  `import { load } from 'virtual:translations'\nexport const show = async () => (await load('en', 'common')).${key}\n`
const SOURCES = {
  'main.js': mainOf("{ './pages/a.js': () => import('./pages/a.js'), './pages/b.js': () => import('./pages/b.js') }"),
  'title.js': pageOf('title').replace('show', 'title'),
  'pages/a.js': pageOf('a'),
  'pages/b.js': pageOf('b'),
  'locales/en/common.json': { title: 'T', a: 'A', b: 'B', never: 'N' },
}

interface Seen {
  readonly before: string[]
  readonly shown: string[]
}

const SHOWN = ['T', 'A', 'B']

async function project(more: Record<string, string> = {}): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, { ...SOURCES, ...more })
  return root
}

describe.each((['vite', 'vite7'] as const).filter((name) => name === 'vite' || isTested(name)))('%s', (name) => {
  test.each([false, true])('a glob, manual chunks: %s', async (isManual) => {
    const root = await project({ 'main.js': mainOf("import.meta.glob('./pages/*.js')") })
    const { build } = (await import(name)) as typeof import('vite')
    const manualChunks = (id: string) => (/pages\/a\.js|title\.js/.test(id) ? 'mixed' : undefined)
    await build({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [(await builtPlugin('vite', OPTIONS)) as never],
      build: {
        // What it preloads with is a page's.
        modulePreload: false,
        rollupOptions: {
          input: join(root, 'main.js'),
          output: {
            entryFileNames: '[name].mjs',
            chunkFileNames: '[name]-[hash].mjs',
            ...(isManual && { manualChunks }),
          },
          preserveEntrySignatures: 'strict',
        },
      },
    })
    const { before, shown } = await runEntry<Seen>(join(root, 'dist/main.mjs'))
    expect(shown).toEqual(SHOWN)
    // A chunk that the entry needs runs with it, all of it.
    expect(before.sort()).toEqual(isManual ? ['a', 'title'] : ['title'])
  })
})

describe.each((['rollup', 'rolldown'] as const).filter((name) => name === 'rollup' || isTested(name)))('%s', (name) => {
  test('several outputs of one build, side by side', async () => {
    const root = await project()
    const rollup = await rollupOf(name)
    const plugins = [(await builtPlugin(name, { ...OPTIONS, root })) as never]
    const bundle = await rollup({ input: join(root, 'main.js'), plugins })
    const names = { entryFileNames: '[name].mjs', chunkFileNames: 'deep/[name]-[hash].mjs' }
    await Promise.all([
      bundle.write({ dir: join(root, 'es'), format: 'es', ...names }),
      bundle.write({ dir: join(root, 'other'), format: 'es', ...names, chunkFileNames: '[name]-[hash].mjs' }),
      bundle.write({
        dir: join(root, 'cjs'),
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name].cjs',
      }),
    ])
    await bundle.close()
    for (const entry of ['es/main.mjs', 'other/main.mjs', 'cjs/main.cjs']) {
      const { before, shown } = await runEntry<Seen>(join(root, entry))
      expect(shown).toEqual(SHOWN)
      // Other formats cannot wait.
      expect(before.sort()).toEqual(entry.endsWith('cjs') ? ['a', 'b', 'title'] : ['title'])
    }
  })
})

describe.each(bundlers.filter(({ hasPerChunkMessages }) => hasPerChunkMessages))('$name', (bundler) => {
  test("two entries, one of which begins with the other's lazy module", async () => {
    const other = "import { show } from './pages/b.js'\nglobalThis.collect = show\n"
    const root = await project({ 'other.js': other })
    const entries = { main: 'main.js', other: 'other.js' }
    const { entryFile } = await bundler.build({ root, entries, options: { ...OPTIONS, report: 'json' } })
    const { before, shown } = await runEntry<Seen>(entryFile('main'))
    expect(shown).toEqual(SHOWN)
    expect(before.sort()).toEqual(['b', 'title'])
    // Each entry is told apart, though both fetch one file.
    const { chunks = [] } = (await readReport(reportFile(root))) ?? {}
    expect(chunks.map(({ name, kind, keys, others }) => [name, kind, keys, others]).sort()).toEqual([
      ['main.js', 'entry', 1, 1],
      ['other.js', 'entry', 1, 1],
      ['pages/a.js', 'lazy', 1, 0],
      ['pages/b.js', 'lazy', 0, 0],
    ])
    expect(await runEntry(entryFile('other'))).toBe('B')
  })

  test('a page that gets its texts after its code', async () => {
    const main = `
globalThis.collect = async () => {
  const { show } = await import('./page.js')
  const { textsOf } = await import('./i18n.js')
  const texts = await textsOf()
  return show((key) => texts[key])
}`
    const root = await project({
      'main.js': main,
      'page.js': "export const show = (t) => [t('a'), t('b')]\n",
      'i18n.js': "import { load } from 'virtual:translations'\nexport const textsOf = () => load('en', 'common')\n",
    })
    const options = { ...OPTIONS, prune: { perChunk: true, ignoreIn: ['main.js', 'i18n.js'] } }
    const { entryFile } = await bundler.build({ root, entries: { main: 'main.js' }, options })
    expect(await runEntry(entryFile('main'))).toEqual(['A', 'B'])
  })
})
