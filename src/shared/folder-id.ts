/**
 * Identifies folders. The same folder can be spelled in many ways, because of letter case, links, short names, drives,
 * shares and mounts.
 */
import { readdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { foldName } from './paths.ts'

/** The folder's absolute path as spelled on disk. A missing folder keeps the given path. */
export function realFolder(folder: string): string {
  try {
    // Only the native function returns the folder's actual letter case, long name and drive.
    const real = realpathSync.native(folder)
    return process.platform === 'linux' ? withLetterCase(real) : real
  } catch {
    return resolve(folder)
  }
}

/**
 * Corrects the letter case, which `realpath` on Linux keeps as given. If a case-insensitive disk is mounted through
 * FUSE, the kernel treats each spelling of a path as a separate file: each has its own cached content and its own
 * locks.
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
    const [found = name, another] = names.filter((other) => foldName(other) === foldName(name))
    return another === undefined ? found : name
  } catch {
    // The folder can be used, but not listed.
    return name
  }
}

/** The type number of FUSE file systems on Linux. On these, a folder's inode number may change. */
const FUSE = 0x65735546

/**
 * An ID that is the same for all spellings of an existing folder on this machine. It consists of the device number and
 * the inode number. If inode numbers are missing or may change, the ID is the real path.
 */
export function folderId(folder: string): string {
  const real = realFolder(folder)
  try {
    const { dev, ino } = statSync(real, { bigint: true })
    // On Windows, some versions of Node return a 64-bit device number, others only its lower 32 bits.
    const isLasting = ino !== 0n && (process.platform !== 'linux' || statfsSync(real).type !== FUSE)
    if (isLasting) return `${BigInt.asUintN(32, dev)}:${ino}`
  } catch {
    // A missing folder is identified by its path.
  }
  return real
}
