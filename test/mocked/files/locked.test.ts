/** Programs on Windows keep a file locked for a moment after they saved it: simulated, for no other system does. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { FileIndex, type ScanOptions } from '../../../src/files/file-index.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const lock = vi.hoisted(() => ({ path: '', code: '', deniesStat: false, refused: 0, locksWritten: false }))
vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof fs>()
  const refuse = (path: unknown) => {
    if (path !== lock.path) return
    lock.refused++
    throw Object.assign(new Error(`${lock.code}: locked`), { code: lock.code })
  }
  const readFileSync = (...given: Parameters<typeof fs.readFileSync>) => {
    refuse(given[0])
    return real.readFileSync(...given)
  }
  const statSync = (...given: [string, object]) => {
    if (lock.deniesStat) refuse(given[0])
    return real.statSync(...given)
  }
  return { ...real, default: real, readFileSync, statSync }
})

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof fs.promises>()
  const readdir = (...given: Parameters<typeof real.readdir>) =>
    given[0] === lock.path
      ? Promise.reject(Object.assign(new Error('locked'), { code: lock.code }))
      : real.readdir(...given)
  const rename: typeof real.rename = async (from, to) => {
    await real.rename(from, to)
    if (lock.locksWritten) Object.assign(lock, { path: to, code: 'EBUSY' })
  }
  return { ...real, default: real, readdir, rename }
})

afterEach(() => {
  Object.assign(lock, { path: '', deniesStat: false, refused: 0, locksWritten: false })
})

const FILE = 'locales/en/common.json'

async function open(isLocked: boolean, options: ScanOptions = {}) {
  const root = await tempFolder()
  await writeTree(root, { [FILE]: { title: 'old' } })
  const path = join(root, FILE)
  if (isLocked) lock.path = path
  const index = new FileIndex(resolveConfig({ source: 'files' }, { root, ci: false }))
  await index.scan(options)
  onTestFinished(index.follow({ onSnapshot: () => {} }))
  const known = () => index.snapshot.files.get(path)
  const title = () => known()?.content.texts?.messages().get('title')
  const codes = () => known()?.content.findings.map(({ code }) => code)
  return { root, path, index, title, codes }
}

test('a file that is locked right after it was written has the new text', async () => {
  const { index, path, title } = await open(false)
  lock.locksWritten = true
  const files = { index, seen: index.snapshot }
  const part = { language: 'en', namespace: 'common' }
  expect(await index.write(files, part, new Map([['title', 'new']]))).toBe('written')
  expect(lock.path).toBe(path)
  expect([title(), files.seen.text({ ...part, key: 'title' })]).toEqual(['new', 'new'])
})

test.each([
  ['EBUSY', false],
  ['EACCES', false],
  ['EPERM', true],
])('%s: the file is read when it can be, and its texts stay until then', async (code, deniesStat) => {
  const { root, path, index, title, codes } = await open(false)
  await index.watch()
  Object.assign(lock, { path, code, deniesStat })
  await writeTree(root, { [FILE]: { title: 'new' } })
  await expect.poll(codes).toEqual(['FILE_READ'])
  // Its times have been the same for long.
  await expect.poll(() => lock.refused).toBeGreaterThan(4)
  expect(title()).toBe('old')
  // No event of the system tells of it.
  lock.path = ''
  await expect.poll(title).toBe('new')
  expect(codes()).toEqual([])
})

test.each([{}, { isOnDemand: true }])('one that was locked at its first read: %j', async (options) => {
  lock.code = 'EBUSY'
  const { title, codes } = await open(true, options)
  expect(codes()).toEqual(['FILE_READ'])
  lock.path = ''
  await expect.poll(title).toBe('old')
  expect(codes()).toEqual([])
})

test('one that is removed while it is locked is forgotten', async () => {
  lock.code = 'EBUSY'
  const { path, index, codes } = await open(true)
  await index.watch()
  await fs.promises.rm(path)
  lock.path = ''
  await expect.poll(codes).toBeUndefined()
})

test.each([false, true])(
  'a folder: its files stay, and are read when it can be; from the start: %s',
  async (isFirst) => {
    const { root, path, index, title } = await open(false)
    await index.watch()
    Object.assign(lock, { path: dirname(path), code: 'EACCES' })
    if (isFirst) {
      const other = new FileIndex(resolveConfig({ source: 'files' }, { root, ci: false }))
      await other.scan()
      expect([...other.snapshot.files]).toEqual([])
      onTestFinished(other.follow({ onSnapshot: () => {} }))
      lock.path = ''
      await expect.poll(() => other.snapshot.files.size).toBe(1)
      return
    }
    await index.scan()
    expect(title()).toBe('old')
    expect(index.snapshot.listFindings.map(({ code }) => code)).toEqual(['FILE_READ'])
    await writeTree(root, { [FILE]: { title: 'new' }, 'locales/en/more.json': { title: 'More' } })
    lock.path = ''
    await expect.poll(() => index.snapshot.files.size).toBe(2)
    await expect.poll(title).toBe('new')
    expect(index.snapshot.listFindings).toEqual([])
  },
)
