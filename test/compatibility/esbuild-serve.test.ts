/** esbuild's contexts: what they serve reaches the browser without what plugins do at the end of a build. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build, context, type Plugin } from 'esbuild'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { loadingEverything } from '../helpers/apps.ts'
import { noChromium, visit } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const TEXTS = { en: { common: { title: 'Title' } }, de: { common: { title: 'Titel' } } }
const FILES = {
  'main.js': loadingEverything,
  'www/index.html': '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/js/main.js"></script>',
  'locales/en/common.json': TEXTS.en.common,
  'locales/de/common.json': TEXTS.de.common,
}

async function project(changes: BuildOptions = {}, options: PluginOptions = {}) {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const plugin = (await builtPlugin('esbuild', { configFile: false, ...options })) as Plugin
  const input: BuildOptions = {
    absWorkingDir: root,
    entryPoints: ['main.js'],
    outdir: 'www/js',
    bundle: true,
    format: 'esm',
    logLevel: 'silent',
    ...changes,
    plugins: [...(changes.plugins ?? []), plugin],
  }
  return { root, input }
}

/** Everything that the plugin says on the terminal. */
function listen() {
  const lines: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  onTestFinished(() => write.mockRestore())
  return lines
}

covers({
  tool: "esbuild's context",
  setting: '`serve()`, `watch()`, `rebuild()`, `write`, `splitting`',
  bundlers: ['esbuild'],
  limit: 'texts are modules in the output, with every key',
})

describe.skipIf(noChromium)('served', () => {
  const seen = async (address: string) => {
    const page = await visit(address)
    const texts = await page.page.evaluate('collect().then(({ texts }) => texts)')
    expect(page.problems).toEqual([])
    await page.close()
    return texts
  }

  it.each([
    ['by default', { splitting: true }],
    ['by default, in one file', { minify: true }],
    ['nothing is written', { splitting: true, write: false }],
    ['nothing is written, in one file', { write: false }],
  ])('%s', async (_name, changes) => {
    const { root, input } = await project(changes, { prune: { onUnknown: 'ignore' } })
    listen()
    const served = await context(input)
    onTestFinished(() => served.dispose())
    const { port } = await served.serve({ host: '127.0.0.1', port: 0, servedir: join(root, 'www') })
    expect(await seen(`http://127.0.0.1:${port}/`)).toEqual(TEXTS)
  })

  it('watched as well: an edit, and a new language', async () => {
    const { root, input } = await project({ splitting: true })
    const served = await context(input)
    onTestFinished(() => served.dispose())
    await served.watch()
    const { port } = await served.serve({ host: '127.0.0.1', port: 0, servedir: join(root, 'www') })
    expect(await seen(`http://127.0.0.1:${port}/`)).toEqual(TEXTS)
    await writeTree(root, {
      'locales/de/common.json': { title: 'Neu' },
      'locales/pl/common.json': { title: 'Po polsku' },
    })
    const changed = { en: TEXTS.en, de: { common: { title: 'Neu' } }, pl: { common: { title: 'Po polsku' } } }
    await expect.poll(() => seen(`http://127.0.0.1:${port}/`)).toEqual(changed)
  })
})

describe.each([true, false])('not served, splitting: %s', (splitting) => {
  const node: BuildOptions = { splitting, platform: 'node', outExtension: { '.js': '.mjs' }, metafile: true }

  it('built again: the metafile names every file', async () => {
    const { root, input } = await project(node)
    const builds = await context(input)
    onTestFinished(() => builds.dispose())
    for (const title of ['Titel', 'Neu']) {
      await writeTree(root, { 'locales/de/common.json': { title } })
      const { metafile } = await builds.rebuild()
      const texts = { ...TEXTS, de: { common: { title } } }
      expect(await runEntry(join(root, 'www/js/main.mjs'))).toMatchObject({ texts })
      const written = await readdir(join(root, 'www/js'))
      expect(written).toEqual(expect.arrayContaining(Object.keys(metafile?.outputs ?? {}).map((name) => name.slice(7))))
    }
  })

  it.each(['build', 'context'])('nothing is written: %s', async (how) => {
    const { root, input } = await project({ ...node, write: false })
    const builds = how === 'context' ? await context(input) : undefined
    onTestFinished(() => builds?.dispose())
    const { outputFiles = [] } = (await builds?.rebuild()) ?? (await build(input))
    // The message files of a build are beside the scripts.
    expect(outputFiles.some(({ path }) => path.includes('/localization/'))).toBe(how === 'build')
    for (const { path, text } of outputFiles) await writeTree(root, { [path.slice(root.length + 1)]: text })
    expect(await runEntry(join(root, 'www/js/main.mjs'))).toMatchObject({ texts: TEXTS })
  })
})

it('says what a context keeps, and what hides whether there is one', async () => {
  const lines = listen()
  const { input } = await project({}, { prune: true })
  const builds = await context(input)
  await builds.rebuild()
  await builds.rebuild()
  await builds.dispose()
  expect(lines.filter((line) => line.includes("esbuild's context() keeps every key"))).toHaveLength(1)
  const slow = { name: 'slow', setup: () => Promise.resolve() }
  const { root, input: behind } = await project({ plugins: [slow], platform: 'node', outdir: 'dist' })
  await build(behind)
  expect(lines.join('')).toContain('Move this plugin to the start of `plugins`')
  expect(await readdir(join(root, 'dist'))).toEqual(['main.js'])
})
