/**
 * Distinguishes files that git wrote from files that a person edited. Git locks the index and writes the files first,
 * and then the index, the branch and its records. So git wrote a changed file that is older than a new record, and did
 * not write a file that is younger than all records. All times come from the disk's clock.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The records of commands that change files. `git add` and `git commit` do not write these. */
const OWN_RECORDS = [
  'ORIG_HEAD',
  'MERGE_HEAD',
  'MERGE_MSG',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  // Git writes this record after each merge of two files. `git stash apply` leaves no other trace.
  'AUTO_MERGE',
  'rebase-merge',
  'rebase-apply',
]
/** The records of the stash, which all working trees share. Removing the last stash entry changes the folder `refs`. */
const SHARED_RECORDS = ['refs', 'refs/stash', 'logs/refs/stash']

/**
 * The pattern of a commit's line in the log of HEAD. A commit leaves the files unchanged; every other command writes
 * some.
 */
const COMMIT = /^commit(?: \([\w-]+\))?: /

const LOG_BYTES = 16_384

interface Repository {
  /** This working tree's own Git folder, which contains its HEAD and index. */
  readonly own: string
  /** The Git folder that all working trees share. */
  readonly common: string
}

/** A trace that the last command of its kind left. */
interface GitRecord {
  readonly name: string
  /** A value that changes with each command. */
  readonly identity: string
  /** The earliest and latest time at which the command ended, by the disk's clock. */
  readonly earliest: number
  readonly latest: number
}

interface Records {
  readonly all: readonly GitRecord[]
  readonly index: Stats | undefined
}

export class GitState {
  readonly #folders: readonly string[]
  /**
   * The identities of the records at the last reading, by repository and name. Commands of that time did not write
   * later files.
   */
  readonly #known = new Map<string, ReadonlyMap<string, string>>()

