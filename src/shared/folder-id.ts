/**
 * Identifies folders. The same folder can be spelled in many ways: letter case, links, short names, drives, shares and
 * mounts.
 */
import { readdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'

/** The folder's absolute path as the disk spells it. For a missing folder, the path as given. */
export function realFolder(folder: string): string {
  try {
    // Only the native function returns the folder's real letter case, long name and drive.
    const real = realpathSync.native(folder)
    return process.platform === 'linux' ? withLetterCase(real) : real
  } catch {
    return resolve(folder)
  }
}

/**
 * On Linux, `realpath` keeps the given letter case. On a disk that ignores case and is mounted through FUSE, the system
 * treats each spelling as another file: it caches their contents separately, and a lock on one does not lock the
 * others.
 */
function withLetterCase(folder: string): string {
  const { dir, base } = parse(folder)
  if (base === '') return folder
  const parent = withLetterCase(dir)
  return join(parent, listedName(parent, base))
}

function listedName(parent: string, name: string): string {
  try {
    const names = readdirSync(parent)
    if (names.includes(name)) return name
    const [found = name, another] = names.filter((other) => ignoringCase(other) === ignoringCase(name))
    return another === undefined ? found : name
  } catch {
    // The folder can be used, but not listed.
    return name
  }
}

function ignoringCase(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/**
 * The type of every file system that is mounted through FUSE on Linux. It may give a folder another file number later.
 */
const FUSE = 0x65735546

/**
 * An ID that is the same for every spelling of an existing folder on this machine: its device and file number, or its
 * real path if the file system has no lasting file numbers.
 */
export function folderId(folder: string): string {
  const real = realFolder(folder)
  try {
    const { dev, ino } = statSync(real, { bigint: true })
    // For a Windows volume's number, some versions of Node return 64 bits and others only the lower 32.
    const isLasting = ino !== 0n && (process.platform !== 'linux' || statfsSync(real).type !== FUSE)
    if (isLasting) return `${BigInt.asUintN(32, dev)}:${ino}`
  } catch {
    // A missing folder is identified by its path.
  }
  return real
}
