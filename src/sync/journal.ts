/**
 * A file of lines with checksums. When `append` resolves, its lines are on disk. A failing disk is reported once. The
 * file is open only during writes: on Windows, commands cannot replace an open file, and users cannot delete it.
 */
import { mkdirSync } from 'node:fs'
import { open, readFile, stat, truncate } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { ignoreInGit, renameOver, writeFileAtomic } from '../shared/atomic-write.ts'
import { count } from '../shared/figures.ts'
import { hashOf } from '../shared/hash.ts'

/** `own`: this process holds the lock and is the only writer. `read`: this process writes nothing. */
export type JournalAccess = 'own' | 'read'

const FORMAT = 'localization-sync'
const VERSION = 1
const CHECKSUM_LENGTH = 8
const HEAD = lineOf({ format: FORMAT, version: VERSION })

/** The journal's path. Each API key has its own folder, because texts of different projects must never mix. */
export function journalPath({ root, service }: Pick<ResolvedConfig, 'root' | 'service'>): string {
  const { apiKey = '', projectToken = '' } = service
  const folder = hashOf(`unplugin-localization sync\0${apiKey || projectToken}`, 16)
  return join(root, '.localization', 'sync', folder, 'journal.jsonl')
}

/** Changes when a process writes to the journal, because that makes the file longer or replaces it. */
export async function journalStamp(config: Parameters<typeof journalPath>[0]): Promise<string> {
  const found = await stat(journalPath(config), { bigint: true }).catch(() => undefined)
  return found ? `${found.ino} ${found.size}` : ''
}

export class Journal {
  #canAppend: boolean
  /** The number of bytes that this process has read or written. */
  #size = 0
  #inode: bigint | undefined
  /** True after a failed write. Where the file ends is then unknown, so the next write replaces it. */
  #hasFailed = false
  #waiting: string[] = []
  #writing: Promise<void> = Promise.resolve()

  /** @param values returns all values, for a rewrite of the file */
  constructor(
    private readonly path: string,
    private readonly access: JournalAccess,
    private readonly values: () => Iterable<unknown>,
    private readonly warn: (message: string) => void,
  ) {
    this.#canAppend = access === 'own'
  }

  /** True if no other process has changed the file since this one read or wrote it. */
  async isKnown(): Promise<boolean> {
    return this.#hasFailed || (await this.#find()) === 'own'
  }

  /**
   * Calls `take` with each value in the file. Resolves to the number of lines, and how many of them are damaged. Throws
   * SYNC_VERSION.
   */
  load(take: (value: unknown) => void) {
    return this.#exclusive(async () => {
      this.#size = 0
      try {
        return await this.#read(take)
      } catch (error) {
        if (error instanceof LocalizationError) throw error
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
        if (!isMissing) this.#fail(error)
        return { isMissing, lines: 0, damagedLines: 0 }
      }
    })
  }

  /**
   * Resolves when the values from this and earlier calls are on disk, or when writing them has failed. Concurrent calls
   * share one flush.
   */
  append(values: Iterable<unknown> = []): Promise<void> {
    if (!this.#canAppend) return Promise.resolve()
    for (const value of values) this.#waiting.push(lineOf(value))
    return this.#exclusive(() => this.#flush())
  }

  rewrite(): Promise<void> {
    return this.#exclusive(async () => {
      if (!this.#canAppend) return
      this.#waiting = []
      await this.#replace()
    })
  }

  async close(): Promise<void> {
    this.#canAppend = false
    await this.#writing
  }

  async #read(take: (value: unknown) => void) {
    const { path, access, warn } = this
    const isOwn = access === 'own'
    if (isOwn && mkdirSync(dirname(path), { recursive: true })) ignoreInGit(dirname(path))
    const bytes = await readFile(path)
    const start = bytes.indexOf('\n') + 1
    if (start > 0 && bytes.toString('utf8', 0, start) !== HEAD) {
      this.#checkVersion(bytes, start)
      if (isOwn) await renameOver(path, `${path}.old`)
      warn(`${path}.old was not written by this package, so it is ignored`)
      return { isMissing: false, lines: 0, damagedLines: 0 }
    }
    const { end, ...content } = readLines(bytes, start, take)
    this.#size = end
    if (isOwn) {
      const cutBytes = bytes.length - end
      if (cutBytes > 0) {
        await truncate(path, end)
        warn(`the last write to ${dirname(path)} was cut short; dropped its ${count(cutBytes, 'byte')}`)
      }
      await this.#remember()
    }
    return { isMissing: false, ...content }
  }

  #checkVersion(bytes: Buffer, end: number): void {
    const { format, version } = (parseLine(bytes, 0, end - 1) ?? {}) as Record<string, unknown>
    if (format !== FORMAT || typeof version !== 'number' || version <= VERSION) return
    const what = `${this.path} has format version ${version}, but this release supports version ${VERSION}`
    throw new LocalizationError(what, {
      code: 'SYNC_VERSION',
      hint: 'Use the newer release of unplugin-localization that wrote it, or delete the file: texts that differ will become conflicts.',
    })
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting
    this.#waiting = []
    if (lines.length === 0) return
    const found = await this.#find()
    if (found === 'foreign') {
      this.#canAppend = false
      return this.#fail(new Error('a process in another container or on another machine is also writing to it'))
    }
    // The user may have deleted the file.
    if (this.#hasFailed || found === 'gone') return this.#replace()
    try {
      const bytes = Buffer.from((this.#size === 0 ? HEAD : '') + lines.join(''))
      const file = await open(this.path, 'a', 0o600)
      try {
        const { bytesWritten } = await file.write(bytes)
        if (bytesWritten < bytes.length) throw new Error('the disk accepts no more bytes')
        await file.datasync()
        this.#inode ??= (await file.stat({ bigint: true })).ino
      } finally {
        await file.close()
      }
      this.#size += bytes.length
    } catch (error) {
      this.#fail(error)
    }
  }

  /**
   * Checks whether another process changed the file. The lock prevents this on the same machine, but not on another
   * machine or in a container. A write from there is recognized by the size of the file.
   */
  async #find(): Promise<'own' | 'gone' | 'foreign'> {
    const found = await stat(this.path, { bigint: true }).catch(() => undefined)
    if (found && !this.#hasFailed && Number(found.size) !== this.#size) return 'foreign'
    return this.#inode === undefined || found?.ino === this.#inode ? 'own' : 'gone'
  }

  async #replace(): Promise<void> {
    try {
      await writeFileAtomic(this.path, HEAD + Array.from(this.values(), lineOf).join(''), { mode: 0o600 })
      await this.#remember()
      this.#hasFailed = false
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const folder = dirname(this.path)
    const what =
      this.access === 'own'
        ? `cannot write to ${folder}: ${messageOf(error)}. ` +
          'Edits are still sent, but unsent ones are lost when this process exits'
        : `cannot read ${folder}: ${messageOf(error)}. Texts that differ look like conflicts`
    if (!this.#hasFailed) this.warn(what)
    this.#hasFailed = true
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#writing.then(work)
    this.#writing = mine.then(
      () => undefined,
      () => undefined,
    )
    return mine
  }

  async #remember(): Promise<void> {
    const { ino, size } = await stat(this.path, { bigint: true })
    this.#inode = ino
    this.#size = Number(size)
  }
}

