/** One folder under many names. Two mounts: `test/unit/sync/lock.test.ts`; ten spellings in Windows: `test/windows`. */
import { mkdir, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test, vi } from 'vitest'
import { folderId, realFolder } from '../../../src/shared/folder-id.ts'
import { ignoresCase, noLinks } from '../../helpers/file-system.ts'
import { tempFolder } from '../../helpers/temp.ts'

const disk = vi.hoisted(() => ({ hasNumbers: true, has64Bits: false, isFuse: false }))
vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs')>()
  const statSync = (path: string, options: { bigint: true }) => {
    const { dev, ino } = real.statSync(path, options)
    return { dev: disk.has64Bits ? dev + (7n << 32n) : dev, ino: disk.hasNumbers ? ino : 0n }
  }
  const statfsSync = (path: string) => ({ type: disk.isFuse ? 0x65735546 : real.statfsSync(path).type })
  return { ...real, default: real, statSync, statfsSync }
})

async function spellings(): Promise<readonly string[]> {
  const folder = await tempFolder()
  const [real, link] = [join(folder, 'real'), join(folder, 'link')]
  await mkdir(join(real, 'inner'), { recursive: true })
  await symlink(real, link)
  return [real, link, join(real, '/'), `${real}/inner/..`, join(link, '.'), relative(process.cwd(), real)]
}

test.skipIf(noLinks).each([true, false])(
  'each spelling of a folder has one id, with file numbers: %s',
  async (hasNumbers) => {
    disk.hasNumbers = hasNumbers
    const [names, others] = [await spellings(), await spellings()]
    expect(new Set(names.map(folderId)).size).toBe(1)
    expect(new Set(names.map(realFolder)).size).toBe(1)
    expect(folderId(names[0] as string)).not.toBe(folderId(others[0] as string))
    disk.hasNumbers = true
  },
)

test.runIf(ignoresCase)('another letter case has the same id, and the path that the disk lists', async () => {
  const [outer, name] = [await tempFolder(), 'Łódź data']
  await mkdir(join(outer, name))
  const folder = realFolder(join(outer, name))
  expect(basename(folder)).toBe(name)
  for (const other of [name.toUpperCase(), name.toLowerCase(), 'łÓDŹ Data']) {
    expect(realFolder(join(outer, other))).toBe(folder)
    expect(folderId(join(outer, other))).toBe(folderId(folder))
  }
})

test('a Windows volume has one number in each version of Node', async () => {
  const folder = await tempFolder()
  const id = folderId(folder)
  disk.has64Bits = true
  expect(folderId(folder)).toBe(id)
  disk.has64Bits = false
})

test.runIf(process.platform === 'linux')(
  'on a disk mounted through FUSE, whose file numbers may change, a folder has its path',
  async () => {
    const folder = await tempFolder()
    disk.isFuse = true
    expect(folderId(join(folder, '.'))).toBe(realFolder(folder))
    disk.isFuse = false
  },
)

test('a missing folder has its path', async () => {
  const folder = join(await tempFolder(), 'missing')
  expect(folderId(folder)).toBe(folder)
  expect(realFolder(join(dirname(folder), '.', basename(folder)))).toBe(folder)
})
