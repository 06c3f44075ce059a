/** Windows refuses to rename while somebody has the file open: simulated, for no other system does. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeFileAtomic } from '../../../src/shared/atomic-write.ts'
import { Journal } from '../../../src/sync/journal.ts'
import { tempFolder } from '../../helpers/temp.ts'

const refusals = vi.hoisted(() => ({ left: 0, code: '', seen: 0 }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>()
  const rename: typeof real.rename = async (from, to) => {
    refusals.seen++
    if (refusals.left-- > 0) throw Object.assign(new Error(`${refusals.code}: rename`), { code: refusals.code })
    return real.rename(from, to)
  }
  return { ...real, rename }
})

let folder: string
let path: string
const platform = process.platform
const pretend = (value: string) => Object.defineProperty(process, 'platform', { value })
const refuse = (left: number, code: string) => Object.assign(refusals, { left, code, seen: 0 })
beforeEach(async () => {
  folder = await tempFolder()
  path = join(folder, 'a.json')
  await writeFile(path, 'old')
})
afterEach(() => {
  pretend(platform)
  refuse(0, '')
})

test.each(['EPERM', 'EACCES', 'EBUSY'])('%s that passes: written after all', async (code) => {
  pretend('win32')
  refuse(3, code)
  await writeFileAtomic(path, 'new')
  expect(refusals.seen).toBe(4)
  expect(await readFile(path, 'utf8')).toBe('new')
  expect(await readdir(folder)).toEqual(['a.json'])
})

test('one that does not pass: FILE_WRITE that says why, the file as it was, no temporary', async () => {
  pretend('win32')
  refuse(Number.POSITIVE_INFINITY, 'EPERM')
  const error = writeFileAtomic(path, 'new')
  await expect(error).rejects.toMatchObject({ code: 'FILE_WRITE', hint: 'Another program has the file open.' })
  expect(refusals.seen).toBeGreaterThan(3)
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['a.json'])
})

test.each([
  ['win32', 'ENOSPC'],
  ['linux', 'EPERM'],
  ['darwin', 'EACCES'],
])('on %s, %s is told at once', async (system, code) => {
  pretend(system)
  refuse(1, code)
  await expect(writeFileAtomic(path, 'new')).rejects.toMatchObject({ code: 'FILE_WRITE' })
  expect(refusals.seen).toBe(1)
  expect(await readFile(path, 'utf8')).toBe('old')
})

test('a journal that another program has open is written anew all the same', async () => {
  const warnings: string[] = []
  const journal = new Journal(
    path,
    'own',
    () => ['one'],
    (message) => warnings.push(message),
  )
  pretend('win32')
  refuse(2, 'EBUSY')
  // What is of no journal is set aside under another name.
  await writeFile(path, 'another\n')
  await journal.load(() => {})
  refuse(2, 'EPERM')
  await journal.rewrite()
  await journal.close()
  expect(warnings).toEqual([`${path}.old was not written by this package, so it is ignored`])
  expect(await readFile(path, 'utf8')).toMatch(/"one"\n$/)
  expect(await readFile(`${path}.old`, 'utf8')).toBe('another\n')
})