/** A map from text ids to values, stored as journal lines: `[name, id, ...parts of the value]`. */
export class JournaledMap<T> {
  readonly #values = new Map<string, T>()
  readonly #unsaved = new Set<string>()

  /** @param parse returns `null` for an unknown kind of value, whose line is then ignored */
  constructor(
    private readonly name: string,
    private readonly print: (value: T | undefined) => readonly unknown[],
    private readonly parse: (parts: readonly unknown[], id: string) => T | undefined | null,
  ) {}

  get values(): ReadonlyMap<string, T> {
    return this.#values
  }

  set(id: string, value: T | undefined): void {
    this.#unsaved.add(id)
    this.#put(id, value)
  }

  clear(): void {
    this.#values.clear()
  }

  /** Applies a journal line. Returns false if the line belongs to another map. */
  replay([what, id, ...parts]: readonly unknown[]): boolean {
    if (what !== this.name || typeof id !== 'string') return false
    const value = this.parse(parts, id)
    if (value === null) return true
    // Moves the text to the end, so that the map has the order of the lines.
    this.#values.delete(id)
    this.#put(id, value)
    return true
  }

  /** Returns the lines for the values that have not been returned yet, by default for all texts. */
  takeLines(ids: Iterable<string> = this.#unsaved): unknown[] {
    const lines: unknown[] = []
    for (const id of ids) if (this.#unsaved.delete(id)) lines.push([this.name, id, ...this.print(this.#values.get(id))])
    return lines
  }

  *lines(): Generator<unknown> {
    for (const [id, value] of this.#values) yield [this.name, id, ...this.print(value)]
  }

  #put(id: string, value: T | undefined): void {
    if (value === undefined) this.#values.delete(id)
    else this.#values.set(id, value)
  }
}

/**
 * Calls `take` with the value of each undamaged line. The result's `end` is the offset after the last complete line.
 */
export function readLines(bytes: Buffer, start: number, take: (value: unknown) => void) {
  let [lines, damagedLines, from] = [0, 0, start]
  for (let end = bytes.indexOf('\n', from); end >= 0; end = bytes.indexOf('\n', from)) {
    const value = parseLine(bytes, from, end)
    if (value === undefined) damagedLines++
    else take(value)
    lines++
    from = end + 1
  }
  return { lines, damagedLines, end: from }
}

/** The checksum shows whether a line is complete. */
function lineOf(value: unknown): string {
  const text = JSON.stringify(value)
  const checksum = crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
  return `${checksum} ${text}\n`
}

function parseLine(bytes: Buffer, start: number, end: number): unknown {
  const text = start + CHECKSUM_LENGTH + 1
  const isWhole =
    text <= end && Number.parseInt(bytes.toString('latin1', start, text), 16) === crc32(bytes.subarray(text, end))
  if (!isWhole) return undefined
  try {
    return JSON.parse(bytes.toString('utf8', text, end)) as unknown
  } catch {
    return undefined
  }
}
