/**
 * Identifies folders. The same folder can be spelled in many ways, because of letter case, links, short names, drives,
 * shares and mounts.
 */
import { readdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'

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
 * On Linux, `realpath` keeps the given letter case. If a case-insensitive disk is mounted through FUSE, the system
 * treats each spelling as another file. It caches their contents separately, and a lock on one does not lock the
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

/** The type of FUSE file systems on Linux. They may change a folder's file number. */
const FUSE = 0x65735546

/**
 * An ID that is the same for all spellings of an existing folder on this machine. It consists of the device and file
 * number. If the file system does not keep file numbers, the ID is the real path.
 */
export function folderId(folder: string): string {
  const real = realFolder(folder)
  try {
    const { dev, ino } = statSync(real, { bigint: true })
    // Some versions of Node return 64 bits for the number of a Windows volume, others only the lower 32.
    const isLasting = ino !== 0n && (process.platform !== 'linux' || statfsSync(real).type !== FUSE)
    if (isLasting) return `${BigInt.asUintN(32, dev)}:${ino}`
  } catch {
    // A missing folder is identified by its path.
  }
  return real
}