  /** @param folders the folders that may contain files */
  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /**
   * Remembers the current records, so that commands that ended before this call do not count as writers of later
   * changes, whatever the times of the files.
   */
  async start(): Promise<void> {
    for (const repository of (await findAll(this.#folders)).keys())
      this.#remember(repository, await readRecords(repository))
  }

  /** True if git is writing in the repositories of the known folders or of these files. */
  async isBusy(paths: readonly string[] = []): Promise<boolean> {
    const repositories = await findAll([...this.#folders, ...paths.map((path) => dirname(path))])
    for (const repository of repositories.keys()) if (await isLocked(repository)) return true
    return false
  }

  /** True if a command has ended in these files' repositories since the last call of `written`. */
  async hasMoved(paths: readonly string[]): Promise<boolean> {
    for (const repository of (await findAll(paths.map((path) => dirname(path)))).keys()) {
      const { all, index } = this.#fresh(repository, await readRecords(repository))
      if (all.length > 0 || index) return true
    }
    return false
  }

  /** Returns the files that git wrote since the last call. Call it with all changed files, when git is not busy. */
  async written(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const written = new Set<string>()
    for (const [repository, folders] of await findAll(paths.map((path) => dirname(path)))) {
      const records = await readRecords(repository)
      const fresh = this.#fresh(repository, records)
      this.#remember(repository, records)
      const judge = async (path: string) => {
        const file = await statOf(path)
        if (file && (await isWritten(path, file, repository, fresh))) written.add(path)
      }
      await Promise.all(paths.filter((path) => folders.has(dirname(path))).map(judge))
    }
    return written
  }

  #remember({ own }: Repository, { all, index }: Records): void {
    this.#known.set(own, new Map([...all, ...indexRecord(index)].map(({ name, identity }) => [name, identity])))
  }

  /** The records that are not known yet. */
  #fresh({ own }: Repository, { all, index }: Records): Records {
    const known = this.#known.get(own)
    const isFresh = ({ name, identity }: GitRecord) => known?.get(name) !== identity
    return { all: all.filter(isFresh), index: indexRecord(index).some(isFresh) ? index : undefined }
  }
}

async function readRecords(repository: Repository): Promise<Records> {
  const { own, common } = repository
  const paths = [...OWN_RECORDS.map((name) => join(own, name)), ...SHARED_RECORDS.map((name) => join(common, name))]
  const found = await Promise.all(paths.map(async (path) => recordOf(path, await statOf(path))))
  return { all: [...found.flat(), ...(await lastMove(repository))], index: await statOf(join(own, 'index')) }
}

function recordOf(name: string, stats: Stats | undefined): GitRecord[] {
  if (!stats) return []
  const { ino, mtimeMs } = stats
  return [{ name, identity: `${ino} ${mtimeMs}`, earliest: mtimeMs, latest: mtimeMs }]
}

const indexRecord = (index: Stats | undefined) => recordOf('index', index)

/**
 * The last line in the log of HEAD that is not a commit. Its time comes from git's own clock, in whole seconds. So only
 * its distance from the log's last line is used, which has the time of the log file. Without a log, HEAD itself is
 * used.
 */
async function lastMove({ own }: Repository): Promise<GitRecord[]> {
  const name = join(own, 'logs/HEAD')
  const log = await statOf(name)
  if (!log) return recordOf(name, await statOf(join(own, 'HEAD')))
  const text = await readEnd(name, log.size)
  const lines = Array.from(text.matchAll(/^.*> (\d+) [-+]\d+(?:\t(.*))?$/gm), ([line, seconds, message = '']) => ({
    line,
    seconds: Number(seconds),
    isCommit: COMMIT.test(message),
  }))
  const last = lines.at(-1)
  const move = lines.findLast(({ isCommit }) => !isCommit)
  if (!last || !move) return []
  const at = log.mtimeMs
  if (move === last) return [{ name, identity: move.line, earliest: at, latest: at }]
  const distance = last.seconds - move.seconds
  const [earliest, latest] = [at - (distance + 1) * 1_000, at - Math.max(0, distance - 1) * 1_000]
  return [{ name, identity: move.line, earliest, latest }]
}

/**
 * A disk's clock can stand still for some milliseconds, longer on a busy machine, so times that are equal say nothing
 * about the order. Then the content decides: Git writes only content that the repository has.
 *
 * @param records the records that are new since the file changed
 */
async function isWritten(path: string, file: Stats, repository: Repository, { all, index }: Records): Promise<boolean> {
  const { ctimeMs } = file
  if (all.some(({ earliest }) => ctimeMs < earliest)) return true
  const isWithRecord = all.some(({ earliest }) => ctimeMs === earliest)
  const isPossible = all.some(({ latest }) => ctimeMs <= latest)
  // `git add`, `git commit` and `git status` write the index after an edit. The edit is older than their lock.
  const isBeforeIndex = index !== undefined && ctimeMs <= index.mtimeMs && ctimeMs >= index.birthtimeMs
  if (!isPossible && !isBeforeIndex) return false
  const storedAt = await timeOfContent(path, repository)
  // `git add` and `git commit` store the content after the edit.
  return storedAt !== undefined && (isWithRecord || storedAt < ctimeMs)
}

/**
 * The time at which the repository stored the file's content: 0 if it is unknown, `undefined` if the repository does
 * not have this content.
 */
async function timeOfContent(path: string, { common }: Repository): Promise<number | undefined> {
  const content = await readFile(path).catch(() => undefined)
  if (!content) return 0
  const storedAt = async (id: string) => (await statOf(join(common, 'objects', id.slice(0, 2), id.slice(2))))?.mtimeMs
  for (const algorithm of ['sha1', 'sha256']) {
    const id = createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex')
    const time = await storedAt(id)
    if (time !== undefined) return time
  }
  // Only Git can read its packs, and undo what its filters changed, such as line ends.
  const git = (...command: string[]) => run('git', ['-C', dirname(path), ...command])
  try {
    const id = (await git('hash-object', '--', path)).stdout.trim()
    return (await storedAt(id)) ?? (await git('cat-file', '-e', id).then(() => 0))
  } catch (error) {
    const { cmd = '', code } = error as { cmd?: string; code?: unknown }
    return code === 1 && cmd.includes('cat-file') ? undefined : 0
  }
}

async function isLocked({ own, common }: Repository): Promise<boolean> {
  const branch = /^ref: (.+)/.exec((await readText(join(own, 'HEAD'))) ?? '')?.[1]
  const locks = [join(own, 'index.lock'), join(own, 'HEAD.lock'), ...(branch ? [join(common, `${branch}.lock`)] : [])]
  return (await Promise.all(locks.map(statOf))).some((lock) => lock !== undefined)
}

/** Finds the repositories of these folders, with the folders in each. */
async function findAll(folders: readonly string[]): Promise<ReadonlyMap<Repository, ReadonlySet<string>>> {
  const known = new Map<string, Promise<Repository | undefined>>()
  const find = (folder: string): Promise<Repository | undefined> => {
    const found = known.get(folder) ?? openAt(folder).then((own) => own ?? above(folder))
    known.set(folder, found)
    return found
  }
  const above = (folder: string) => (dirname(folder) === folder ? undefined : find(dirname(folder)))
  const all = new Map<Repository, Set<string>>()
  for (const folder of folders) {
    const repository = await find(folder)
    if (repository) all.set(repository, (all.get(repository) ?? new Set()).add(folder))
  }
  return all
}

/** The repository that has the root of its working tree, linked working tree or submodule in this folder. */
async function openAt(folder: string): Promise<Repository | undefined> {
  const git = join(folder, '.git')
  const known = await statOf(git)
  if (!known) return undefined
  const target = known.isFile() ? /^gitdir: (.+)$/m.exec((await readText(git)) ?? '')?.[1]?.trim() : '.git'
  if (target === undefined) return undefined
  const own = resolve(folder, target)
  const common = (await readText(join(own, 'commondir')))?.trim()
  return { own, common: common === undefined ? own : resolve(own, common) }
}

/** The end of a file. Only the end is read, because the log of HEAD grows with every command. */
async function readEnd(path: string, size: number): Promise<string> {
  const from = Math.max(0, size - LOG_BYTES)
  const handle = await open(path, 'r').catch(() => undefined)
  if (!handle) return ''
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined)
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
