/** The lock where sockets are files (macOS): simulated, because Linux and Windows use other sockets. */
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createSyncLock, takeLock } from '../../../src/sync/lock.ts'
import { noSockets } from '../../helpers/file-system.ts'
import { tempFolder } from '../../helpers/temp.ts'

const gate = vi.hoisted(() => ({ hold: undefined as ((path: string) => Promise<void>) | undefined, looks: 0 }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>()
  const held: typeof real.rm = async (path, options) => {
    if (String(path).endsWith('.sock')) await gate.hold?.(String(path))
    return real.rm(path, options)
  }
  const counted = (...given: Parameters<typeof real.readdir>) => {
    gate.looks++
    return real.readdir(...given)
  }
  return { ...real, rm: held, readdir: counted }
})

const platform = process.platform
const pretend = (value: string) => Object.defineProperty(process, 'platform', { value })
let sockets: string
beforeEach(async () => {
  sockets = await tempFolder()
  vi.stubEnv('TMPDIR', sockets)
  pretend('darwin')
})
afterEach(() => {
  pretend(platform)
  vi.unstubAllEnvs()
  gate.hold = undefined
})

/** The sockets and claims. */
const lockFiles = async () => (await readdir(sockets)).filter((name) => name.startsWith('localization-sync-'))
const never = new AbortController().signal

function lockOf(root: string) {
  const lock = createSyncLock(root)
  onTestFinished(() => lock.release())
  return lock
}

/** Leaves the socket file of a process that was killed. */
async function leaveDead(root: string): Promise<void> {
  const lock = createSyncLock(root)
  await lock.acquire()
  const [name] = await lockFiles()
  const path = join(sockets, name as string)
  await lock.release()
  const dead = join(sockets, 'dead')
  const server = createServer()
  await new Promise<void>((ready) => server.listen(path, ready))
  await link(path, dead)
  await new Promise<void>((closed) => server.close(() => closed()))
  await rename(dead, path)
}

test.skipIf(noSockets)('between the look at a dead file and its removal, no other process gets the lock', async () => {
  const root = await tempFolder()
  await leaveDead(root)
  const [first, second] = [lockOf(root), lockOf(root)]
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<string>((resolve) => {
    gate.hold = (path) => {
      gate.hold = undefined
      resolve(path)
      return opened
    }
  })
  const taking = first.acquire()
  // Another process has just removed the file.
  await rm(await reached)
  let isOver = false
  gate.looks = 0
  const other = second.acquire().finally(() => {
    isOver = true
  })
  await expect.poll(() => isOver || gate.looks > 2).toBe(true)
  open()
  await Promise.all([taking, other])
  expect([first.held, second.held]).toEqual([true, false])
})

test.skipIf(noSockets)('of several that find a dead file at once, one after the other has the lock', async () => {
  const root = await tempFolder()
  await leaveDead(root)
  let holders = 0
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const lock = await takeLock(root, never)
      expect(++holders).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      holders--
      await lock.release()
    }),
  )
  expect(await lockFiles()).toEqual([])
})

test('in a temporary folder with a long path, the socket has a path that fits', async () => {
  vi.stubEnv('TMPDIR', join(sockets, 'x'.repeat(100)))
  await mkdir(join(sockets, 'x'.repeat(100)))
  const root = await tempFolder()
  expect(await lockOf(root).acquire()).toBe('held')
  // Node cuts off what is too long, so the socket would be here under another name.
  expect(await readdir(sockets)).toEqual(['x'.repeat(100)])
  expect(await lockOf(root).acquire()).toMatchObject({ pid: process.pid })
})
