/** A file of lines with checksums. Lines are on the disk when `append` resolves. A failing disk is reported once. */
import { mkdirSync } from 'node:fs'
import { type FileHandle, open, readFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { ignoreInGit } from '../shared/private-folder.ts'
import { renameOver } from '../shared/rename-over.ts'

/** `append`: another process holds the lock; lines are only added to its file. `read`: nothing on the disk changes. */
export type JournalAccess = 'own' | 'append' | 'read'

export interface JournalOptions {
  readonly path: string
  /** What the file holds, such as `outbox`; part of its first line. */
  readonly format: string
  readonly version: number
  readonly access: JournalAccess
  /** The values of a file that is rewritten. */
  readonly snapshot: () => Iterable<unknown>
  /** Called once when the disk stops taking lines, and once when it takes them again (`undefined`). */
  readonly onTrouble: (error: unknown) => void
}

/** Hexadecimal. */
const CHECKSUM_LENGTH = 8

export class Journal {
  readonly #head: string
  #canAppend: boolean
  #file: FileHandle | undefined
  #size = 0
  #inode: bigint | undefined
  /** The end of the file is unknown then: the next write replaces the file. */
  #hasFailed = false
  #waiting: string[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(private readonly options: JournalOptions) {
    this.#head = lineOf({ format: options.format, version: options.version })
    this.#canAppend = options.access !== 'read'
  }

  /**
   * Reads the file from its beginning, value by value, and cuts off the bytes of an unfinished last line.
   * `damagedLines`: those with a wrong checksum. `setAside`: the new name of a file of another format or version.
   */
  load(take: (value: unknown) => void) {
    return this.#exclusive(() => this.#load(take))
  }

  /** Resolves when the values are on the disk, or the disk has refused them. Appends under way share one flush. */
  append<Item>(items: Iterable<Item>, asValue: (item: Item) => unknown = (item) => item): Promise<void> {
    if (!this.#canAppend) return Promise.resolve()
    const before = this.#waiting.length
    for (const item of items) this.#waiting.push(lineOf(asValue(item)))
    if (this.#waiting.length === before) return Promise.resolve()
    return this.#exclusive(() => this.#flush())
  }

  rewrite(): Promise<void> {
    return this.#exclusive(async () => {
      if (!this.#canAppend) return
      this.#waiting = []
      await this.#replace()
    })
  }

  /** Whether another process changed the file. A removed file is written again. */
  isChanged(): Promise<boolean> {
    return this.#exclusive(async () => {
      if (this.#hasFailed || !this.#file) return false
      const known = await stat(this.options.path, { bigint: true }).catch(() => undefined)
      if (!known) await this.#replace()
      return known !== undefined && (known.ino !== this.#inode || Number(known.size) !== this.#size)
    })
  }

  async idle(): Promise<void> {
    await this.#writing
  }

  async close(): Promise<void> {
    this.#canAppend = false
    await this.#writing
    await this.#closeFile()
  }

  async #load(take: (value: unknown) => void) {
    await this.#closeFile()
    this.#size = 0
    const content = { lines: 0, damagedLines: 0, cutBytes: 0, setAside: undefined as string | undefined }
    const { path, access } = this.options
    const isOwn = access === 'own'
    try {
      if (isOwn && mkdirSync(dirname(path), { recursive: true })) ignoreInGit(dirname(path))
      const bytes = await readFile(path)
      let start = bytes.indexOf('\n') + 1
      if (start > 0 && bytes.toString('utf8', 0, start) !== this.#head) {
        this.#canAppend = isOwn
        if (isOwn) await renameOver(path, `${path}.old`)
        return { ...content, setAside: `${path}.old` }
      }
      for (let end = bytes.indexOf('\n', start); end >= 0; end = bytes.indexOf('\n', start)) {
        const value = parseLine(bytes, start, end)
        if (value === undefined) content.damagedLines++
        else take(value)
        content.lines++
        start = end + 1
      }
      if (!isOwn) return content
      content.cutBytes = bytes.length - start
      if (content.cutBytes > 0) await truncate(path, start)
      await this.#open()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#fail(error)
      // Without the file, a command beside this process could not append to it.
      else if (isOwn) await this.#replace()
      else this.#canAppend = false
    }
    return content
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting
    this.#waiting = []
    if (this.#hasFailed) return this.#replace()
    if (lines.length === 0) return
    try {
      const file = await this.#open()
      const bytes = Buffer.from((this.#size === 0 ? this.#head : '') + lines.join(''))
      // In one go: lines of two processes must not mix.
      const { bytesWritten } = await file.write(bytes)
      if (bytesWritten < bytes.length) throw new Error('the disk takes no more bytes')
      await file.datasync()
      this.#size += bytes.length
    } catch (error) {
      this.#fail(error)
    }
  }

  async #replace(): Promise<void> {
    if (this.options.access !== 'own') return
    try {
      await this.#closeFile()
      const lines = Array.from(this.options.snapshot(), lineOf)
      await writeFileAtomic(this.options.path, this.#head + lines.join(''), { mode: 0o600 })
      await this.#open()
      if (this.#hasFailed) this.options.onTrouble(undefined)
      this.#hasFailed = false
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    // The process that owns the file reports its problems.
    if (!this.#hasFailed && this.options.access === 'own') this.options.onTrouble(error)
    this.#hasFailed = true
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#writing.then(work)
    this.#writing = mine.then(() => undefined)
    return mine
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) return this.#file
    const file = await open(this.options.path, 'a', 0o600)
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

/** The checksum shows whether the line is whole. */
function lineOf(value: unknown): string {
  const text = JSON.stringify(value)
  return `${checksum(text)} ${text}\n`
}

function parseLine(bytes: Buffer, start: number, end: number): unknown {
  const text = start + CHECKSUM_LENGTH + 1
  // Of the bytes, before anything is made of them.
  const isWhole =
    text <= end && Number.parseInt(bytes.toString('latin1', start, text), 16) === crc32(bytes.subarray(text, end))
  if (!isWhole) return undefined
  try {
    return JSON.parse(bytes.toString('utf8', text, end)) as unknown
  } catch {
    return undefined
  }
}

/** By bytes: `toString(16)` of a number above 31 bits takes as long as all else of a line. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function checksum(text: string): string {
  const sum = crc32(text)
  return `${HEX[sum >>> 24]}${HEX[(sum >>> 16) & 255]}${HEX[(sum >>> 8) & 255]}${HEX[sum & 255]}`
}
