/** A second build of the same files takes what the first one made; whatever is wrong with that, it makes it anew. */
import { copyFile, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { momentOf } from '../../src/files/temporary-storage.ts'
import { isSettled } from '../../src/shared/stat-fingerprint.ts'
import { type CollectedManifest, loadingEverything } from '../helpers/apps.ts'
import { allBundlers } from '../helpers/bundlers.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** The fastest: the cache is written and read before any bundler is asked. */
const esbuild = allBundlers.find(({ name }) => name === 'esbuild')

const FILES = {
  'main.js': loadingEverything,
  'locales/en/common.json': { title: 'Title', more: 'More', '10': 'ten', __proto__x: 'x' },
  'locales/de/common.json': { more: '', title: 'Titel' },
  'locales/de/shop.json': { buy: 'Kaufen' },
  'locales/en/shop.json': { buy: 'Buy', sell: 'Sell' },
}

async function areSettled(root: string): Promise<boolean> {
  const names = await readdir(join(root, 'locales'), { recursive: true })
  const stats = await Promise.all(names.map((name) => stat(join(root, 'locales', name))))
  const now = momentOf(join(root, '.now'))
  return stats.every((each) => isSettled(each, now))
}

async function project() {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const cache = join(root, '.localization/cache/modules.bin')
  let builds = 0
  return {
    root,
    cache,
    async build() {
      const input = {
        root,
        entries: { main: 'main.js' },
        options: { configFile: false as const },
        outDir: `out${++builds}`,
      }
      // What changed this very moment may change once more without showing it, so it is not cached.
      await expect.poll(() => areSettled(root)).toBe(true)
      const output = await esbuild?.build(input)
      // The cache is written beside the bundler's work.
      await expect
        .poll(() =>
          stat(cache).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true)
      const files = [...(output?.files ?? [])].map(([name, bytes]) => `${name} ${bytes.toString('base64')}`).sort()
      return { files, ...(await runEntry<CollectedManifest>(output?.entryFile('main') ?? '')) }
    },
  }
}

test('the same files, the same output; the cache is left as it is', async () => {
  const { build, cache } = await project()
  const first = await build()
  const written = await stat(cache)
  const second = await build()
  expect(second).toEqual(first)
  expect((await stat(cache)).ino).toBe(written.ino)
  expect(second.texts.de?.common).toEqual({ title: 'Titel', more: 'More', '10': 'ten', __proto__x: 'x' })
})

test('files that changed, came and went', async () => {
  const { build, root } = await project()
  await build()
  await writeTree(root, {
    'locales/de/common.json': { title: 'Neu', more: 'Mehr' },
    'locales/pl/shop.json': { buy: 'Kup' },
  })
  const changed = await build()
  expect(changed.texts.de?.common).toMatchObject({ title: 'Neu', more: 'Mehr' })
  expect(changed.texts.pl?.shop).toEqual({ buy: 'Kup', sell: 'Sell' })
  // A text of one file in the other: content decides, not the name.
  await writeTree(root, { 'locales/pl/shop.json': FILES['locales/de/shop.json'] })
  expect((await build()).texts.pl?.shop).toEqual({ buy: 'Kaufen', sell: 'Sell' })
})

test.each([
  ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 7)],
  ['empty', () => Buffer.alloc(0)],
  ['another file', () => Buffer.from('{"format":"something else"}')],
  ['damaged', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -9), Buffer.from('!'), bytes.subarray(-8)])],
])('a cache that is %s', async (_what, damage) => {
  const { build, cache } = await project()
  const first = await build()
  await writeFile(cache, damage(await readFile(cache)))
  expect(await build()).toEqual(first)
})

async function settled() {
  const one = await project()
  const first = await one.build()
  expect(await one.build()).toEqual(first)
  return { ...one, first, at: (name: string) => join(one.root, 'locales', name) }
}

describe('files that were not read again', () => {
  test('a text of the same length, with the time of the file set back', async () => {
    const { build, at } = await settled()
    const path = at('de/shop.json')
    const { atime, mtime } = await stat(path)
    await writeFile(path, (await readFile(path, 'utf8')).replace('Kaufen', 'Koufen'))
    await utimes(path, atime, mtime)
    expect((await build()).texts.de?.shop).toMatchObject({ buy: 'Koufen' })
  })

  test('two files that changed places, and one that was put over another', async () => {
    const { build, at } = await settled()
    await rename(at('de/shop.json'), at('de/other.json'))
    await rename(at('de/common.json'), at('de/shop.json'))
    await rename(at('de/other.json'), at('de/common.json'))
    const swapped = await build()
    expect(swapped.texts.de?.common).toMatchObject({ buy: 'Kaufen' })
    expect(swapped.texts.de?.shop).toMatchObject({ title: 'Titel' })
    await copyFile(at('en/shop.json'), at('de/shop.json'))
    expect((await build()).texts.de?.shop).toEqual({ buy: 'Buy', sell: 'Sell' })
  })

  test('files and folders that came and went', async () => {
    const { build, root, at } = await settled()
    await rm(at('de/shop.json'))
    await writeTree(root, { 'locales/en/deep/er.json': { a: 'A' }, 'locales/pl/shop.json': { buy: 'Kup' } })
    const { texts } = await build()
    expect(texts.de?.shop).toEqual({ buy: 'Buy', sell: 'Sell' })
    expect(texts.en?.['deep/er']).toEqual({ a: 'A' })
    expect(texts.pl?.shop).toEqual({ buy: 'Kup', sell: 'Sell' })
    await rm(at('pl'), { recursive: true })
    expect(Object.keys((await build()).texts).sort()).toEqual(['de', 'en'])
  })

  test.skipIf(process.platform === 'win32')(
    'the folder is a link that leads elsewhere now (not on Windows, where links need rights)',
    async () => {
      const { build, root, at } = await settled()
      await rename(at(''), join(root, 'old'))
      await writeTree(root, { 'new/en/common.json': { title: 'New' } })
      await symlink(join(root, 'new'), join(root, 'locales'))
      expect((await build()).texts).toEqual({ en: { common: { title: 'New' } } })
      await rm(join(root, 'locales'))
      await symlink(join(root, 'old'), join(root, 'locales'))
      expect((await build()).texts.de?.shop).toMatchObject({ buy: 'Kaufen' })
    },
  )

  test('the cache is gone', async () => {
    const { build, first, cache } = await settled()
    await rm(cache)
    expect(await build()).toEqual(first)
  })
})
