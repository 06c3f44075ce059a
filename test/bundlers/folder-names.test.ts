/**
 * Projects in folders whose names bundlers take for something else: their builds are the same as in any other folder.
 * Also modules that have come out empty.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { allBundlers, builtPlugin, bundlers, runWebpack } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** A fragment for webpack and Rspack; an escape in addresses; a space; characters of patterns. */
const NAMES = [
  'c#',
  ...repeats(['a#b%23/100% [x]{y} &+~$'], ['#', 'a#b/c#d', '100%', '%23', 'sp ace', '[x]{y}', "it's"]),
]

/** An absolute entry may not have them in any bundler that parses requests. Vite and Rolldown read no such folder. */
const OF_RSPACK = ['why?', 'a!b']

const APP = {
  'package.json': {},
  'locales/en/common.json': { title: 'Title', never: 'Never' },
  'main.js': `
    import { load } from 'virtual:translations'
    import { title } from './title.js'
    globalThis.collect = async () => [await title(), ...Object.keys(await load('en', 'common'))]
  `,
  'title.js': `
    import common from 'virtual:translations/en/common'
    export const title = () => common.title
  `,
}
const options = { configFile: false, source: 'files', prune: { ignoreIn: ['main.js'] } } as const

describe.each(allBundlers)('$name', (bundler) => {
  it.each(NAMES)('has its texts in the folder %s, without those that only an ignored file uses', async (name) => {
    const root = join(await tempFolder(), name)
    await writeTree(root, APP)
    const output = await bundler.build({ root, entries: { main: 'main.js' }, options })
    const keys = bundler.hasPrebuiltChunks ? ['title'] : ['never', 'title']
    expect(await runEntry(output.entryFile('main'))).toEqual(['Title', ...keys])
  })

  it.skipIf(bundler.name === 'bun')('fails when another plugin has left nothing of a module', async () => {
    const root = await tempFolder()
    // A static import of a name that an empty module has not is an error of most bundlers.
    const main = `globalThis.collect = () => import('virtual:translations/en/common')`
    await writeTree(root, { ...APP, 'main.js': main })
    const build = bundler.build({ root, entries: { main: 'main.js' }, options, emptied: 'namespace/en' })
    await expect(build).rejects.toThrow('virtual:translations/en/common is empty in this build')
  })
})

const LAZY = ['a', 'b', 'c', 'd', 'e', 'f']
const PRUNED = {
  'package.json': { type: 'module' },
  'locales/en/common.json': Object.fromEntries(['title', 'menu', 'unused', ...LAZY].map((key) => [key, `${key} en`])),
  'locales/de/common.json': Object.fromEntries(['title', 'menu', 'unused', ...LAZY].map((key) => [key, `${key} de`])),
  't.js': `
    import { load } from 'virtual:translations'
    let texts
    export const use = async () => { texts = await load('en', 'common') }
    export function t(key) { return texts[key] }
    export const ask = (key) => t(key)
  `,
  'menu.js': `export const menu = (t) => [t('menu')]`,
  'main.js': `
    import { menu } from './menu.js'
    import { t, use } from './t.js'
    globalThis.collect = async () => {
      await use()
      const lazy = [${LAZY.map((name) => `import('./${name}.js')`)}].map(async (module) => (await module).shown())
      return [t('title'), ...menu(t), ...(await Promise.all(lazy))]
    }
  `,
  ...Object.fromEntries(
    LAZY.map((name) => {
      const shown = `export const shown = async () => { await use(); t('title'); return t('${name}') }`
      return [`${name}.js`, `import { t, use } from './t.js'\n${shown}`]
    }),
  ),
}

describe.each(bundlers.filter(({ hasPrebuiltChunks }) => hasPrebuiltChunks))('$name', (bundler) => {
  /** The message files with their table and record, and the report. */
  const textsIn = async (name: string, ci = '') => {
    vi.stubEnv('CI', ci)
    const root = join(await tempFolder(), name)
    await writeTree(root, PRUNED)
    const prune = { perChunk: true, ignoreIn: ['t.js'] }
    const given = { ...options, defaultLanguage: 'en', delivery: 'live', push: true, prune, report: 'json' } as const
    const output = await bundler.build({ root, entries: { main: 'main.js' }, options: given })
    const shown = ['title', 'menu', ...LAZY].map((key) => `${key} en`)
    expect(await runEntry(output.entryFile('main'))).toEqual(shown)
    const files = [...output.files].filter(([path]) => path.includes('localization/'))
    const report = JSON.parse(await readFile(join(root, '.localization/report.json'), 'utf8'))
    return {
      files: Object.fromEntries(files.map(([path, content]) => [path, content.toString()])),
      report: { ...report, ms: undefined },
    }
  }

  it.each(['app', 'node_modules/app', ...NAMES])(
    'has the same texts in each build, also in the folder %s and in CI',
    async (name) => {
      expect(await textsIn(name, 'true')).toEqual(await textsIn('app'))
    },
  )
})

it.each(OF_RSPACK)('rspack has its texts in the folder %s, with a relative entry', async (name) => {
  const root = join(await tempFolder(), name)
  await writeTree(root, APP)
  await runWebpack('@rspack/core', {
    context: root,
    mode: 'production',
    target: 'node20',
    entry: './main.js',
    output: { path: join(root, 'dist') },
    plugins: [await builtPlugin('rspack', options)],
  })
  expect(await runEntry(join(root, 'dist/main.js'))).toEqual(['Title', 'title'])
})
