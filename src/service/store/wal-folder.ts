/**
 * Keeps other SQLite programs from a file that the WebAssembly build has open. They do not see its lock, and would
 * delete its write-ahead log (WAL) or write to the file. So a folder stands where SQLite looks for the file's log: it
 * refuses the file to every other program, in reading and in writing. The WebAssembly build has a second name of the
 * file in this folder, and its log beside it.
 */
import { linkSync, lstatSync, mkdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { LocalizationError } from '../../errors.ts'

export interface WalFolder {
  /** The second name of the file. */
  readonly alias: string
  /** Removes the folder, unless it has a log that the file does not hold yet. */
  remove(): void
}

const walOf = (file: string) => `${file}-wal`

/** The folder of a process that was killed, or of one that runs. */
export function hasWalFolder(file: string): boolean {
  return lstatSync(walOf(file), { throwIfNoEntry: false })?.isDirectory() ?? false
}

/**
 * `recover` carries a log that a killed process of another SQLite build left into the file, and removes the log.
 *
 * @throws LocalizationError `SERVICE_LOCKED` when another program has the file open, as far as its files show.
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
    // From here on nobody else can open the file: whoever did it before has left a trace by now.
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
    // Not every file system has hard links.
    symlinkSync(path.join('..', path.basename(file)), alias)
  }
}

/** An open program has one of these files beside the data. The service's own builds have neither. */
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
