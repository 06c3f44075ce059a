/**
 * Published and exported files. Their compressed contents are split into small rows, whose memory can be freed early.
 * Exported files have secret URLs, which expire. Every process on the database serves all files.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GzipFile } from '../json-file.ts'
import { digestOf, randomToken } from './credentials.ts'
import { inBatches, inGroups, type Queries, type SqlValue } from './driver.ts'

/** The minimum size of a row, except the last row of a content. */
const CHUNK_BYTES = 1_000_000

/**
 * The maximum size of the files in one transaction, because other writers wait for it. A larger file gets its own
 * transaction.
 */
const TRANSACTION_BYTES = 2_000_000

interface ChunkRow extends Pick<GzipFile, 'hash' | 'size'> {
  readonly compressed: Uint8Array
}

export class ContentStore {
  constructor(private readonly database: Queries) {}

  /** Keeps other transactions from adding or removing contents, which all projects share, until this one ends. */
  lock(): Promise<void> {
    return this.database.lock('contents')
  }

  /** Adds missing contents. Must be called in a transaction that has the lock. */
  async add(files: readonly GzipFile[]): Promise<void> {
    // Compares hashes, because the same content may have been compressed differently.
    const absent = new Map(files.map((file) => [file.hash, file]))
    for (const some of inGroups([...absent.keys()])) {
      const sql = `SELECT DISTINCT hash FROM contents WHERE hash IN (${some.map(() => '?').join(', ')})`
      for (const { hash } of await this.database.all<{ hash: string }>(sql, ...some)) absent.delete(hash)
    }
    for (const rows of inBatches(rowsOf(absent.values()), TRANSACTION_BYTES, ({ compressed }) => compressed.length)) {
      await this.database.insert('contents', rows)
      await nextTurn()
    }
  }

  /** Returns a file. `from` is the rest of an SQL query in which `c` is the contents and `f` is the file. */
  async find(from: string, ...values: SqlValue[]): Promise<GzipFile | undefined> {
    const rows = await this.database.all<ChunkRow>(
      `SELECT c.hash AS hash, f.size AS size, c.compressed AS compressed ${from} ORDER BY c.position`,
      ...values,
    )
    const [first] = rows
    return first && { hash: first.hash, size: first.size, chunks: rows.map(({ compressed }) => compressed) }
  }

  /** Removes unused contents among `hashes`, or all unused ones. Must be called in a transaction that has the lock. */
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

export function inTransactions(files: readonly GzipFile[]): Generator<GzipFile[]> {
  return inBatches(files, TRANSACTION_BYTES, bytesOf)
}

function* rowsOf(files: Iterable<GzipFile>) {
  for (const { hash, chunks } of files) {
    let position = 0
    for (const compressed of inChunks(chunks)) yield { hash, position: position++, compressed }
  }
}

/** The compressed size. */
function bytesOf({ chunks }: Pick<GzipFile, 'chunks'>): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

function* inChunks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const some of inBatches(pieces, CHUNK_BYTES, ({ length }) => length)) yield Buffer.concat(some)
}

/**
 * The maximum compressed size of all exported files. Above it, the oldest ones are removed. The latest export's files
 * always remain.
 */
const MAX_BYTES = 512_000_000
/** The last time whose year has four digits, because times are compared as strings. */
const LATEST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

export class ExportedFileStore {
  constructor(
    private readonly database: Queries,
    private readonly contents: ContentStore,
    private readonly now: () => string,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** Stores the files of one export, and returns their tokens. Must be called in a transaction. */
  async add(files: readonly GzipFile[], lifetimeMs: number): Promise<string[]> {
    await this.contents.lock()
    const expiresAt = new Date(Math.min(Date.parse(this.now()) + lifetimeMs, LATEST_TIME)).toISOString()
    const added = files.map((file) => ({ ...file, token: randomToken(), bytes: bytesOf(file) }))
    const room = added.reduce((left, { bytes }) => left - bytes, this.maxBytes)
    const removed = await this.database.run(
      `DELETE FROM exported_files WHERE expires_at <= ? OR id IN (
         SELECT id FROM (SELECT id, SUM(compressed_size) OVER (ORDER BY id DESC) AS total FROM exported_files) latest
         WHERE total > ?)`,
      this.now(),
      room,
    )
    if (removed > 0) await this.contents.removeUnused()
    await this.contents.add(files)
    await this.database.insert(
      'exported_files',
      added.map(({ token, hash, size, bytes }) => ({
        token_hash: digestOf(token),
        size,
        compressed_size: bytes,
        content_hash: hash,
        expires_at: expiresAt,
      })),
    )
    return added.map(({ token }) => token)
  }

  /** Returns `undefined` if the token is unknown or has expired. */
  find(token: string): Promise<GzipFile | undefined> {
    return this.contents.find(
      `FROM exported_files f JOIN contents c ON c.hash = f.content_hash WHERE f.token_hash = ? AND f.expires_at > ?`,
      digestOf(token),
      this.now(),
    )
  }

  /** Also removes contents that a failed publish or export had added. Called at each start, in a transaction. */
  async removeExpired(): Promise<void> {
    await this.contents.lock()
    await this.database.run('DELETE FROM exported_files WHERE expires_at <= ?', this.now())
    await this.contents.removeUnused()
  }
}
