/** Personal tokens, and the API keys of projects, as digests: the secrets themselves are shown once. */
import type { Queries } from './driver.ts'
import { digestOf, randomToken } from './tokens.ts'

/** Whose credentials: the id of a project for its API keys, or this for personal tokens. */
export const ACCOUNT = 0

export interface CredentialRecord {
  /** The first digits of the digest. */
  readonly id: string
  /** Personal tokens of starts have none. */
  readonly name: string
  readonly createdAt: string
  /** `null`: valid until it is revoked. */
  readonly expiresAt: string | null
  readonly hash: string
}

const ID_LENGTH = 12

/** The condition under which a credential is valid; its parameter is the time. */
export const VALID = '(expires_at IS NULL OR expires_at > ?)'

export class CredentialStore {
  constructor(
    private readonly database: Queries,
    private readonly now: () => string,
  ) {}

  /** The valid ones, the oldest first. */
  async list(owner: number): Promise<CredentialRecord[]> {
    const rows = await this.database.all<Omit<CredentialRecord, 'id'>>(
      `SELECT name, created_at AS "createdAt", expires_at AS "expiresAt", hash FROM credentials
       WHERE project_id = ? AND ${VALID} ORDER BY created_at, hash`,
      owner,
      this.now(),
    )
    return rows.map((row) => ({ id: row.hash.slice(0, ID_LENGTH), ...row }))
  }

  /** The caller reads, decides and writes while no other transaction does. In a transaction. */
  lock(): Promise<void> {
    return this.database.lock('credentials')
  }

  /** Makes a secret, and keeps its digest. In a transaction. */
  async add(owner: number, name: string, expiresAt: string | null): Promise<CredentialRecord & { secret: string }> {
    const secret = randomToken()
    return { ...(await this.keep(owner, secret, name, expiresAt)), secret }
  }

  /** Keeps the digest of a given secret, which is valid from now on whatever was kept of it. In a transaction. */
  async keep(owner: number, secret: string, name: string, expiresAt: string | null): Promise<CredentialRecord> {
    const [hash, createdAt] = [digestOf(secret), this.now()]
    await this.database.run('DELETE FROM credentials WHERE expires_at <= ?', createdAt)
    await this.database.insert(
      'credentials',
      { hash, project_id: owner, name, created_at: createdAt, expires_at: expiresAt },
      'ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at',
    )
    return { id: hash.slice(0, ID_LENGTH), name, createdAt, expiresAt, hash }
  }

  /** In a transaction. */
  async setExpiry({ hash }: CredentialRecord, expiresAt: string): Promise<void> {
    await this.database.run('UPDATE credentials SET expires_at = ? WHERE hash = ?', expiresAt, hash)
  }

  /** In a transaction. */
  async remove({ hash }: CredentialRecord): Promise<void> {
    await this.database.run('DELETE FROM credentials WHERE hash = ?', hash)
  }

  /** Makes the personal tokens of earlier starts invalid, but for this one. In a transaction. */
  async removeUnnamedTokens(except: string): Promise<void> {
    const sql = "DELETE FROM credentials WHERE project_id = ? AND name = '' AND hash <> ?"
    await this.database.run(sql, ACCOUNT, digestOf(except))
  }
}
