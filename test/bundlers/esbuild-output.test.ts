/**
 * What is put into esbuild's output when it has ended: source maps, spelling, public paths, and builds that are run
 * again.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { type BuildOptions, build, context, type Plugin } from 'esbuild'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = { configFile: false, defaultNamespace: 'common', report: false }
const PRUNED: PluginOptions = { ...OPTIONS, prune: { ignoreIn: ['main.js'] } }

const SOURCES = {
  'main.js': `
import { load } from 'virtual:translations'
import german from 'virtual:translations/de/common'
import { use } from './use.js'
globalThis.collect = async () => {
  const texts = await load('en', 'common')
  const before = Object.keys(texts).sort()
  const pages = [await import('./pages/a.js'), await import('./pages/b.js')]
  return { before, shown: [await use(), ...(await Promise.all(pages.map(({ show }) => show())))], german }
}
export const afterEverything = () => globalThis.markedInMain
`,
  'use.js':
    "import { load } from 'virtual:translations'\nexport const use = async () => (await load('en', 'common')).title\n",
  'pages/a.js':
    "import { load } from 'virtual:translations'\nexport const show = async () => (await load('en', 'common')).a\n",
  'pages/b.js':
    "import { load } from 'virtual:translations'\nexport const show = async () => (await load('en', 'common')).b\n",
  'locales/en/common.json': { title: 'T', a: 'A', b: 'B', never: 'N' },
  'locales/de/common.json': { title: 'Tür “😀”', a: 'Ä', b: 'B', never: 'nie' },
}

interface Seen {
  readonly before: string[]
  readonly shown: string[]
  readonly german: Record<string, string>
}

async function project(more: Record<string, string | object> = {}): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, { ...SOURCES, ...more })
  return root
}

async function optionsOf(root: string, plugin: PluginOptions, more: BuildOptions = {}): Promise<BuildOptions> {
  return {
    absWorkingDir: root,
    entryPoints: ['main.js'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
    minify: true,
    logLevel: 'silent',
    plugins: [(await builtPlugin('esbuild', plugin)) as Plugin],
    ...more,
  }
}

const USED = { before: ['a', 'b', 'title'], shown: ['T', 'A', 'B'] }

describe('a page of several chunks has the keys that the app uses', () => {
  test.each([
    {},
    { minify: false },
    { splitting: false },
    { chunkNames: 'deep/[name]-[hash]' },
    { entryNames: 'js/[name]-[hash]', metafile: true },
  ])('%o', async (more) => {
    const root = await project()
    const { metafile } = await build(await optionsOf(root, PRUNED, { ...more, metafile: true }))
    const entry = Object.entries(metafile?.outputs ?? {}).find(([, { entryPoint }]) => entryPoint === 'main.js')
    const seen = await runEntry<Seen>(join(root, entry?.[0] ?? ''))
    expect(seen).toMatchObject(USED)
    expect(seen.german).toEqual({ title: 'Tür “😀”', a: 'Ä', b: 'B' })
    for (const [name, { bytes }] of Object.entries(metafile?.outputs ?? {}))
      expect([name, (await readFile(join(root, name))).length]).toEqual([name, bytes])
  })

  test('a name in upper case is no hash, and a name may have dollar signs', async () => {
    const root = await project({
      'CHECKOUT.js': `
import german from 'virtual:translations/de/common'
globalThis.collect = async () => [german.title, await (await import('./$$.js')).show()]`,
      '$$.js': SOURCES['pages/a.js'],
    })
    await build(await optionsOf(root, PRUNED, { entryPoints: ['CHECKOUT.js'] }))
    expect(await runEntry(join(root, 'dist/CHECKOUT.mjs'))).toEqual(['Tür “😀”', 'A'])
  })

  test('nothing is written', async () => {
    const root = await project()
    const { outputFiles = [] } = await build(await optionsOf(root, PRUNED, { write: false, sourcemap: true }))
    for (const { path, contents } of outputFiles)
      await writeTree(root, { [path.slice(root.length + 1)]: Buffer.from(contents).toString() })
    expect(await runEntry<Seen>(join(root, 'dist/main.mjs'))).toMatchObject(USED)
  })

  it('has every key in a context, which may serve what it builds, also after an edit', async () => {
    const root = await project()
    const builds = await context(await optionsOf(root, PRUNED))
    const before = ['a', 'b', 'never', 'title']
    await builds.rebuild()
    expect(await runEntry<Seen>(join(root, 'dist/main.mjs'))).toMatchObject({ before, shown: ['T', 'A', 'B'] })
    await writeFile(join(root, 'use.js'), SOURCES['use.js'].replace('.title', '.never'))
    await builds.rebuild()
    await builds.dispose()
    expect(await runEntry<Seen>(join(root, 'dist/main.mjs'))).toMatchObject({ before, shown: ['N', 'A', 'B'] })
  })

  test('perChunk changes nothing, and the build says so in one line', async () => {
    const root = await project()
    const contentsOf = async (options: PluginOptions) => {
      const { outputFiles = [] } = await build(await optionsOf(root, options, { write: false }))
      return Object.fromEntries(outputFiles.map(({ path, contents }) => [path, Buffer.from(contents).toString()]))
    }
    const pruned = await contentsOf(PRUNED)
    const lines: string[] = []
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0)
    onTestFinished(() => spy.mockRestore())
    expect(await contentsOf({ ...OPTIONS, prune: { perChunk: true, ignoreIn: ['main.js'] } })).toEqual(pruned)
    expect(lines.filter((line) => line.includes('perChunk'))).toEqual([
      expect.stringContaining('prune.perChunk has no effect: esbuild does not support per-chunk messages.'),
    ])
  })
})

describe('source maps', () => {
  /** A name of the code whose place is looked up, behind everything that is put into the chunk. */
  const MARK = 'markedInMain'

  test.each(['linked', 'inline', 'external', 'both'] as const)('%s', async (sourcemap) => {
    for (const minify of repeats([sourcemap !== 'both'], [true, false])) {
      const root = await project()
      await build(await optionsOf(root, PRUNED, { sourcemap, minify }))
      const path = join(root, 'dist/main.mjs')
      const code = await readFile(path, 'utf8')
      const inline = /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(code)?.[1]
      const maps = [
        ...(sourcemap === 'inline' ? [] : [await readFile(`${path}.map`, 'utf8')]),
        ...(inline === undefined ? [] : [Buffer.from(inline, 'base64').toString()]),
      ]
      expect(maps).toHaveLength(sourcemap === 'both' ? 2 : 1)
      const before = code.slice(0, code.indexOf(MARK)).split('\n')
      const generated = { line: before.length, column: before.at(-1)?.length ?? 0 }
      for (const map of maps) {
        const { source, line, column } = originalPositionFor(new TraceMap(map), generated)
        const original = (await readFile(join(root, 'main.js'), 'utf8')).split('\n')
        expect(source).toMatch(/main\.js$/)
        expect(original[(line ?? 1) - 1]?.slice(column ?? 0)).toMatch(/^(?:globalThis\.)?markedInMain/)
      }
      expect(await runEntry<Seen>(path)).toMatchObject(USED)
    }
  })
})

