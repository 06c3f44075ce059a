/** Files that a build reads: cached from build to build, or put aside on the disk where they are too many. */
import { readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBuildReader } from '../../../src/files/build-reader.ts'
import { momentOf, TemporaryStorage } from '../../../src/files/temporary-storage.ts'
import { textEncoding } from '../../../src/output/text-module.ts'
import { isSettled } from '../../../src/shared/stat-fingerprint.ts'
import { tempFolder } from '../../helpers/temp.ts'

const FILES = 20
const textOf = (i: number) => `text ${i}${i < 17 ? '' : ' long'.repeat(50)}`
const contentOf = (i: number, text = textOf(i)) => `{ "key": "${text}", "other": "${i} </script>" }`
const moduleOf = (i: number) => `export default {"key":"${textOf(i)}","other":"${i} \\u003c/script>"}\n`

const fileAt = (path: string) => ({ path, namespace: 'common' })

async function project({ isLarge = false, folder = 'cache' } = {}) {
  const root = await tempFolder()
  const path = (i: number) => join(root, `${i}.json`)
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), contentOf(i))
  const cacheFolder = join(root, folder)
  const paths = Array.from({ length: FILES }, (_, i) => path(i))
  const storage = new TemporaryStorage(cacheFolder, isLarge ? { maxMemoryBytes: 300 } : {})
  storage.retain()
  const open = () =>
    createBuildReader({
      keySeparator: '.',
      encoding: textEncoding,
      cacheFolder,
      storage,
      nameOf: (name) => name.slice(root.length + 1),
    })
  const readAll = async ({ read } = open()) => (await read(paths.map(fileAt))).map((file) => file?.texts)
  return { root, path, cacheFolder, storage, open, readAll }
}

const settled = (path: string) => expect.poll(() => isSettled(statSync(path), momentOf(dirname(path)))).toBe(true)

function expectAll(found: Awaited<ReturnType<Awaited<ReturnType<typeof project>>['readAll']>>) {
  expect(found).toHaveLength(FILES)
  for (const [i, texts] of found.entries()) {
    const expected = moduleOf(i)
    expect([texts?.module?.bytes.toString(), texts?.module?.size]).toEqual([expected, expected.length])
    expect(texts?.plain()).toEqual({ key: textOf(i), other: `${i} </script>` })
  }
}

test('what a build has read counts, whatever becomes of the files meanwhile', async () => {
  const { path, readAll } = await project()
  const found = await readAll()
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), 'something else')
  expectAll(found)
})

test('the next build takes the cached texts of unchanged files, and reads the others', async () => {
  const { path, open, readAll, cacheFolder } = await project()
  for (let i = 0; i < FILES; i++) await settled(path(i))
  const first = open()
  expectAll(await readAll(first))
  await first.saveCache()
  // A changed text in the cache shows which texts come from it; the checksum protects it from damage.
  writeFileSync(path(3), contentOf(3, 'changed'))
  const second = await readAll()
  expect(second[3]?.plain()).toEqual({ key: 'changed', other: '3 </script>' })
  expect(second[4]?.plain()).toEqual({ key: textOf(4), other: '4 </script>' })
  expect(second[4]?.keys).toBe(second[5]?.keys)
  const cache = join(cacheFolder, 'modules.bin')
  const bytes = await readFile(cache)
  for (const damaged of [
    bytes.subarray(0, -5),
    Buffer.alloc(0),
    Buffer.from(bytes.toString('latin1').replace('text 5', 'Text 5'), 'latin1'),
  ]) {
    await writeFile(cache, damaged)
    expect((await readAll())[5]?.plain()).toEqual({ key: textOf(5), other: '5 </script>' })
  }
})

test('a file with an error, an unreadable file and an absent file', async () => {
  const { root, path, open } = await project()
  writeFileSync(path(1), '{')
  // Escapes that the quick reader leaves to the full parser.
  writeFileSync(path(2), '{"a": "\\u00e9"}')
  const names = [path(1), root, join(root, 'absent.json'), path(2), path(3)]
  const [broken, folder, absent, escaped, next] = await open().read(names.map(fileAt))
  expect(broken).toMatchObject({ texts: undefined, diagnostics: [{ code: 'FILE_SYNTAX' }] })
  expect(folder).toMatchObject({ texts: undefined, diagnostics: [{ code: 'FILE_READ' }] })
  expect(absent).toBeUndefined()
  expect(escaped?.texts?.plain()).toEqual({ a: 'é' })
  expect(next?.texts?.plain()).toEqual({ key: textOf(3), other: '3 </script>' })
})

test('a large catalog waits on the disk', async () => {
  const { path, readAll, cacheFolder, storage } = await project({ isLarge: true })
  const found = await readAll()
  expectAll(found)
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), 'something else')
  expectAll(found)
  expect(readdirSync(cacheFolder)).toEqual([])
  storage.close()
  expect(() => found[0]?.module?.bytes).toThrow('closed')
})

test('a large catalog stays in memory where the disk takes nothing', async () => {
  // A file stands where the folder would be.
  const { path, readAll } = await project({ isLarge: true, folder: '0.json' })
  const found = await readAll()
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), 'something else')
  expectAll(found)
})

/** Files without a name below a folder that this process has open. */
function namelessFiles(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${handle}`)
      return target.startsWith(folder) && target.endsWith(' (deleted)') ? [target] : []
    } catch {
      // The handle that lists them is closed by now.
      return []
    }
  })
}

test.runIf(process.platform === 'linux')('one file for all builds, until the last user closes it', async () => {
  const { path, readAll, cacheFolder, storage } = await project({ isLarge: true })
  onTestFinished(() => storage.close())
  storage.retain()
  const first = await readAll()
  writeFileSync(path(0), contentOf(0, 'changed'))
  const second = await readAll()
  expect(second[0]?.plain()).toEqual({ key: 'changed', other: '0 </script>' })
  expectAll(first)
  expect(second[1]?.module).toBe(first[1]?.module)
  storage.close()
  expect(namelessFiles(cacheFolder)).toHaveLength(1)
  expectAll(first)
  storage.close()
  expect(namelessFiles(cacheFolder)).toEqual([])
})
