import type { ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hashOf } from '../../../src/shared/hash.ts'
import { askToRefresh, createSyncLock } from '../../../src/sync/lock.ts'
import { startProcess, TYPESCRIPT } from '../../helpers/processes.ts'
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

test('other processes ask the holder to refresh, and are told who that is', async () => {
  const root = await tempFolder()
  expect(await askToRefresh(root)).toBeUndefined()
  const onRefresh = vi.fn()
  await lockOf(root, onRefresh).acquire()
  expect(await askToRefresh(root)).toEqual({ pid: process.pid })
  await expect.poll(() => onRefresh.mock.calls.length).toBe(1)
})

test('a holder that never says a word keeps nobody waiting', async () => {
  const root = await tempFolder()
  const child = await holdInChild(root)
  child.kill('SIGSTOP')
  expect(await askToRefresh(root)).toEqual({ pid: 0 })
})

test.runIf(process.platform === 'linux')('a holder that says something else holds it all the same', async () => {
  const root = await tempFolder()
  const server = createServer((socket) => void socket.on('error', () => {}).write('hello\n'))
  await new Promise<void>((ready) => server.listen(`\0localization-sync-${hashOf(realpathSync(root), 32)}`, ready))
  onTestFinished(() => void server.close())
  expect(await lockOf(root).acquire()).toEqual({ pid: 0 })
})

async function holdInChild(root: string): Promise<ChildProcess> {
  const script = resolve(import.meta.dirname, '../../helpers/lock-child.ts')
  const { child, firstLine } = startProcess([...TYPESCRIPT, script, root])
  expect(await firstLine).toBe('held')
  return child
}
