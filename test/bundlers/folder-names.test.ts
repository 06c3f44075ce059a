/** Projects in folders whose names bundlers take for something else, and modules that have come out empty. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allBundlers, builtPlugin, runWebpack } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

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