describe('static imports', () => {
  test.each(['iife', 'cjs', 'esm'] as const)(
    '%s: the keys that the app uses, in ASCII as all of the output',
    async (format) => {
      const root = await project({
        'main.js': "import german from 'virtual:translations/de/common'\nglobalThis.collect = () => german.title\n",
      })
      const outfile = join(root, format === 'esm' ? 'out.mjs' : 'out.cjs')
      const options = await optionsOf(root, { ...OPTIONS, prune: true }, { outfile, splitting: false, format })
      await build({ ...options, outdir: undefined as never, outExtension: undefined as never })
      expect(await runEntry(outfile)).toBe('Tür “😀”')
      const code = await readFile(outfile, 'latin1')
      expect(code).not.toContain('nie')
      expect(code).toMatch(/^[\n -~]+$/)
    },
  )

  test('in UTF-8 where that is asked for', async () => {
    const root = await project({
      'main.js': "import german from 'virtual:translations/de/common'\nglobalThis.collect = () => german.title\n",
    })
    await build(await optionsOf(root, { ...OPTIONS, prune: true }, { charset: 'utf8' }))
    const code = await readFile(join(root, 'dist/main.mjs'), 'utf8')
    expect(code).toContain('Tür “😀”')
    expect(code).not.toContain('nie')
  })

  test('other texts, other names of files', async () => {
    const names = async (title: string) => {
      const root = await project({
        'main.js': "import german from 'virtual:translations/de/common'\nglobalThis.collect = () => german.title\n",
        'locales/de/common.json': { title },
      })
      const options = await optionsOf(
        root,
        { ...OPTIONS, prune: true },
        { entryNames: '[name]-[hash]', metafile: true },
      )
      const { metafile } = await build(options)
      return Object.keys(metafile?.outputs ?? {})
    }
    const [one, other, same] = [await names('one'), await names('two'), await names('one')]
    expect(one).not.toEqual(other)
    expect(one).toEqual(same)
  })
})
