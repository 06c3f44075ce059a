/**
 * Persistent caches of webpack and Rspack: right after a change on the service, and used without one. In
 * `npm test`, webpack's, with a new compiler for each build.
 */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { buildInProcess, builtPlugin, runWebpack } from '../helpers/bundlers.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** One build after each change, each in a fresh process; elsewhere the changes share one. */
const IS_THOROUGH = repeats(false, true)

const ENTRY = `
import messages from 'virtual:translations/de/default'
import { languages, load, namespaces } from 'virtual:translations'
globalThis.collect = async () => ({ messages, languages: languages.map(({ key }) => key), namespaces, lazy: await load('de', 'default') })
`

describe.each(repeats(['webpack'] as const, ['webpack', '@rspack/core'] as const))('%s', (name) => {
  it('builds right from a cache', async () => {
    const root = await tempFolder()
    const project = await startProject({ service: { languages: [] } })
    await project.importTexts('en', '', { title: 'Title' })
    await project.importTexts('de', '', { title: '' })
    await writeTree(root, { 'main.js': ENTRY })

    const build = async () => {
      const configuration = configurationOf(name, root)
      const options = { configFile: false, service: { apiKey: project.apiKey, baseUrl: project.baseUrl } } as const
      const modules = IS_THOROUGH
        ? await buildInProcess(name, { root, configurations: [configuration], options })
        : await buildHere(configuration, options)
      return { seen: await runEntry(join(root, 'dist/main.mjs')), modules }
    }
    const state = (text: string) => ({
      messages: { title: text },
      languages: ['en', 'de'],
      namespaces: ['default'],
      lazy: { title: text },
    })

    expect((await build()).seen).toEqual(state('Title'))
    // The first build wrote the file that stands for the catalog: too fresh for webpack to trust it at once.
    if (name === 'webpack' || IS_THOROUGH) expect((await build()).seen).toEqual(state('Title'))
    const unchanged = await build()
    expect(unchanged.seen).toEqual(state('Title'))
    // webpack tells which modules it took from its cache; Rspack does not.
    if (name === 'webpack') {
      expect(unchanged.modules.length).toBeGreaterThan(0)
      expect(unchanged.modules.filter(({ built }) => built)).toEqual([])
    }

    // A text of the fallback language, a text of the language itself, a new language with a new namespace, a new file.
    await project.importTexts('en', '', { title: 'New title' })
    expect((await build()).seen).toEqual(state('New title'))
    if (IS_THOROUGH) {
      await project.importTexts('de', '', { title: 'Neuer Titel' })
      expect((await build()).seen).toEqual(state('Neuer Titel'))
    }
    await project.importTexts('pl', 'shop', { buy: 'Kup' })
    const more = { languages: ['en', 'de', 'pl'], namespaces: ['default', 'shop'] }
    if (IS_THOROUGH) expect((await build()).seen).toMatchObject(more)
    await writeTree(root, { 'locales/de/default.json': { more: 'Mehr' } })
    const title = IS_THOROUGH ? 'Neuer Titel' : 'New title'
    expect((await build()).seen).toMatchObject({ ...more, messages: { title, more: 'Mehr' } })
  })
})

async function buildHere(configuration: object, options: PluginOptions) {
  const stats = await runWebpack('webpack', { ...configuration, plugins: [await builtPlugin('webpack', options)] })
  return stats.toJson({ all: false, modules: true, cachedModules: true, modulesSpace: 10_000 }).modules ?? []
}

function configurationOf(name: 'webpack' | '@rspack/core', root: string): object {
  const directory = join(root, 'cache')
  return {
    context: root,
    mode: 'production',
    target: 'node20',
    entry: { main: join(root, 'main.js') },
    cache:
      name === 'webpack'
        ? { type: 'filesystem', cacheDirectory: directory }
        : { type: 'persistent', storage: { type: 'filesystem', directory } },
    experiments: { outputModule: true },
    output: { path: join(root, 'dist'), filename: '[name].mjs', module: true, chunkFormat: 'module', clean: true },
    performance: false,
    optimization: { minimize: false },
  }
}
