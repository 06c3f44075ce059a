/**
 * Identifies folders. The same folder can be spelled in many ways: letter case, links, short names, drives, shares and
 * mounts.
 */
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** The folder's absolute path as the operating system spells it. For a missing folder, the path as given. */
export function realFolder(folder: string): string {
  try {
    // Only the native function returns the folder's real letter case, long name and drive.
    return realpathSync.native(folder)
  } catch {
    return resolve(folder)
  }
}

/**
 * An ID that is the same for every spelling of an existing folder on this machine: its device and file number, or its
 * real path if the file system has no file numbers.
 */
export function folderId(folder: string): string {
  try {
    const { dev, ino } = statSync(folder, { bigint: true })
    // For a Windows volume's number, some versions of Node return 64 bits and others only the lower 32.
    if (ino !== 0n) return `${BigInt.asUintN(32, dev)}:${ino}`
  } catch {
    // A missing folder is identified by its path.
  }
  return realFolder(folder)
}
