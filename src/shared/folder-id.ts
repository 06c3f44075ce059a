/** Identifies folders. One folder has many spellings: letter case, links, short names, drives, shares and mounts. */
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** The folder's absolute path as the system spells it. A missing folder keeps the given spelling. */
export function realFolder(folder: string): string {
  try {
    // Only the native function finds the letter case, the long name and the drive that a folder really has.
    return realpathSync.native(folder)
  } catch {
    return resolve(folder)
  }
}

/**
 * An id that every spelling of an existing folder has in common, on this machine: its device and its file number, or
 * its real path where the file system has no file numbers.
 */
export function folderId(folder: string): string {
  try {
    const { dev, ino } = statSync(folder, { bigint: true })
    // Some versions of Node return 64 bits of a Windows volume's number, others the lower 32.
    if (ino !== 0n) return `${BigInt.asUintN(32, dev)}:${ino}`
  } catch {
    // A missing folder has only its path.
  }
  return realFolder(folder)
}
