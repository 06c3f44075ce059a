/** A second build of the same files takes what the first one made; whatever is wrong with that, it makes it anew. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CollectedManifest, loadingEverything } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const [vite] = bundlers.filter(({ name }) => name === 'vite')

const FILES = {
  'main.js': loadingEverything,
  'locales/en/common.json': { title: 'Title', more: 'More', '10': 'ten', __proto__x: 'x' },
  'locales/de/common.json': { more: '', title: 'Titel' },
  'locales/de/shop.json': { buy: 'Kaufen' },
  'locales/en/shop.json': { buy: 'Buy', sell: 'Sell' },
}

async function project() {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const cache = join(root, '.localization/cache/texts.bin')
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
      const output = await vite?.build(input)
      // It is written beside the bundler's work.
      await expect
        .poll(() =>
          stat(cache).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true)
      const files = [...(output?.files ?? [])].map(([name, bytes]) => `${name} ${bytes.toString('base64')}`).sort()
      return { files, ...(await runEntry<CollectedManifest>(output?.entryFile('main') ?? '', root)) }
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

test('texts that fallbacks fill are joined once; a damaged cache of them is made anew', async () => {
  const { build, root } = await project()
  const joined = join(root, '.localization/cache/joined.bin')
  const first = await build()
  await expect.poll(() => readFile(joined).catch(() => undefined)).toBeDefined()
  const bytes = await readFile(joined)
  expect(bytes.includes('"title":"Titel"')).toBe(true)
  const { ino } = await stat(joined)
  expect(await build()).toEqual(first)
  expect((await stat(joined)).ino).toBe(ino)
  // What it holds is what comes out: a text that is damaged there, and nothing else, is told by its hash.
  await writeFile(joined, Buffer.from(bytes.toString('latin1').replace('Titel', 'Tytel'), 'latin1'))
  expect(await build()).toEqual(first)
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
