/**
 * Protects a file that the WebAssembly build has open. Other SQLite programs do not see its lock, and would delete its
 * write-ahead log (WAL) or write to the file. A folder at the path of the file's log makes them fail to read or write.
 * This build opens a second name of the file in that folder, with its log beside it.
 */
import { linkSync, lstatSync, mkdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { LocalizationError } from '../../errors.ts'

export interface WalFolder {
  /** The second name of the file. */
  readonly alias: string
  /** Removes the folder, unless it contains a log that is not in the file yet. */
  remove(): void
}

const walOf = (file: string) => `${file}-wal`

/** True if a process that runs, or was killed, created the folder. */
export function hasWalFolder(file: string): boolean {
  return lstatSync(walOf(file), { throwIfNoEntry: false })?.isDirectory() ?? false
}

/**
 * `recover` copies the log of a killed process with another SQLite build into the file, and removes the log.
 *
 * @throws LocalizationError `SERVICE_LOCKED` when the files of SQLite show that another program has the database open.
 */
export function makeWalFolder(file: string, recover: () => void): WalFolder {
  const folder = walOf(file)
  const alias = path.join(folder, 'data')
  if (!hasWalFolder(file)) {
    checkUnused(file)
    if (lstatSync(folder, { throwIfNoEntry: false })) recover()
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(file, folder) : error
    }
  }
  const removeAlias = () => {
    rmSync(alias, { force: true })
    rmSync(`${alias}.lock`, { recursive: true, force: true })
  }
  const remove = () => {
    removeAlias()
    try {
      rmdirSync(folder)
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  try {
    // From here on no other program can open the file, and programs that have it open have left their files beside it.
    checkUnused(file)
    removeAlias()
    giveSecondName(file, alias)
  } catch (error) {
    remove()
    throw error
  }
  return { alias, remove }
}

function giveSecondName(file: string, alias: string): void {
  try {
    linkSync(file, alias)
  } catch {
    // Some file systems do not support hard links.
    symlinkSync(path.join('..', path.basename(file)), alias)
  }
}

/** Another program that has the file open creates one of these files. The service's own builds do not. */
function checkUnused(file: string): void {
  for (const trace of [`${file}-shm`, `${file}-journal`]) {
    if (lstatSync(trace, { throwIfNoEntry: false })) throw inUse(file, trace)
  }
}

function inUse(file: string, trace: string): LocalizationError {
  return new LocalizationError(`the data in ${file} is in use by another program: it has the file ${trace}`, {
    code: 'SERVICE_LOCKED',
    hint: 'Close that program. If it was killed, open the data with it once more and close it, or use Node 22.13 or later.',
  })
}
