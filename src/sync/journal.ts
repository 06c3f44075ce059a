/** A file of lines with checksums. Lines are on the disk when `append` resolves. A failing disk is reported once. */
import { mkdirSync } from 'node:fs'
import { type FileHandle, open, readFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { LocalizationError } from '../errors.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { ignoreInGit } from '../shared/private-folder.ts'
import { renameOver } from '../shared/rename-over.ts'

/** `own`: this process holds the lock and is the only writer. `read`: nothing on the disk changes. */
export type JournalAccess = 'own' | 'read'

export interface JournalOptions {
  readonly path: string
  /** The name of the format, part of the first line. */
  readonly format: string
  readonly version: number
  readonly access: JournalAccess
  /** The values of a file that is rewritten. */
  readonly snapshot: () => Iterable<unknown>
  /** Called once when the disk stops taking lines, and once when it takes them again (`undefined`). */
  readonly onTrouble: (error: unknown) => void
}

export interface JournalContent {
  readonly isMissing: boolean
  readonly lines: number
  /** Lines with a wrong checksum. */
  readonly damagedLines: number
  /** The bytes of an unfinished last line, which were removed. */
  readonly cutBytes: number
  /** The new name of a file that is not a journal. */
  readonly setAside: string | undefined
}

/** Hexadecimal. */
const CHECKSUM_LENGTH = 8

export class Journal {
  readonly #head: string
  #canAppend: boolean
  #file: FileHandle | undefined
  /** Of the part that this process has read or written. */
  #size = 0
  #inode: bigint | undefined
  /** The end of the file is unknown then: the next write replaces the file. */
  #hasFailed = false
  #waiting: string[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(private readonly options: JournalOptions) {
    this.#head = lineOf({ format: options.format, version: options.version })
    this.#canAppend = options.access === 'own'
  }

  /** Reads the file from its beginning, value by value. Errors: SYNC_VERSION. */
  load(take: (value: unknown) => void): Promise<JournalContent> {
    return this.#exclusive(async () => {
      await this.#closeFile()
      this.#size = 0
      return this.#read(take)
    })
  }

  /**
   * Reads what another process added while this one stood by. `false`: that process replaced the file, so it has to be
   * loaded again.
   */
  resume(take: (value: unknown) => void): Promise<boolean> {
    return this.#exclusive(async () => {
      const inode = this.#inode
      if (this.#hasFailed) return true
      await this.#closeFile()
      const file = await open(this.options.path, 'r').catch(() => undefined)
      if (!file) return false
      try {
        const found = await file.stat({ bigint: true })
        if (found.ino !== inode || Number(found.size) < this.#size) return false
      } finally {
        await file.close()
      }
      const { damagedLines } = await this.#read(take)
      return damagedLines === 0
    })
  }

  /** Resolves when the values are on the disk, or the disk has refused them. Appends under way share one flush. */
  append(values: Iterable<unknown>): Promise<void> {
    if (!this.#canAppend) return Promise.resolve()
    const before = this.#waiting.length
    for (const value of values) this.#waiting.push(lineOf(value))
    // What changed may be among the lines of another call.
    if (this.#waiting.length === before) return this.idle()
    return this.#exclusive(() => this.#flush())
  }

  rewrite(): Promise<void> {
    return this.#exclusive(async () => {
      if (!this.#canAppend) return
      this.#waiting = []
      await this.#replace()
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

  /** From `#size` on. */
  async #read(take: (value: unknown) => void): Promise<JournalContent> {
    let [lines, damagedLines, cutBytes] = [0, 0, 0]
    const { path, access } = this.options
    const isOwn = access === 'own'
    try {
      if (isOwn && mkdirSync(dirname(path), { recursive: true })) ignoreInGit(dirname(path))
      const bytes = await readFile(path)
      let start = this.#size
      if (start === 0) {
        start = bytes.indexOf('\n') + 1
        if (start > 0 && bytes.toString('utf8', 0, start) !== this.#head) {
          this.#checkVersion(bytes.subarray(0, start))
          if (isOwn) await renameOver(path, `${path}.old`)
          return { isMissing: false, lines, damagedLines, cutBytes, setAside: `${path}.old` }
        }
      }
      for (let end = bytes.indexOf('\n', start); end >= 0; end = bytes.indexOf('\n', start)) {
        const value = parseLine(bytes, start, end)
        if (value === undefined) damagedLines++
        else take(value)
        lines++
        start = end + 1
      }
      this.#size = start
      if (isOwn) {
        cutBytes = bytes.length - start
        if (cutBytes > 0) await truncate(path, start)
        await this.#open()
      }
    } catch (error) {
      if (error instanceof LocalizationError) throw error
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#fail(error)
      else return { isMissing: true, lines, damagedLines, cutBytes, setAside: undefined }
    }
    return { isMissing: false, lines, damagedLines, cutBytes, setAside: undefined }
  }

  #checkVersion(head: Buffer): void {
    const { format, version: own, path } = this.options
    const { format: found, version } = (parseLine(head, 0, head.length - 1) ?? {}) as Record<string, unknown>
    if (found !== format || typeof version !== 'number' || version <= own) return
    throw new LocalizationError(`${path} has version ${version} of its format, this release knows version ${own}`, {
      code: 'SYNC_VERSION',
      hint: 'Use the newer release of unplugin-localization that wrote it, or delete the file: texts that differ are conflicts then.',
    })
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting
    this.#waiting = []
    if (lines.length === 0) return
    const found = await this.#find()
    if (found === 'foreign') {
      this.#canAppend = false
      return this.#fail(new Error('a process in another container or on another machine writes there, too'))
    }
    // A user may have removed the file.
    if (this.#hasFailed || found === 'gone') return this.#replace()
    try {
      const file = await this.#open()
      const bytes = Buffer.from((this.#size === 0 ? this.#head : '') + lines.join(''))
      const { bytesWritten } = await file.write(bytes)
      if (bytesWritten < bytes.length) throw new Error('the disk takes no more bytes')
      await file.datasync()
      this.#size += bytes.length
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The lock excludes the other processes of this machine; what a process elsewhere wrote shows in the size. */
  async #find(): Promise<'own' | 'gone' | 'foreign'> {
    const found = await stat(this.options.path, { bigint: true }).catch(() => undefined)
    if (!found) return this.#inode === undefined ? 'own' : 'gone'
    if (!this.#hasFailed && Number(found.size) !== this.#size) return 'foreign'
    return this.#inode === undefined || found.ino === this.#inode ? 'own' : 'gone'
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
    if (!this.#hasFailed && this.options.access === 'own') this.options.onTrouble(error)
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

/** Values by the ids of texts, as lines of the journal: `[name, id, ...parts of the value]`. */
export class JournaledMap<T> {
  readonly #values = new Map<string, T>()
  readonly #unsaved = new Set<string>()

  /** @param parse `null`: not such a value, so the line is ignored */
  constructor(
    private readonly name: string,
    private readonly print: (value: T | undefined) => readonly unknown[],
    private readonly parse: (parts: readonly unknown[]) => T | undefined | null,
  ) {}

  get size(): number {
    return this.#values.size
  }

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

  /** `undefined`: the line is not one of these. Otherwise its text. */
  replay([what, id, ...parts]: readonly unknown[]): string | undefined {
    if (what !== this.name || typeof id !== 'string') return undefined
    const value = this.parse(parts)
    if (value !== null) this.#put(id, value)
    return id
  }

  /** The lines of the texts that were set since the last call. */
  takeLines(): unknown[] {
    const lines = Array.from(this.#unsaved, (id) => [this.name, id, ...this.print(this.#values.get(id))])
    this.#unsaved.clear()
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
