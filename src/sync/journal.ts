/**
 * An append-only file of checked lines: what is appended is on the disk when the promise resolves. When the disk
 * refuses, the journal reports it once and the caller goes on from memory; the next append tries to put everything down
 * again.
 */
import { mkdirSync } from 'node:fs'
import { type FileHandle, open, readFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { LocalizationError } from '../errors.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { ignoreInGit } from '../shared/private-folder.ts'
import { renameOver } from '../shared/rename-over.ts'

export interface JournalOptions {
  readonly path: string
  /** What the file holds, such as `outbox`; part of its first line. */
  readonly format: string
  readonly version: number
  /** Everything that would have to stand in a file written anew. */
  readonly snapshot: () => Iterable<unknown>
  /** Called once when the disk stops taking lines, and once when it takes them again (`undefined`). */
  readonly onTrouble: (error: unknown) => void
}

export interface JournalProblems {
  /** Lines in the middle that do not check. */
  damagedLines: number
  /** Bytes of an unfinished last line, cut off. */
  cutBytes: number
  /** A file of another format or version, which was set aside under this name. */
  setAside: string | undefined
}

const NEWLINE = 0x0a
const CHECKSUM_LENGTH = 8

export class Journal {
  /** Lines in the file. */
  length = 0
  readonly #options: JournalOptions
  readonly #head: string
  #file: FileHandle | undefined
  #size = 0
  #inode: bigint | undefined
  /** The end of the file is unknown then: the next write replaces it. */
  #hasFailed = false
  #waiting: string[] = []
  #writing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: JournalOptions) {
    this.#options = options
    this.#head = lineOf({ format: options.format, version: options.version })
  }

  /** Reads the file from its beginning, value by value, and mends its end. */
  async load(take: (value: unknown) => void): Promise<JournalProblems> {
    await this.#writing
    await this.#closeFile()
    this.length = this.#size = 0
    const problems: JournalProblems = { damagedLines: 0, cutBytes: 0, setAside: undefined }
    const { path } = this.#options
    try {
      if (mkdirSync(dirname(path), { recursive: true })) ignoreInGit(dirname(path))
      const bytes = await readFile(path)
      const headEnd = bytes.indexOf(NEWLINE) + 1
      if (headEnd > 0 && bytes.toString('utf8', 0, headEnd) !== this.#head) {
        await renameOver(path, `${path}.old`)
        return { ...problems, setAside: `${path}.old` }
      }
      let start = headEnd
      for (let end = bytes.indexOf(NEWLINE, start); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const value = parseLine(bytes.subarray(start, end))
        if (value === undefined) problems.damagedLines++
        else take(value)
        this.length++
        start = end + 1
      }
      problems.cutBytes = bytes.length - start
      if (problems.cutBytes > 0) await truncate(path, start)
      await this.#open()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#fail(error)
    }
    return problems
  }

  /**
   * Appends; resolves when the values are on the disk, or the disk has refused them. Appends under way together share
   * one flush.
   */
  append<Item>(items: readonly Item[], asValue: (item: Item) => unknown): Promise<void> {
    if (this.#isClosed || items.length === 0) return Promise.resolve()
    for (const item of items) this.#waiting.push(lineOf(asValue(item)))
    return this.#exclusive(() => this.#flush())
  }

  /** Replaces the content by the snapshot, atomically. */
  rewrite(): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#isClosed) return
      this.#waiting = []
      await this.#replace()
    })
  }

  /**
   * Whether the file is as this journal left it, is gone, or was changed by somebody else. A file that is gone is
   * written anew.
   */
  async check(): Promise<'ours' | 'changed'> {
    await this.#writing
    if (this.#hasFailed || !this.#file) return 'ours'
    try {
      const known = await stat(this.#options.path, { bigint: true })
      return known.ino === this.#inode && Number(known.size) === this.#size ? 'ours' : 'changed'
    } catch {
      await this.rewrite()
      return 'ours'
    }
  }

  /** Resolves when what was appended so far is down. */
  async idle(): Promise<void> {
    await this.#writing
  }

  /** Waits for what is under way. May be called twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writing
    await this.#closeFile()
  }

  async #flush(): Promise<void> {
    if (this.#hasFailed) {
      this.#waiting = []
      return this.#replace()
    }
    while (this.#waiting.length > 0) {
      const lines = this.#waiting
      this.#waiting = []
      try {
        const file = await this.#open()
        const bytes = Buffer.from((this.#size === 0 ? this.#head : '') + lines.join(''))
        await writeAll(file, bytes)
        await file.datasync()
        this.#size += bytes.length
        this.length += lines.length
      } catch (error) {
        return this.#fail(error)
      }
    }
  }

  async #replace(): Promise<void> {
    try {
      await this.#closeFile()
      const lines = Array.from(this.#options.snapshot(), lineOf)
      await writeFileAtomic(this.#options.path, this.#head + lines.join(''), { mode: 0o600 })
      this.length = lines.length
      await this.#open()
      if (this.#hasFailed) this.#options.onTrouble(undefined)
      this.#hasFailed = false
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (!this.#hasFailed) this.#options.onTrouble(error)
    this.#hasFailed = true
  }

  /** One write to the file at a time. */
  #exclusive(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(work)
    return this.#writing
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) return this.#file
    const file = await open(this.#options.path, 'a', 0o600)
    this.#file = file
    const { ino, size } = await file.stat({ bigint: true })
    this.#inode = ino
    this.#size = Number(size)
    return file
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close().catch(() => undefined)
  }
}

/** A line that tells by itself whether it is whole. */
function lineOf(value: unknown): string {
  const text = JSON.stringify(value)
  return `${checksum(text)} ${text}\n`
}

function parseLine(line: Buffer): unknown {
  const text = line.subarray(CHECKSUM_LENGTH + 1)
  if (line.toString('latin1', 0, CHECKSUM_LENGTH + 1) !== `${checksum(text)} `) return undefined
  try {
    return JSON.parse(text.toString()) as unknown
  } catch {
    return undefined
  }
}

function checksum(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset)
    if (bytesWritten === 0) throw new LocalizationError('the disk takes no more bytes', { code: 'FILE_WRITE' })
    offset += bytesWritten
  }
}
