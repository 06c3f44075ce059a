/** Contents of published and exported files, compressed, in rows that no database has to hold in memory for long. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GzipFile } from '../gzip.ts'
import type { Queries, SqlValue } from './driver.ts'

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
  async add(files: Iterable<GzipFile>): Promise<void> {
    for (const { hash, chunks } of files) {
      // The same content may have been compressed in another way.
      if (await this.has(hash)) continue
      let position = 0
      for (const compressed of inChunks(chunks)) {
        await this.database.insert('contents', { hash, position: position++, compressed })
        await nextTurn()
      }
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

  /** Removes contents that no file has any more. In a transaction with the lock. */
  async removeUnused(): Promise<void> {
    await this.database.run(
      `DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM resources r WHERE r.content_hash = contents.hash)
         AND NOT EXISTS (SELECT 1 FROM exported_files e WHERE e.content_hash = contents.hash)`,
    )
  }

  private async has(hash: string): Promise<boolean> {
    return (await this.database.get('SELECT 1 FROM contents WHERE hash = ? LIMIT 1', hash)) !== undefined
  }
}

/** Files that one transaction adds. */
export function* inTransactions(files: readonly GzipFile[]): Generator<GzipFile[]> {
  let some: GzipFile[] = []
  let bytes = 0
  for (const file of files) {
    some.push(file)
    bytes += bytesOf(file)
    if (bytes < TRANSACTION_BYTES) continue
    yield some
    some = []
    bytes = 0
  }
  if (some.length > 0) yield some
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
