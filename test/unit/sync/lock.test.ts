import type { ChildProcess } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folderId } from '../../../src/shared/folder-id.ts'
import { hashOf } from '../../../src/shared/hash.ts'
import { createSyncLock, type Lender } from '../../../src/sync/lock.ts'
import { startProcess, TYPESCRIPT } from '../../helpers/processes.ts'
import { noMounts } from '../../helpers/small-disk.ts'
import { tempFolder } from '../../helpers/temp.ts'

function lockOf(root: string, lender?: Lender) {
  const lock = createSyncLock(root, lender)
  onTestFinished(() => lock.release())
  return lock
}

test('one holder; the other is told who, and gets it when it is free', async () => {
  const root = await tempFolder()
  const [first, second] = [lockOf(root), lockOf(root)]
  expect(await first.acquire()).toBe('held')
  expect(await first.acquire()).toBe('held')
  expect(await second.acquire()).toEqual({ pid: process.pid, isCommand: true, lends: false })
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

test.skipIf(noMounts)('a link and a second mount lead to the same lock', async () => {
  const [root, outer, mounted] = [await tempFolder(), await tempFolder(), await tempFolder()]
  await symlink(root, join(outer, 'link'))
  const mount = ['unshare', '-rm', 'sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', root, mounted]
  const child = await holdInChild(mounted, mount)
  expect(await lockOf(join(outer, 'link')).acquire()).toMatchObject({ pid: child.pid })
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
  expect(await lock.acquire()).toMatchObject({ pid: child.pid })
  const free = lock.waitForRelease(new AbortController().signal)
  child.kill('SIGKILL')
  await free
  expect(await lock.acquire()).toBe('held')
})

/** A holder that notes what it is told. */
function lender() {
  const events: string[] = []
  const lend: Lender = async (lendLock) => {
    events.push('stands by')
    const isHeld = await lendLock(never)
    events.push(isHeld ? 'resumes' : 'lost it')
  }
  return { events, lend }
}
const never = new AbortController().signal
const noWait = () => {}

test('a command borrows the lock, and the holder has it again afterwards', async () => {
  const root = await tempFolder()
  const { events, lend } = lender()
  const server = lockOf(root, lend)
  await server.acquire()
  for (let i = 0; i < 3; i++) {
    const command = lockOf(root)
    await command.borrow(never, noWait)
    expect([server.held, command.held]).toEqual([false, true])
    expect(await lockOf(root).acquire()).toMatchObject({ isCommand: true })
    await command.release()
    await expect.poll(() => server.held).toBe(true)
  }
  expect(events).toEqual(Array(3).fill(['stands by', 'resumes']).flat())
})

test('who waits for the holder does not take the lock while it is borrowed', async () => {
  const root = await tempFolder()
  const [server, waiting, command] = [lockOf(root, lender().lend), lockOf(root, lender().lend), lockOf(root)]
  await server.acquire()
  let isFree = false
  const free = waiting.waitForRelease(never).then(() => (isFree = true))
  await command.borrow(never, noWait)
  await command.release()
  await expect.poll(() => server.held).toBe(true)
  expect(isFree).toBe(false)
  await server.release()
  await free
})

test('another process takes the lock behind a command: the holder is told', async () => {
  const root = await tempFolder()
  const { events, lend } = lender()
  const [server, command, third] = [lockOf(root, lend), lockOf(root), lockOf(root, lender().lend)]
  await server.acquire()
  await command.borrow(never, noWait)
  const taken = third.waitForRelease(never).then(() => third.acquire())
  await command.release()
  await taken
  await expect.poll(() => events).toHaveLength(2)
  expect(events[1]).toBe(third.held ? 'lost it' : 'resumes')
  expect(server.held).toBe(!third.held)
})

test('a holder that ends while it stands by leaves the folder to the command', async () => {
  const root = await tempFolder()
  const [server, command] = [lockOf(root, lender().lend), lockOf(root)]
  await server.acquire()
  await command.borrow(never, noWait)
  await server.release()
  expect(command.held).toBe(true)
})

test.skipIf(process.platform === 'win32')(
  'a suspended holder is named as the cause, and nothing is taken',
  async () => {
    const root = await tempFolder()
    const child = await holdInChild(root)
    child.kill('SIGSTOP')
    await expect(lockOf(root).borrow(never, noWait)).rejects.toMatchObject({ code: 'SYNC_HELD' })
  },
)

test('a command waits for another command, and ends with its signal', async () => {
  const root = await tempFolder()
  const child = await holdInChild(root)
  const ending = new AbortController()
  const waits: unknown[] = []
  const stopped = lockOf(root).borrow(ending.signal, (owner) => waits.push(owner.pid))
  await expect.poll(() => waits).toEqual([child.pid])
  ending.abort(new Error('enough'))
  await expect(stopped).rejects.toThrow('enough')
  const next = lockOf(root)
  const borrowed = next.borrow(never, noWait)
  child.kill('SIGKILL')
  await borrowed
  expect(next.held).toBe(true)
})

test.runIf(process.platform === 'linux')('a holder that says something else holds it all the same', async () => {
  const root = await tempFolder()
  const server = createServer((socket) => void socket.on('error', () => {}).write('hello\n'))
  await new Promise<void>((ready) => server.listen(`\0localization-sync-${hashOf(folderId(root), 16)}`, ready))
  onTestFinished(() => void server.close())
  expect(await lockOf(root).acquire()).toEqual({ pid: 0 })
})

test('commands whose only work is the wait go on when their turn comes', async () => {
  const root = await tempFolder()
  const first = await holdInChild(root)
  const script = resolve(import.meta.dirname, '../../helpers/lock-child.ts')
  const others = []
  for (let i = 0; i < 2; i++) {
    const running = startProcess([...TYPESCRIPT, script, root])
    expect(await running.firstLine).toBe('waiting')
    others.push(running)
  }
  // The other one waits again, now for the process that was faster, and may say so first.
  const held = others.map(
    ({ child }) =>
      new Promise((ready) => child.stdout?.on('data', (text) => String(text).includes('held') && ready(child.pid))),
  )
  first.kill()
  expect(others.map(({ child }) => child.pid)).toContain(await Promise.race(held))
  for (const { child } of others) child.kill()
})

async function holdInChild(root: string, before: readonly string[] = []): Promise<ChildProcess> {
  const script = resolve(import.meta.dirname, '../../helpers/lock-child.ts')
  const { child, firstLine } = startProcess([...before, ...TYPESCRIPT, script, root])
  expect(await firstLine).toBe('held')
  return child
}
