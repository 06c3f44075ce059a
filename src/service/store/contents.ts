/** Contents of published and exported files, compressed, in rows that no database has to hold in memory for long. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GzipFile } from '../gzip.ts'
import type { Queries, SqlValue } from './driver.ts'
import { inGroups } from './sql.ts'

/** Of a row, at least, unless it is the last one of a content. */
const CHUNK_BYTES = 1_000_000

/** Of files that one transaction adds, unless a single file has more: what reaches the disk keeps others waiting. */
const TRANSACTION_BYTES = 2_000_000

/** A file as it is served. */
export interface StoredFile {
  readonly hash: string
  /** Bytes before compression. */
  readonly size: number
  /** Together one gzip file. */
  readonly chunks: readonly Uint8Array[]
}

interface ChunkRow extends Pick<StoredFile, 'hash' | 'size'> {
  readonly compressed: Uint8Array
}

export class ContentStore {
  constructor(private readonly database: Queries) {}

  /**
   * Contents belong to all projects: until the transaction ends, no other transaction adds or removes any, so that none
   * vanishes that this one counts on.
   */
  lock(): Promise<void> {
    return this.database.lock('contents')
  }

  /** Keeps contents that are not there yet. In a transaction with the lock. */
  async add(files: readonly GzipFile[]): Promise<void> {
    // The same content may have been compressed in another way.
    const absent = new Map(files.map((file) => [file.hash, file]))
    for (const some of inGroups([...absent.keys()])) {
      const sql = `SELECT DISTINCT hash FROM contents WHERE hash IN (${some.map(() => '?').join(', ')})`
      for (const { hash } of await this.database.all<{ hash: string }>(sql, ...some)) absent.delete(hash)
    }
    for (const rows of inPortions(rowsOf(absent.values()), ({ compressed }) => compressed.length)) {
      await this.database.insertMany('contents', rows)
      await nextTurn()
    }
  }

  /** The file that `from` selects: SQL that follows on the columns, with `c` for the contents and `f` for the file. */
  async find(from: string, ...values: SqlValue[]): Promise<StoredFile | undefined> {
    const rows = await this.database.all<ChunkRow>(
      `SELECT c.hash AS hash, f.size AS size, c.compressed AS compressed ${from} ORDER BY c.position`,
      ...values,
    )
    const [first] = rows
    return first && { hash: first.hash, size: first.size, chunks: rows.map(({ compressed }) => compressed) }
  }

  /** Removes those of the contents that no file has any more; by default of all. In a transaction with the lock. */
  async removeUnused(hashes?: readonly string[]): Promise<void> {
    const remove = (isMeant: string, some: readonly string[]) =>
      this.database.run(
        `DELETE FROM contents WHERE ${isMeant} NOT EXISTS (SELECT 1 FROM resources r WHERE r.content_hash = contents.hash)
           AND NOT EXISTS (SELECT 1 FROM exported_files e WHERE e.content_hash = contents.hash)`,
        ...some,
      )
    if (!hashes) await remove('', [])
    else for (const some of inGroups(hashes)) await remove(`hash IN (${some.map(() => '?').join(', ')}) AND`, some)
  }
}

/** Files that one transaction adds. */
export function inTransactions(files: readonly GzipFile[]): Generator<GzipFile[]> {
  return inPortions(files, bytesOf)
}

/** Each has `TRANSACTION_BYTES` at most, or is one item. */
function* inPortions<T>(items: Iterable<T>, bytesOfItem: (item: T) => number): Generator<T[]> {
  let some: T[] = []
  let bytes = 0
  for (const item of items) {
    some.push(item)
    bytes += bytesOfItem(item)
    if (bytes < TRANSACTION_BYTES) continue
    yield some
    some = []
    bytes = 0
  }
  if (some.length > 0) yield some
}

function* rowsOf(files: Iterable<GzipFile>) {
  for (const { hash, chunks } of files) {
    let position = 0
    for (const compressed of inChunks(chunks)) yield { hash, position: position++, compressed }
  }
}

/** Compressed. */
export function bytesOf({ chunks }: Pick<StoredFile, 'chunks'>): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

function* inChunks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let some: Uint8Array[] = []
  let bytes = 0
  for (const piece of pieces) {
    some.push(piece)
    bytes += piece.length
    if (bytes < CHUNK_BYTES) continue
    yield Buffer.concat(some, bytes)
    some = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(some, bytes)
}
