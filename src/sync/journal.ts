/**
 * An append-only file of checked lines: what is appended is on the disk when the promise resolves. When the disk refuses, the journal
 * says so once and the caller goes on from memory; the next append tries to put everything down again.
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
  /** Told once when the disk stops taking lines, and once when it takes them again (`undefined`). */
  readonly onTrouble: (error: unknown) => void
}

export interface JournalContent {
  readonly values: readonly unknown[]
  /** Lines in the middle that do not check. */
  readonly damagedLines: number
  /** Bytes of an unfinished last line, cut off. */
  readonly cutBytes: number
  /** A file of another format or version, which was set aside under this name. */
  readonly setAside: string | undefined
}

export interface Journal {
  /** Reads the file from its beginning and mends its end. */
  load(): Promise<JournalContent>
  /** Appends; resolves when the values are on the disk, or the disk has refused them. Appends under way together share one flush. */
  append(values: readonly unknown[]): Promise<void>
  /** Replaces the content by the snapshot, atomically. */
  rewrite(): Promise<void>
  /** Whether the file is as this journal left it, is gone, or was changed by somebody else. */
  state(): Promise<'ours' | 'gone' | 'changed'>
  /** Resolves when what was appended so far is down. */
  idle(): Promise<void>
  /** Lines in the file. */
  readonly length: number
  /** Waits for what is under way. May be called twice. */
  close(): Promise<void>
}

export function createJournal({ path, format, version, snapshot, onTrouble }: JournalOptions): Journal {
  const head = lineOf({ format, version })
  let handle: FileHandle | undefined
  let length = 0
  let size = 0
  let inode: bigint | undefined
  // After a failure the file's end is unknown: the next write replaces it.
  let stale = false
  let troubled = false
  let waiting: string[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  const recover = () => {
    if (troubled) onTrouble(undefined)
    troubled = false
    stale = false
  }
  const fail = (error: unknown) => {
    stale = true
    if (!troubled) onTrouble(error)
    troubled = true
  }

  const openForAppend = async (): Promise<FileHandle> => {
    if (handle) return handle
    handle = await open(path, 'a', 0o600)
    const known = await handle.stat({ bigint: true })
    inode = known.ino
    size = Number(known.size)
    return handle
  }

  const closeHandle = async () => {
    const open = handle
    handle = undefined
    await open?.close().catch(() => undefined)
  }

  const replace = async () => {
    await closeHandle()
    const lines = [head]
    for (const value of snapshot()) lines.push(lineOf(value))
    await writeFileAtomic(path, lines.join(''), { mode: 0o600 })
    length = lines.length - 1
    await openForAppend()
    recover()
  }

  const flush = async () => {
    while (waiting.length > 0) {
      const lines = waiting
      waiting = []
      try {
        if (stale) await replace()
        else {
          const file = await openForAppend()
          const bytes = Buffer.from((size === 0 ? head : '') + lines.join(''))
          await writeAll(file, bytes)
          await file.datasync()
          size += bytes.length
          length += lines.length
        }
      } catch (error) {
        fail(error)
      }
    }
  }

  /** One write to the file at a time. */
  const exclusive = (work: () => Promise<void>): Promise<void> => {
    const before = flushing ?? Promise.resolve()
    const mine = before.then(work)
    flushing = mine
    return mine.finally(() => {
      if (flushing === mine) flushing = undefined
    })
  }

  return {
    get length() {
      return length
    },
    async load() {
      await flushing
      await closeHandle()
      try {
        if (mkdirSync(dirname(path), { recursive: true })) ignoreInGit(dirname(path))
      } catch (error) {
        fail(error)
      }
      let bytes: Buffer
      try {
        bytes = await readFile(path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') fail(error)
        size = 0
        length = 0
        return { values: [], damagedLines: 0, cutBytes: 0, setAside: undefined }
      }
      const end = bytes.lastIndexOf(0x0a) + 1
      const cutBytes = bytes.length - end
      const lines = bytes.toString('utf8', 0, end).split('\n')
      lines.pop()
      if (lines.length > 0 && `${lines[0]}\n` !== head) {
        const name = `${path}.old`
        await renameOver(path, name).catch(fail)
        size = 0
        length = 0
        return { values: [], damagedLines: 0, cutBytes: 0, setAside: name }
      }
      const values: unknown[] = []
      let damagedLines = 0
      for (let i = 1; i < lines.length; i++) {
        const value = parseLine(lines[i] as string)
        if (value === undefined) damagedLines++
        else values.push(value)
      }
      length = lines.length - 1
      if (cutBytes > 0) await truncate(path, end).catch(fail)
      size = end
      try {
        await openForAppend()
      } catch (error) {
        fail(error)
      }
      return { values, damagedLines, cutBytes, setAside: undefined }
    },
    append(values) {
      if (values.length === 0 || closed) return Promise.resolve()
      for (const value of values) waiting.push(lineOf(value))
      return exclusive(flush)
    },
    rewrite: () =>
      exclusive(async () => {
        if (closed) return
        waiting = []
        try {
          await replace()
        } catch (error) {
          fail(error)
        }
      }),
    async idle() {
      await flushing
    },
    async state() {
      await flushing
      if (stale || !handle) return 'ours'
      try {
        const known = await stat(path, { bigint: true })
        return known.ino === inode && Number(known.size) === size ? 'ours' : 'changed'
      } catch {
        return 'gone'
      }
    },
    async close() {
      closed = true
      await flushing
      await closeHandle()
    },
  }
}

/** A line that tells by itself whether it is whole. */
function lineOf(value: unknown): string {
  const text = JSON.stringify(value)
  return `${checksum(text)} ${text}\n`
}

function parseLine(line: string): unknown {
  const text = line.slice(9)
  if (line.charAt(8) !== ' ' || line.slice(0, 8) !== checksum(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset)
    if (bytesWritten === 0) {
      throw new LocalizationError('the disk takes no more bytes', { code: 'FILE_WRITE' })
    }
    offset += bytesWritten
  }
}
