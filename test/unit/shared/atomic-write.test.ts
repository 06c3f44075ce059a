import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { sweepTemporaries, writeFileAtomic, writeIfChanged } from '../../../src/shared/atomic-write.ts'
import { noLinks } from '../../helpers/file-system.ts'
import { tempFolder } from '../../helpers/temp.ts'

let folder: string
beforeEach(async () => {
  folder = await tempFolder()
})
afterEach(() => chmod(folder, 0o755))
const at = (name: string) => join(folder, name)

describe('writing', () => {
  test('new and old files, missing folders, no temporary left', async () => {
    await writeFileAtomic(at('a/b/c.json'), 'one')
    await writeFileAtomic(at('a/b/c.json'), Buffer.from('two ü'))
    expect(await readFile(at('a/b/c.json'), 'utf8')).toBe('two ü')
    expect(await readdir(at('a/b'))).toEqual(['c.json'])
  })

  test.skipIf(process.platform === 'win32')('permissions stay; a new file takes those given', async () => {
    await writeFile(at('a'), 'x')
    await chmod(at('a'), 0o640)
    await writeFileAtomic(at('a'), 'y', { mode: 0o600 })
    expect((await stat(at('a'))).mode & 0o777).toBe(0o640)
    await writeFileAtomic(at('b'), 'y', { mode: 0o600 })
    expect((await stat(at('b'))).mode & 0o777).toBe(0o600)
  })

  test.skipIf(process.getuid?.() !== 0)('root leaves the file to its owner', async () => {
    await writeFile(at('a'), 'x')
    await chown(at('a'), 1234, 5678)
    await writeFileAtomic(at('a'), 'y')
    expect(await stat(at('a'))).toMatchObject({ uid: 1234, gid: 5678 })
  })

  test.skipIf(noLinks)('a symbolic link stays one; its target is replaced', async () => {
    await mkdir(at('real'))
    await writeFile(at('real/a'), 'x')
    await symlink(at('real/a'), at('link'))
    await writeFileAtomic(at('link'), 'y')
    expect((await lstat(at('link'))).isSymbolicLink()).toBe(true)
    expect(await readlink(at('link'))).toBe(at('real/a'))
    expect(await readFile(at('real/a'), 'utf8')).toBe('y')
  })

  test('many at once: one of them as a whole', async () => {
    const contents = Array.from({ length: 20 }, (_, i) => String(i).repeat(100_000))
    await Promise.all(contents.map((content) => writeFileAtomic(at('a'), content, { durable: false })))
    expect(contents).toContain(await readFile(at('a'), 'utf8'))
    expect(await readdir(folder)).toEqual(['a'])
  })

  test('a name of as many bytes as a file system takes', async () => {
    const name = `${'表'.repeat(83)}.json`
    await writeFileAtomic(at(name), 'x')
    expect(await readdir(folder)).toEqual([name])
  })

  test('the same content is not written again', async () => {
    expect(await writeIfChanged(at('a'), 'x')).toBe(true)
    const before = await stat(at('a'))
    expect(await writeIfChanged(at('a'), 'x')).toBe(false)
    expect((await stat(at('a'))).ino).toBe(before.ino)
    expect(await writeIfChanged(at('a'), 'y')).toBe(true)
    expect(await readFile(at('a'), 'utf8')).toBe('y')
  })
})

describe('failing', () => {
  test('a target that is a folder: FILE_WRITE, nothing left over', async () => {
    await mkdir(at('a/b'), { recursive: true })
    await expect(writeFileAtomic(at('a'), 'x')).rejects.toMatchObject({ code: 'FILE_WRITE', place: { file: at('a') } })
    expect(await readdir(folder)).toEqual(['a'])
  })

  test.skipIf(process.getuid?.() === 0)('a read-only file or folder: as it was', async () => {
    await writeFile(at('a'), 'old', { mode: 0o444 })
    await expect(writeFileAtomic(at('a'), 'new')).rejects.toMatchObject({ code: 'FILE_WRITE' })
    // Windows has no read-only folders.
    if (process.platform !== 'win32') {
      await chmod(folder, 0o555)
      await expect(writeFileAtomic(at('b'), 'new')).rejects.toThrow(/read-only/)
      await chmod(folder, 0o755)
    }
    expect(await readFile(at('a'), 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['a'])
  })

  const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0
  if (!canMount) process.stdout.write('skipped: full and read-only disks (no mount allowed here)\n')

  /** Runs a script with the module loaded, on a small disk mounted at `folder`. */
  const onSmallDisk = (script: string, options = 'size=64k'): string => {
    const source = resolve(import.meta.dirname, '../../../src/shared/atomic-write.ts')
    const program = `
      const { createJiti } = await import(${JSON.stringify(import.meta.resolve('jiti'))})
      const { writeFileAtomic } = await createJiti(${JSON.stringify(source)}, { fsCache: false }).import(${JSON.stringify(source)})
      const fs = await import('node:fs')
      const folder = ${JSON.stringify(folder)}
      ${script}`
    return execFileSync(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        'mount -t tmpfs -o "$1" tmpfs "$2" && exec "$3" --input-type=module -e "$4"',
        'sh',
        options,
        folder,
        process.execPath,
        program,
      ],
      { encoding: 'utf8' },
    )
  }

  test.skipIf(!canMount)('a full disk: the old bytes, no temporary', () => {
    const answer = onSmallDisk(`
      fs.writeFileSync(folder + '/a', 'old'.repeat(10_000))
      const error = await writeFileAtomic(folder + '/a', 'new'.repeat(20_000)).catch((error) => error)
      const same = fs.readFileSync(folder + '/a', 'utf8') === 'old'.repeat(10_000)
      console.log(JSON.stringify([error.code, error.cause.code, error.message.includes('Free some space'), same, fs.readdirSync(folder)]))`)
    expect(JSON.parse(answer)).toEqual(['FILE_WRITE', 'ENOSPC', true, true, ['a']])
  })

  test.skipIf(!canMount)('a read-only disk: FILE_WRITE', () => {
    const answer = onSmallDisk(
      `const error = await writeFileAtomic(folder + '/a', 'x').catch((error) => error)
      console.log(JSON.stringify([error.code, error.cause.code, fs.readdirSync(folder)]))`,
      'size=64k,ro',
    )
    expect(JSON.parse(answer)).toEqual(['FILE_WRITE', 'EROFS', []])
  })
})

test.each([
  [0o444, 'The file is read-only.'],
  [0o644, 'Another program has the file open.'],
])('Windows answers EPERM for mode %o: %s', async (mode, hint) => {
  const { platform } = process
  onTestFinished(() => {
    Object.defineProperty(process, 'platform', { value: platform })
  })
  await writeFile(at('a'), 'x', { mode })
  await chmod(at('a'), mode)
  Object.defineProperty(process, 'platform', { value: 'win32' })
  const confirm = () => Promise.reject(Object.assign(new Error('no'), { code: 'EPERM' }))
  await expect(writeFileAtomic(at('a'), 'y', { confirm })).rejects.toMatchObject({ code: 'FILE_WRITE', hint })
})

test('left-over temporaries are swept, those of living processes and other files are not', async () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  const names = [
    `.a.json.${dead}.0123456789ab.tmp`,
    `.a.json.${process.pid}.0123456789ab.tmp`,
    `.a.json.${dead}.tmp`,
    'a.json',
  ]
  for (const name of names) await writeFile(at(name), 'x')
  await sweepTemporaries(folder)
  expect((await readdir(folder)).sort()).toEqual(names.slice(1).sort())
  await sweepTemporaries(at('absent'))
})
