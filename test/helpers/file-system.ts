/** What the file system of temporary folders lacks. A test that needs it is skipped, and the reason is printed. */
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** True in Wine, and in Windows without developer mode. */
export const noLinks = !holds((folder) => {
  symlinkSync(folder, join(folder, 'link'))
  return lstatSync(join(folder, 'link')).isSymbolicLink()
})
if (noLinks) process.stdout.write('skipped: symbolic links (this system refuses to make them)\n')

/** True where `EN.json` and `en.json` are one file: Windows and macOS. */
export const ignoresCase = holds((folder) => {
  writeFileSync(join(folder, 'en'), '')
  return existsSync(join(folder, 'EN'))
})
if (ignoresCase) process.stdout.write('skipped: names that differ in case alone (here they are one file)\n')

/** True on exFAT. Windows has named pipes instead, outside of its disks. */
export const noSockets =
  process.platform !== 'win32' &&
  !holds((folder) => {
    const code = `require('node:net').createServer().listen(process.argv[1], () => process.exit())`
    return spawnSync(process.execPath, ['-e', code, join(folder, 'socket')]).status === 0
  })
if (noSockets) process.stdout.write('skipped: sockets (this file system has none)\n')

function holds(test: (folder: string) => boolean): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'file-system-'))
  try {
    return test(folder)
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
