import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hashOf } from '../../../src/shared/hash.ts'
import { createSyncLock, findSyncHolder, tellSyncHolder } from '../../../src/sync/lock.ts'
import { tempFolder } from '../../helpers/temp.ts'

function lockOf(root: string, onCommand?: Parameters<typeof createSyncLock>[1]) {
  const lock = createSyncLock(root, onCommand)
  onTestFinished(() => lock.release())
  return lock
}

test('one holder; the other is told who, and gets it when it is free', async () => {
  const root = await tempFolder()
  const [first, second] = [lockOf(root), lockOf(root)]
  expect(await first.acquire()).toBe('held')
  expect(await first.acquire()).toBe('held')
  expect(await second.acquire()).toEqual({ pid: process.pid })
  expect([first.held, second.held]).toEqual([true, false])
  const free = second.waitForRelease(new AbortController().signal)
  await first.release()
  await free
  expect(await second.acquire()).toBe('held')
})

test('folders do not share a lock', async () => {
  expect(await lockOf(await tempFolder()).acquire()).toBe('held')
  expect(await lockOf(await tempFolder()).acquire()).toBe('held')
})

test('waiting ends with its signal', async () => {
  const root = await tempFolder()
  await lockOf(root).acquire()
  const ending = new AbortController()
  const waiting = lockOf(root).waitForRelease(ending.signal)
  ending.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

test('kill -9 frees it at once', async () => {
  const root = await tempFolder()
  const child = await holdInChild(root)
  const lock = lockOf(root)
  expect(await lock.acquire()).toEqual({ pid: child.pid })
  const free = lock.waitForRelease(new AbortController().signal)
  child.kill('SIGKILL')
  await free
  expect(await lock.acquire()).toBe('held')
})

test('a suspended holder keeps it', async () => {
  const root = await tempFolder()
  const child = await holdInChild(root)
  child.kill('SIGSTOP')
  expect(await lockOf(root).acquire()).toEqual({ pid: 0 })
})

test('other processes find the holder and can ask it to refresh', async () => {
  const root = await tempFolder()
  expect(await findSyncHolder(root)).toBeUndefined()
  expect(await tellSyncHolder(root, 'refresh')).toBe(false)
  const onCommand = vi.fn()
  await lockOf(root, onCommand).acquire()
  expect(await findSyncHolder(root)).toEqual({ pid: process.pid })
  expect(await tellSyncHolder(root, 'refresh')).toBe(true)
  await vi.waitFor(() => expect(onCommand).toHaveBeenCalledWith('refresh', undefined))
})

test('whoever tells something waits until it is taken in, and no longer than the holder lives', async () => {
  const root = await tempFolder()
  const asked: unknown[] = []
  let takeIn = () => {}
  const taking = new Promise<void>((resolve) => {
    takeIn = resolve
  })
  const lock = lockOf(root, (command, agreed) => {
    asked.push([command, agreed])
    return asked.length === 1 ? taking : new Promise(() => {})
  })
  await lock.acquire()
  const name = 'a1'.repeat(16)
  const done = vi.fn()
  const told = tellSyncHolder(root, 'refresh', name).then(done)
  await vi.waitFor(() => expect(asked).toEqual([['refresh', name]]))
  expect(await findSyncHolder(root)).toEqual({ pid: process.pid })
  expect(done).not.toHaveBeenCalled()
  takeIn()
  await told
  expect(done).toHaveBeenCalledWith(true)

  const other = tellSyncHolder(root, 'refresh')
  await vi.waitFor(() =>
    expect(asked).toEqual([
      ['refresh', name],
      ['refresh', undefined],
    ]),
  )
  await lock.release()
  expect(await other).toBe(true)
})

test('a holder that fails at it, or never says a word, keeps nobody waiting', async () => {
  const root = await tempFolder()
  const lock = lockOf(root, () => Promise.reject(new Error('no')))
  await lock.acquire()
  expect(await tellSyncHolder(root, 'refresh')).toBe(true)
  await lock.release()
  const child = await holdInChild(root)
  child.kill('SIGSTOP')
  const startedAt = performance.now()
  await tellSyncHolder(root, 'refresh')
  expect(performance.now() - startedAt).toBeLessThan(9_000)
})

test.runIf(process.platform === 'linux')(
  'holders of versions before are told as they expect it, and not waited for',
  async () => {
    const root = await tempFolder()
    const received: string[] = []
    const server = createServer((socket) => {
      socket.setEncoding('utf8').on('data', (text: string) => received.push(text))
      socket.write('{"pid":7}\n')
    })
    await new Promise<void>((ready) => server.listen(`\0localization-sync-${hashOf(realpathSync(root), 32)}`, ready))
    onTestFinished(() => void server.close())
    const startedAt = performance.now()
    expect(await tellSyncHolder(root, 'refresh', 'b2'.repeat(16))).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(9_000)
    expect(received.join('')).toMatch(/refresh\n$/)
  },
)

async function holdInChild(root: string): Promise<ChildProcess> {
  const script = resolve(import.meta.dirname, '../../helpers/lock-child.ts')
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise<void>((ready) => child.stdout?.on('data', (text) => String(text) === 'held' && ready()))
  return child
}
