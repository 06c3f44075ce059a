/** Exported files, at secret addresses that expire. Every process on the database serves them. */
import type { GzipFile } from '../gzip.ts'
import { bytesOf, type ContentStore, type StoredFile } from './contents.ts'
import type { Queries } from './driver.ts'
import { digestOf, randomToken } from './tokens.ts'

/**
 * Limit of all exported files, compressed: above it the oldest are removed. The files of the latest export always
 * remain.
 */
const MAX_BYTES = 512_000_000
/** The last time with a four-digit year, because times are compared as texts. */
const LATEST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

export class ExportedFileStore {
  constructor(
    private readonly database: Queries,
    private readonly contents: ContentStore,
    private readonly now: () => string,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** Stores the files of one export, and returns their tokens. In a transaction. */
  async add(files: readonly GzipFile[], lifetimeMs: number): Promise<string[]> {
    await this.contents.lock()
    const expiresAt = new Date(Math.min(Date.parse(this.now()) + lifetimeMs, LATEST_TIME)).toISOString()
    const added = files.map((file) => ({ ...file, token: randomToken(), bytes: bytesOf(file) }))
    const room = added.reduce((left, { bytes }) => left - bytes, this.maxBytes)
    await this.remove(
      `expires_at <= ? OR id IN (
         SELECT id FROM (SELECT id, SUM(compressed_size) OVER (ORDER BY id DESC) AS total FROM exported_files) latest
         WHERE total > ?)`,
      this.now(),
      room,
    )
    await this.contents.add(files)
    await this.database.insertMany(
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

  /** `undefined`: unknown or expired. */
  find(token: string): Promise<StoredFile | undefined> {
    return this.contents.find(
      `FROM exported_files f JOIN contents c ON c.hash = f.content_hash WHERE f.token_hash = ? AND f.expires_at > ?`,
      digestOf(token),
      this.now(),
    )
  }

  /** Runs at each start. It also removes contents that a failed publish or export wrote ahead. In a transaction. */
  async removeExpired(): Promise<void> {
    await this.contents.lock()
    await this.database.run('DELETE FROM exported_files WHERE expires_at <= ?', this.now())
    await this.contents.removeUnused()
  }

  private async remove(where: string, ...values: (string | number)[]): Promise<void> {
    const removed = await this.database.run(`DELETE FROM exported_files WHERE ${where}`, ...values)
    if (removed > 0) await this.contents.removeUnused()
  }
}
