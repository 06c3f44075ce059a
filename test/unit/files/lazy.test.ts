/** Files whose texts are not kept in memory: put aside on the disk until they are asked for. */
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { LazyTexts } from '../../../src/catalog/model.ts'
import { createLazyReader, type ModuleCache } from '../../../src/files/lazy.ts'
import { createTextWriter } from '../../../src/files/text-writer.ts'
import { tempFolder } from '../../helpers/temp.ts'

const FILES = 20
/** The last ones are longer than the first ones promise. */
const textOf = (i: number) => `text ${i}${i < 17 ? '' : ' long'.repeat(50)}`
const contentOf = (i: number, text = textOf(i)) => `{ "key": "${text}", "other": "${i} </script>" }`

/** A cache that takes `maxBytes`, as `sources/text-cache`. */
function cacheOf(folder: string, maxBytes: number) {
  const kept = new Map<string, LazyTexts>()
  let size = 0
  const cache: ModuleCache = {
    folder,
    maxBytes,
    get isFull() {
      return size > maxBytes
    },
    giveUp() {
      size = Number.POSITIVE_INFINITY
      kept.clear()
    },
    get: () => undefined,
    add(hash, texts) {
      size += texts.module?.size ?? 0
      kept.set(hash, texts)
      if (size > maxBytes) kept.clear()
    },
  }
  return { cache, kept }
}

async function readAll(maxBytes: number, folder = 'cache') {
  const root = await tempFolder()
  const path = (i: number) => join(root, `${i}.json`)
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), contentOf(i))
  const { cache, kept } = cacheOf(join(root, folder), maxBytes)
  const read = createLazyReader({ writer: createTextWriter('.'), cache, fileCount: FILES })
  const found: LazyTexts[] = []
  for (let i = 0; i < FILES; i++) {
    const content = await read(path(i), { keySeparator: '.', namespace: 'common' })
    found.push(content?.texts as LazyTexts)
  }
  return { path, kept, found, folder: join(root, folder) }
}

test('a small catalog is kept: what happens to its files meanwhile does not matter', async () => {
  const { path, kept, found } = await readAll(1_000_000)
  expect(kept.size).toBe(FILES)
  writeFileSync(path(3), 'something else')
  expect(found[3]?.module?.bytes.toString()).toContain('text 3')
  expect(found[3]?.plain()).toEqual({ key: 'text 3', other: '3 </script>' })
})

const moduleOf = (i: number) => `export default {"key":"${textOf(i)}","other":"${i} \\u003c/script>"}\n`

function expectAll(found: readonly LazyTexts[]) {
  expect(found).toHaveLength(FILES)
  for (const [i, { module, plain }] of found.entries()) {
    const expected = moduleOf(i)
    const read = [module?.bytes.toString(), module?.borrow?.().toString(), module?.size]
    expect(read).toEqual([expected, expected, expected.length])
    expect(plain()).toEqual({ key: textOf(i), other: `${i} </script>` })
  }
}

/** Files without a name that this process has open below a folder. */
function namelessFiles(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${handle}`)
      return target.startsWith(folder) && target.endsWith(' (deleted)') ? [target] : []
    } catch {
      // The one that lists them is gone by now.
      return []
    }
  })
}

const LARGE: [name: string, maxBytes: number][] = [
  ['seen coming after some files', 400],
  ['met by adding', 1_200],
]

test.each(LARGE)('a large catalog, %s, waits on the disk', async (_name, maxBytes) => {
  const { path, kept, found, folder } = await readAll(maxBytes)
  expect(kept.size).toBeLessThan(FILES)
  expectAll(found)
  // What a build has read counts, whatever becomes of the files meanwhile.
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), 'something else')
  expectAll(found)
  // Given to keep: not written over by the next one.
  const bytes = found.map(({ module }) => module?.bytes)
  expect(bytes.map(String)).toEqual(found.map((_, i) => moduleOf(i)))
  expect(readdirSync(folder)).toEqual([])
})

test.each(LARGE)('a large catalog, %s, is held in memory where the disk takes nothing', async (_name, maxBytes) => {
  // A file stands where the folder would be.
  const { path, found } = await readAll(maxBytes, '0.json')
  expectAll(found)
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), 'something else')
  expectAll(found)
})

test.runIf(process.platform === 'linux')('the file on the disk goes with the texts', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let found: readonly LazyTexts[] | undefined
  const root = await (async () => {
    const all = await readAll(400)
    found = all.found
    return all.folder
  })()
  collect()
  expect(namelessFiles(root)).toHaveLength(1)
  expectAll(found as readonly LazyTexts[])
  found = undefined
  await expect
    .poll(
      () => {
        collect()
        return namelessFiles(root)
      },
      { timeout: 30_000 },
    )
    .toEqual([])
})
