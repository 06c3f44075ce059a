/** `push --prune` beside a program that deletes files and writes them again, as git and some editors do. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textId } from '../../../src/catalog/text-id.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { findPrunable, indexAll } from '../../../src/sync/prune.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const FILES = { 'locales/en/common.json': { title: 'Hello' }, 'locales/en/shop.json': { buy: 'Buy' } }
const SHOP = 'locales/en/shop.json'

/** Both sides have all texts. `onWait` is called when the readings wait. Time passes only then. */
async function start(onWait: (root: string) => Promise<unknown>) {
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
    await onWait(root)
  }
  const clock = { ...systemClock, now: () => now, sleep }
  const { signal } = new AbortController()
  const pruning = { config, index: indexAll(config, clock), base, withUnseen: false, signal, clock }
  const gone = async () => (await findPrunable(common, pruning)).keys.map(({ key }) => key)
  return { shop: join(root, SHOP), gone }
}

test('a file that is missing at the first reading only has not lost its keys', async () => {
  const { shop, gone } = await start((root) => writeTree(root, FILES))
  await rm(shop)
  expect(await gone()).toEqual([])
})

test('nor has one that returns now and then, and is missing at most readings', async () => {
  let looks = 0
  const { shop, gone } = await start((root) =>
    ++looks % 15 === 0 ? writeTree(root, FILES) : rm(shop, { force: true }),
  )
  await rm(shop)
  expect(await gone()).toEqual([])
  expect(await gone()).toEqual([])
})

test('nor has one that is missing for a moment when its keys would be deleted', async () => {
  const { shop, gone } = await start((root) => writeTree(root, FILES))
  expect(await gone()).toEqual([])
  await rm(shop)
  expect(await gone()).toEqual([])
})

test('a file that stays away has', async () => {
  const { shop, gone } = await start(async () => undefined)
  await rm(shop)
  expect(await gone()).toEqual(['buy'])
  expect(await gone()).toEqual(['buy'])
})
