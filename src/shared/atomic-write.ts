/**
 * Writes files atomically. Readers see either the old or the new content, and a failure leaves the old one. Use
 * `editFile` if the new content depends on the old content.
 */

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { access, constants, mkdir, open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalizationError, messageOf } from '../errors.ts'

export interface AtomicWriteOptions {
  /** The permissions of a new file; existing files keep theirs. Default: 0o666 minus the umask. */
  readonly mode?: number
  /**
   * Flushes the content and the rename to disk before resolving. Default true. Use false for files that can be
   * regenerated.
   */
  readonly durable?: boolean
  /** Called just before the new content replaces the file. If it throws, the file is not replaced. */
  readonly confirm?: () => Promise<void>
}

/**
 * Matches the name of a temporary file. The group is the ID of the process that wrote it. Because of the leading dot,
 * code that lists translation files skips it.
 */
const TEMPORARY = /^\..+\.(\d+)\.[0-9a-f]{12}\.tmp$/

/**
 * Writes and flushes a temporary file in the same folder, then renames it over the file. Creates missing folders. A
 * symbolic link's target is replaced, not the link. Throws FILE_WRITE with the cause, and leaves the file unchanged.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  { mode, durable = true, confirm }: AtomicWriteOptions = {},
): Promise<void> {
  let temporary: string | undefined
  try {
    const target = await realpath(path).catch(() => path)
    const folder = dirname(target)
    if (await mkdir(folder, { recursive: true })) ignoreInGit(folder)
    const known = await stat(target).catch(() => undefined)
    // A rename would replace the file even if it is read-only.
    if (known) await access(target, constants.W_OK)
    const name = join(folder, `.${basename(target).slice(0, 60)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`)
    const handle = await open(name, 'wx', mode ?? 0o666)
    temporary = name
    try {
      await handle.writeFile(content)
      // Root, for example in a container, may write a file of another user, which must stay theirs.
      if (known) await handle.chown(known.uid, known.gid).catch(() => undefined)
      if (known) await handle.chmod(known.mode & 0o7777)
      else if (mode !== undefined) await handle.chmod(mode)
      if (durable) await handle.sync()
    } finally {
      await handle.close()
    }
    await confirm?.()
    await renameOver(name, target)
    temporary = undefined
    if (durable) await syncFolder(folder)
  } catch (cause) {
    if (temporary !== undefined) await unlink(temporary).catch(() => undefined)
    throw await writeFailure(path, cause)
  }
}

/**
 * Writes the content that `edit` returns for the current content (`undefined` if there is no file). If another program
 * saves the file in the meantime, `edit` is called again with what it saved. Returns true if the file was written, and
 * false if `edit` returned `undefined` or the same content. Throws FILE_WRITE and the errors of `edit`.
 */
export async function editFile(
  path: string,
  edit: (current: Buffer | undefined) => string | Uint8Array | undefined,
  options?: Omit<AtomicWriteOptions, 'confirm'>,
): Promise<boolean> {
  for (;;) {
    let before: Buffer | undefined
    try {
      before = readIfPresent(path)
    } catch (cause) {
      throw await writeFailure(path, cause)
    }
    const after = edit(before)
    if (after === undefined || before?.equals(Buffer.from(after))) return false
    let isSame = true
    const confirm = async () => {
      const now = readIfPresent(path)
      isSame = now === undefined || before === undefined ? now === before : now.equals(before)
      if (!isSame) throw new Error('another program saved the file in the meantime')
    }
    try {
      await writeFileAtomic(path, after, { ...options, confirm })
      return true
    } catch (error) {
      if (isSame) throw error
    }
  }
}

/** Synchronous, so that the rename follows the last reading immediately. */
function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}

/**
 * Adds a `.gitignore` to the `.localization` folder that contains the new folder, if there is none yet. The folder
 * contains secrets, local data and caches, which do not belong in a repository.
 */
export function ignoreInGit(newFolder: string): void {
  const names = newFolder.split(sep)
  const at = names.lastIndexOf('.localization')
  if (at < 0) return
  try {
    writeFileSync(join(names.slice(0, at + 1).join(sep), '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // The file already exists, or the folder is read-only, which the next write reports.
  }
}

/** Returns true if the content differed and was written. Throws FILE_WRITE. */
export function writeIfChanged(
  path: string,
  content: string,
  options?: { readonly durable: boolean },
): Promise<boolean> {
  return editFile(path, () => content, options)
}

/** Removes temporary files of processes that have exited. Ignores errors, and folders that cannot be read. */
export async function sweepTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = TEMPORARY.exec(name)?.[1]
    if (owner !== undefined && !isRunning(Number(owner))) await unlink(join(folder, name)).catch(() => undefined)
  }
}

/**
 * Makes the rename durable. Ignores errors, because Windows and some network disks cannot flush a folder, and the file
 * itself was already flushed.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (!handle) return
  await handle.sync().catch(() => undefined)
  await handle.close()
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function writeFailure(path: string, cause: unknown): Promise<LocalizationError> {
  return new LocalizationError(`cannot write the file (left unchanged): ${messageOf(cause)}`, {
    code: 'FILE_WRITE',
    place: { file: path },
    hint: await hintFor(path, (cause as NodeJS.ErrnoException).code),
    cause,
  })
}

async function hintFor(path: string, code: string | undefined): Promise<string | undefined> {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full. Free some space and try again.'
  // Windows returns EPERM both for read-only files and for files in use.
  if (process.platform === 'win32' && (code === 'EPERM' || code === 'EBUSY'))
    return (await isReadOnly(path)) ? 'The file is read-only.' : 'Another program has the file open.'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'The file or its folder is read-only.'
  return undefined
}

async function isReadOnly(path: string): Promise<boolean> {
  const mode = await stat(path).then(
    (found) => found.mode,
    () => 0o200,
  )
  return (mode & 0o200) === 0
}

/**
 * On Windows, these errors occur while another program has one of the files open. On other systems, they are permanent.
 */
const PASSING: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY'])
const MAX_TOTAL_MS = 2_000
const FIRST_WAIT_MS = 10
const MAX_WAIT_MS = 200

/**
 * Renames a file over one that another program may have open, for example an antivirus program, an indexer, an editor
 * or a bundler. Like `rename`, but retries for two seconds if one of the files is in use on Windows. Rejects with the
 * last error.
 */
export async function renameOver(from: string, to: string): Promise<void> {
  const endsAt = performance.now() + MAX_TOTAL_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await rename(from, to)
    } catch (error) {
      const passes = process.platform === 'win32' && PASSING.has((error as NodeJS.ErrnoException).code)
      if (!passes || performance.now() + waitMs > endsAt) throw error
    }
    await sleep(waitMs)
  }
}
