/** `push --prune` beside a program that deletes files and writes them again, as git and some editors do. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textId } from '../../../src/catalog/text-id.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { findPrunable, readAllFiles } from '../../../src/sync/prune.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const FILES = { 'locales/en/common.json': { title: 'Hello' }, 'locales/en/shop.json': { buy: 'Buy' } }
const SHOP = 'locales/en/shop.json'

/** Both sides have all texts. `onWait` is called when the readings wait: time passes only then. */
async function start(onWait: (root: string, waitedMs: number) => Promise<unknown>) {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const config = resolveConfig({ source: 'files' }, { root, ci: false })
  const common = [
    ['common', 'title', 'Hello'],
    ['shop', 'buy', 'Buy'],
  ].map(([namespace = '', key = '', text = '']) => {
    const ref = { language: 'en', namespace, key }
    return { id: textId(ref), ref, text, reviewStatus: undefined, modifiedAt: undefined }
  })
  const base = { common: (id: string) => common.find((one) => one.id === id)?.text }
  let now = 0
  const sleep = async (ms: number) => {
    now += ms
    await onWait(root, now)
  }
  const index = () => readAllFiles(config, new AbortController().signal, { ...systemClock, now: () => now, sleep })
  const gone = async (from: Awaited<ReturnType<typeof index>>) =>
    (await findPrunable(from, config, base, common, false)).keys.map(({ key }) => key)
  return { shop: join(root, SHOP), index, gone }
}

test('a file that is missing at the first reading only has not lost its keys', async () => {
  const { shop, index, gone } = await start((root) => writeTree(root, FILES))
  await rm(shop)
  expect(await gone(await index())).toEqual([])
})

test('nor has one that is missing for a moment when its keys would be deleted', async () => {
  let isMissing = false
  const { shop, index, gone } = await start(async (root) => isMissing && writeTree(root, FILES))
  const files = await index()
  await rm(shop)
  isMissing = true
  expect(await gone(files)).toEqual([])
})

test('a file that stays away has', async () => {
  const { shop, index, gone } = await start(async () => undefined)
  const files = await index()
  await rm(shop)
  expect(await gone(files)).toEqual(['buy'])
  expect(await gone(await index())).toEqual(['buy'])
})
