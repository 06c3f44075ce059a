/** The plugin twice in one build: with one configuration nothing happens, with two the build fails. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { type CollectedManifest, loadingEverything } from '../helpers/apps.ts'
import { allBundlers, builtPlugin } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

async function project() {
  const root = await tempFolder()
  await writeTree(root, {
    'main.js': loadingEverything,
    'locales/en/common.json': { title: 'Title' },
    'locales/de/common.json': { title: 'Titel' },
  })
  return root
}

const ONE = { configFile: false } as const
const OTHER: PluginOptions = { ...ONE, languages: ['en'], shape: 'nested' }
const REFUSED =
  /this build uses unplugin-localization twice, with different configurations \(languages, shape\)[\s\S]*Remove one of them, or use a separate/

covers({
  tool: 'the plugin twice in one build',
  setting: 'one configuration',
  bundlers: [
    'vite',
    'vite7',
    'rollup',
    'rolldown',
    'webpack',
    '@rspack/core',
    '@rsbuild/core',
    'esbuild',
    '@farmfe/core',
  ],
  limit: 'two configurations fail with `CONFIG_INVALID`',
})

describe.each(allBundlers)('$name', ({ name, build }) => {
  const input = async (...options: PluginOptions[]) => ({
    root: await project(),
    entries: { main: 'main.js' },
    options,
  })
  const languages = async (given: { root: string; entries: { main: string }; options: PluginOptions[] }) => {
    const { root, entries, options } = given
    const [first = {}, ...others] = options
    const output = await build({ root, entries, options: first, others })
    const { texts } = await runEntry<CollectedManifest>(output.entryFile('main'))
    return Object.keys(texts).sort()
  }

  it('one configuration, written in two ways', async () => {
    const twice = await input(OTHER, {
      shape: 'nested',
      ...ONE,
      files: 'locales/{language}/{namespace}.json',
      languages: ['en'],
    })
    expect(await languages(twice)).toEqual(['en'])
  })

  it('two configurations', async () => {
    await expect(languages(await input(ONE, OTHER))).rejects.toThrow(REFUSED)
  })

  // Farm's builds have processes of their own.
  if (name !== 'farm')
    it('two builds at once', async () => {
      const [both, one] = [await input(ONE), await input(OTHER)]
      expect(await Promise.all([languages(both), languages(one)])).toEqual([['de', 'en'], ['en']])
    })
})

describe.each(['vite', 'vite7'])('%s', (name) => {
  it('workers and a dev server', async () => {
    const root = await project()
    await writeTree(root, {
      'worker.js': "import { load } from 'virtual:translations'\nself.onmessage = () => load('en', 'common')\n",
      'main.js': "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })\n",
    })
    const { build, createServer } = (await import(name)) as typeof import('vite')
    const plugins = () => builtPlugin('vite', ONE) as never
    const rollupOptions = { input: join(root, 'main.js') }
    await build({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [plugins()],
      worker: { plugins: () => [plugins()], format: 'es' },
      build: { rollupOptions },
    })
    const other = builtPlugin('vite', OTHER) as never
    const server = createServer({ root, configFile: false, logLevel: 'silent', plugins: [plugins(), other] })
    const attempt = server.then(async (made) => {
      try {
        await made.listen(0)
      } finally {
        await made.close()
      }
    })
    await expect(attempt).rejects.toThrow(REFUSED)
  })
})
