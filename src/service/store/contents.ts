/** The compressed contents of published and exported files, in rows small enough to leave memory quickly. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GzipFile } from '../gzip.ts'
import type { Queries, SqlValue } from './driver.ts'
import { inGroups } from './sql.ts'

/** Minimum size of a row, except the last one of a content. */
const CHUNK_BYTES = 1_000_000

/** Limit of the files that one transaction adds, or a single larger file: other writers wait for the disk. */
const TRANSACTION_BYTES = 2_000_000

/** A file, as the service sends it. */
export interface StoredFile {
  readonly hash: string
  /** Size before compression. */
  readonly size: number
  /** Parts of one gzip file. */
  readonly chunks: readonly Uint8Array[]
}

interface ChunkRow extends Pick<StoredFile, 'hash' | 'size'> {
  readonly compressed: Uint8Array
}

export class ContentStore {
  constructor(private readonly database: Queries) {}

  /**
   * Locks the contents, which all projects share: until the transaction ends, no other transaction adds or removes any.
   */
  lock(): Promise<void> {
    return this.database.lock('contents')
  }

  /** Adds the contents that are missing. In a transaction with the lock. */
  async add(files: readonly GzipFile[]): Promise<void> {
    // Comparing hashes, because the same content may have been compressed differently.
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

  /** The file that `from` selects: the rest of an SQL query, with `c` for the contents and `f` for the file. */
  async find(from: string, ...values: SqlValue[]): Promise<StoredFile | undefined> {
    const rows = await this.database.all<ChunkRow>(
      `SELECT c.hash AS hash, f.size AS size, c.compressed AS compressed ${from} ORDER BY c.position`,
      ...values,
    )
    const [first] = rows
    return first && { hash: first.hash, size: first.size, chunks: rows.map(({ compressed }) => compressed) }
  }

  /** Removes unused contents: those of `hashes`, or all. In a transaction with the lock. */
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

/** The files of each transaction. */
export function inTransactions(files: readonly GzipFile[]): Generator<GzipFile[]> {
  return inPortions(files, bytesOf)
}

/** Each portion ends when it reaches `TRANSACTION_BYTES`. */
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

/** The compressed size. */
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
