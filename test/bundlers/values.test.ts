/**
 * Arrays, numbers, booleans and null: what the page gets equals the file, in every bundler.
 * `test/unit/plugin/values.test.ts` has the other shape and the sources.
 */
import { describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { type CollectedManifest, importing, loadingEverything } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { EN, FILES, PL_SHOWN } from '../helpers/values-project.ts'

const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en' }

describe.each(bundlers)('$name', (bundler) => {
  test('nested, the page has what the file has', async () => {
    const root = await tempFolder()
    const requests = ['virtual:translations/en/common', 'virtual:translations/pl/common']
    await writeTree(root, { ...FILES, 'static.js': importing(requests), 'lazy.js': loadingEverything })
    const entries = { static: 'static.js', lazy: 'lazy.js' }
    const { entryFile } = await bundler.build({ root, entries, options: { ...OPTIONS, shape: 'nested' } })
    expect(await runEntry(entryFile('static'))).toEqual([EN, PL_SHOWN])
    const { texts } = await runEntry<CollectedManifest>(entryFile('lazy'))
    expect(texts).toEqual({ en: { common: EN }, pl: { common: PL_SHOWN } })
  })

  if (!bundler.hasPrebuiltChunks) return
  test('an element that the code uses keeps its array', async () => {
    const root = await tempFolder()
    const main = `
import { load } from 'virtual:translations'
const t = (key) => key
globalThis.collect = async () => [t('title'), t('steps.1'), t('list'), await load('en', 'common')]
`
    await writeTree(root, { ...FILES, 'main.js': main })
    const options = { ...OPTIONS, shape: 'nested', prune: { functions: ['t'], onUnknown: 'ignore' } } as const
    const { entryFile } = await bundler.build({ root, entries: { main: 'main.js' }, options })
    const { title, steps, list } = EN
    expect(await runEntry(entryFile('main'))).toEqual(['title', 'steps.1', 'list', { title, steps, list }])
  })
})
