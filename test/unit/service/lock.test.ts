/** The lock of a data folder. Between processes and namespaces: `test/faults/row-28-two-services.test.ts`. */
import { mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isHolder, lockFolder, lockReleased } from '../../../src/service/lock/folder-lock.ts'
import { createDatabase } from '../../../src/service/store/sqlite.ts'
import { noLinks, noSockets } from '../../helpers/file-system.ts'
import { tempFolder } from '../../helpers/temp.ts'

const never = new AbortController().signal

async function hold(folder: string) {
  const lock = await lockFolder(folder)
  onTestFinished(() => lock.release())
  lock.settle()
  return lock
}

test('a second holder is refused and told by whom, and the release frees it', async () => {
  const folder = await tempFolder()
  const lock = await hold(folder)
  await expect(lockFolder(folder)).rejects.toMatchObject({
    code: 'SERVICE_LOCKED',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  expect(await isHolder(folder, lock.id)).toBe(true)
  await lock.release()
  expect(await isHolder(folder, lock.id)).toBe(false)
  await (await lockFolder(folder)).release()
  expect(await readdir(folder)).toEqual([])
})

test('of several that start at once, one has it', async () => {
  const folder = await tempFolder()
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, async () => {
      const lock = await lockFolder(folder)
      lock.settle()
      return lock
    }),
  )
  const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  expect(locks).toHaveLength(1)
  await locks[0]?.release()
  expect(await readdir(folder)).toEqual([])
})

test('before it settles, a holder has touched nothing of an earlier one', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'service.json'), '{}')
  const lock = await lockFolder(folder)
  expect(await readdir(folder)).toContain('service.json')
  lock.settle()
  expect(await readdir(folder)).not.toContain('service.json')
  await lock.release()
})

test('a start that fails leaves the announcement of another service', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'service.json'), '{}')
  await (await lockFolder(folder)).release()
  expect(await readdir(folder)).toEqual(['service.json'])
})

test.skipIf(noLinks)('another spelling of the folder is refused', async () => {
  const [folder, outer] = [await tempFolder(), await tempFolder()]
  const link = join(outer, 'link')
  await symlink(folder, link)
  const lock = await hold(folder)
  expect(await isHolder(link, lock.id)).toBe(true)
  await expect(lockFolder(link)).rejects.toMatchObject({ code: 'SERVICE_LOCKED' })
})

test.skipIf(process.platform === 'win32' || noSockets)(
  'a folder whose name is too long for the address of a socket',
  async () => {
    const folder = join(await tempFolder(), 'long '.repeat(30), 'łódź'.repeat(20))
    await mkdir(folder, { recursive: true })
    const lock = await hold(folder)
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'SERVICE_LOCKED' })
    expect((await stat(join(folder, lock.id))).isSocket()).toBe(true)
    const released = lockReleased(folder, never)
    await lock.release()
    await released
  },
)

test.skipIf(process.platform === 'win32' || noSockets)(
  'claims of killed processes are removed, also those that were set aside',
  async () => {
    const folder = await tempFolder()
    const outer = await tempFolder()
    for (const name of ['service.lock.00', '.service.lock.service.lock.01']) {
      // Closing a server removes its file: it is put back as a kill leaves it.
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(join(outer, 'a'), resolve))
      const { renameSync } = await import('node:fs')
      renameSync(join(outer, 'a'), join(folder, name))
      await new Promise((resolve) => server.close(resolve))
    }
    expect(await readdir(folder)).toHaveLength(2)
    const lock = await hold(folder)
    expect(await readdir(folder)).toEqual([lock.id])
  },
)

test('a holder whose claim is gone knows it, and leaves what is there now', async () => {
  const folder = await tempFolder()
  const first = await hold(folder)
  expect(first.isHeld()).toBe(true)
  await rm(join(folder, first.id))
  expect(first.isHeld()).toBe(false)
  await hold(folder)
  const before = (await readdir(folder)).sort()
  await first.release()
  expect((await readdir(folder)).sort()).toEqual(before)
})

test('waiting for the release ends with the signal', async () => {
  const folder = await tempFolder()
  await hold(folder)
  const stop = new AbortController()
  const waiting = lockReleased(folder, stop.signal)
  stop.abort()
  await waiting
})

test('the check before a write is made before every transaction and commit; its error rolls back', async () => {
  const done: string[] = []
  let isLost = false
  const database = createDatabase(
    {
      driver: 'node-sqlite3-wasm',
      exec: (sql) => void done.push(sql),
      prepare: (sql) => ({
        run: () => done.push(sql),
        all: () => [],
        iterate: () => [].values(),
        finalize: () => {},
      }),
      close: () => {},
    },
    () => {
      if (isLost) throw new Error('lost')
    },
  )
  done.length = 0
  const failing = database.transaction(async (tx) => {
    await tx.run('INSERT')
    isLost = true
  })
  await expect(failing).rejects.toThrow('lost')
  expect(done).toEqual(['BEGIN', 'INSERT', 'ROLLBACK'])
  await expect(database.transaction(async () => {})).rejects.toThrow('lost')
  expect(done).toHaveLength(3)
})
