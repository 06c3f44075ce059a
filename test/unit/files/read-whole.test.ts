/** Files are read once, whole, and several at a time where the disk is slow. */
import fs, { writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBuildReader } from '../../../src/files/build-reader.ts'
import { readWholeSync } from '../../../src/files/read-whole.ts'
import { readWhole } from '../../../src/files/read-whole-async.ts'
import { TemporaryStorage } from '../../../src/files/temporary-storage.ts'
import { textEncoding } from '../../../src/output/text-module.ts'
import { tempFolder } from '../../helpers/temp.ts'

const readers = {
  readWholeSync: async (...given: Parameters<typeof readWholeSync<string>>) => readWholeSync(...given),
  readWhole: readWhole<string>,
}

test.each(Object.entries(readers))('%s: what is read while it changes is read again', async (_name, read) => {
  const path = join(await tempFolder(), 'a.json')
  for (const [before, after] of [
    ['{"a": "x"}', '{"a": "longer than before"}'],
    ['{"a": "longer than after"}', '{}'],
  ] as const) {
    writeFileSync(path, before)
    const used: string[] = []
    const found = await read(path, {
      // Called when the size is known, and before the bytes are read.
      known: () => writeFileSync(path, after) as undefined,
      buffer: (size) => Buffer.alloc(size),
      use: (bytes) => {
        used.push(bytes.toString())
        return 'done'
      },
    })
    expect([found, used]).toEqual(['done', [after]])
  }
})

test('a file that always changes is an error', async () => {
  const path = join(await tempFolder(), 'a.json')
  writeFileSync(path, '{}')
  let text = '{}'
  const read = () =>
    readWholeSync(path, {
      known: () => undefined,
      buffer(size) {
        text += '\n'
        writeFileSync(path, text)
        return Buffer.alloc(size)
      },
      use: (bytes) => bytes.toString(),
    })
  expect(read).toThrow('changes while it is read')
})

interface Watched {
  readonly sync: string[]
  readonly async: string[]
  mostAtATime: number
}

/** Counts the files that are opened below a folder. Each synchronous one takes a while. */
function watchDisk(folder: string, delayMs: number): Watched {
  const watched: Watched = { sync: [], async: [], mostAtATime: 0 }
  const { openSync } = fs
  const { open } = fs.promises
  let atATime = 0
  fs.openSync = (path, ...more) => {
    if (String(path).startsWith(folder)) {
      watched.sync.push(String(path))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs)
    }
    return openSync(path, ...more)
  }
  fs.promises.open = async (path, ...more) => {
    watched.async.push(String(path))
    watched.mostAtATime = Math.max(watched.mostAtATime, ++atATime)
    const handle = await open(path, ...more)
    atATime--
    return handle
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.openSync = openSync
    fs.promises.open = open
    syncBuiltinESMExports()
  })
  return watched
}

test('a slow disk reads several files at a time, each of them once', async () => {
  const root = await tempFolder()
  const paths = Array.from({ length: 40 }, (_, i) => join(root, `${i}.json`))
  for (const [i, path] of paths.entries()) writeFileSync(path, i === 30 ? '{' : `{"key": "text ${i}"}`)
  const storage = new TemporaryStorage(join(root, 'cache'))
  const cacheFolder = join(root, 'cache')
  const options = { keySeparator: '.', encoding: textEncoding, cacheFolder, storage, nameOf: (path: string) => path }
  const { read } = createBuildReader(options)
  const watched = watchDisk(root, 60)
  const readFiles = () => [...watched.sync, ...watched.async].filter((path) => path.endsWith('.json'))
  const found = await read(paths.map((path) => ({ path, namespace: 'common' })))
  expect(watched.sync.length).toBeLessThan(4)
  expect(readFiles().sort()).toEqual([...paths].sort())
  expect(watched.mostAtATime).toBeGreaterThan(8)
  for (const [i, file] of found.entries()) {
    if (i === 30) expect(file?.diagnostics).toMatchObject([{ code: 'FILE_SYNTAX' }])
    else expect(file?.texts?.module?.bytes.toString()).toBe(`export default {"key":"text ${i}"}\n`)
  }
})
