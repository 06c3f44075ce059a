/**
 * Tells files that git wrote from files that the user edited. Git locks its index, writes the files, and only then
 * writes the index, the branch and other records. So if a changed file is older than a new record, git wrote it. If it
 * is newer than all records, git did not write it. All times come from the disk's clock.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The records that are written by git commands that change files, but not by `git add` or `git commit`. */
const OWN_RECORDS = [
  'ORIG_HEAD',
  'MERGE_HEAD',
  'MERGE_MSG',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  // Git writes this record after each merge of two files. `git stash apply` writes no other record.
  'AUTO_MERGE',
  'rebase-merge',
  'rebase-apply',
]
/** The stash's records, which all working trees share. Dropping the last stash entry changes only the `refs` folder. */
const SHARED_RECORDS = ['refs', 'refs/stash', 'logs/refs/stash']

/** Matches the log line of a commit. A commit leaves the files unchanged; all other logged commands write files. */
const COMMIT = /^commit(?: \([\w-]+\))?: /

const LOG_BYTES = 16_384

interface Repository {
  /** The working tree's own Git folder, with its HEAD and index. */
  readonly own: string
  /** The Git folder that is shared by all working trees. */
  readonly common: string
}

/** A file or log line that a git command wrote when it ended. */
interface GitRecord {
  readonly name: string
  /** A value that changes with each command. */
  readonly identity: string
  /** The earliest and latest time when the command can have ended, by the disk's clock. */
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
   * The identity of each record at the last reading, by repository and record name. A record with an unchanged identity
   * is from an earlier command, which cannot have written later changes.
   */
  readonly #known = new Map<string, ReadonlyMap<string, string>>()

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /**
   * Remembers the current records. Commands that ended before this call then never count as the writers of later
   * changes.
   */
  async start(): Promise<void> {
    for (const repository of (await findAll(this.#folders)).keys())
      this.#remember(repository, await readRecords(repository))
  }

  /** True if git is running in a repository that contains one of the known folders or of these files. */
  async isBusy(paths: readonly string[] = []): Promise<boolean> {
    const repositories = await findAll([...this.#folders, ...paths.map((path) => dirname(path))])
    for (const repository of repositories.keys()) if (await isLocked(repository)) return true
    return false
  }

  /** True if a git command has ended in these files' repositories since the last `written` call. */
  async hasMoved(paths: readonly string[]): Promise<boolean> {
    for (const repository of (await findAll(paths.map((path) => dirname(path)))).keys()) {
      const { all, index } = this.#fresh(repository, await readRecords(repository))
      if (all.length > 0 || index) return true
    }
    return false
  }

  /**
   * Returns the files that git wrote since the last call. Pass all changed files, and call it only while git is not
   * busy.
   */
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

  /** The records that have changed since the last reading. */
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
 * The last line in HEAD's log that is not a commit, or HEAD itself if there is no log. The times in the log are whole
 * seconds of git's clock. So the time of the line is computed: the modification time of the log, minus the difference
 * between this line and the last line.
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
 * True if git wrote the file. A disk's clock can stand still for some milliseconds, or longer on a busy machine, so
 * equal times do not show the order. The content then decides: git only writes content that is in the repository.
 *
 * @param records the records that have changed since the last reading
 */
async function isWritten(path: string, file: Stats, repository: Repository, { all, index }: Records): Promise<boolean> {
  const { ctimeMs } = file
  if (all.some(({ earliest }) => ctimeMs < earliest)) return true
  const isWithRecord = all.some(({ earliest }) => ctimeMs === earliest)
  const isPossible = all.some(({ latest }) => ctimeMs <= latest)
  // `git add`, `git commit` and `git status` also write the index. But the edits that they find are older than their
  // lock, whose creation time is the birth time of the index.
  const isBeforeIndex = index !== undefined && ctimeMs <= index.mtimeMs && ctimeMs >= index.birthtimeMs
  if (!isPossible && !isBeforeIndex) return false
  const storedAt = await timeOfContent(path, repository)
  // The content of an edit is stored after the edit, by `git add` or `git commit`.
  return storedAt !== undefined && (isWithRecord || storedAt < ctimeMs)
}

/**
 * The time when the repository stored the file's content: 0 if the time is unknown, `undefined` if the content is not
 * in the repository.
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
  // Only git can read its packs and undo its filters, such as line-ending conversion.
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

/** Finds the repositories of these folders, and which of the folders each one contains. */
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

/** The repository whose working tree, linked working tree or submodule has its root in this folder. */
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

/** Reads only the end, because HEAD's log grows with every command. */
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
