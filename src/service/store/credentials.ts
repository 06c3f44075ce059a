/** Personal tokens and API keys. Only digests are stored, so a secret can be shown only once. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Queries } from './driver.ts'

/** The owner ID for personal tokens. The owner of an API key is its project. */
export const ACCOUNT = 0

export interface CredentialRecord {
  /** The first digits of the digest. */
  readonly id: string
  /** Empty for a personal token that was created at startup. */
  readonly name: string
  readonly createdAt: string
  /** `null` means that the credential is valid until it is revoked. */
  readonly expiresAt: string | null
  readonly hash: string
}

const ID_LENGTH = 12

/** SQL condition for valid credentials. Its parameter is the current time. */
export const VALID = '(expires_at IS NULL OR expires_at > ?)'

export class CredentialStore {
  constructor(
    private readonly database: Queries,
    private readonly now: () => string,
  ) {}

  /** Returns valid credentials, oldest first. */
  async list(owner: number): Promise<CredentialRecord[]> {
    const rows = await this.database.all<Omit<CredentialRecord, 'id'>>(
      `SELECT name, created_at AS "createdAt", expires_at AS "expiresAt", hash FROM credentials
       WHERE project_id = ? AND ${VALID} ORDER BY created_at, hash`,
      owner,
      this.now(),
    )
    return rows.map((row) => ({ id: row.hash.slice(0, ID_LENGTH), ...row }))
  }

  /** Keeps other transactions from locking the credentials until this one ends. Must be called in a transaction. */
  lock(): Promise<void> {
    return this.database.lock('credentials')
  }

  /** Creates a secret and stores its digest. Must be called in a transaction. */
  async add(owner: number, name: string, expiresAt: string | null): Promise<CredentialRecord & { secret: string }> {
    const secret = randomToken()
    return { ...(await this.keep(owner, secret, name, expiresAt)), secret }
  }

  /** Stores a given secret's digest. Even an expired secret becomes valid again. Must be called in a transaction. */
  async keep(owner: number, secret: string, name: string, expiresAt: string | null): Promise<CredentialRecord> {
    const [hash, createdAt] = [digestOf(secret), this.now()]
    await this.database.run('DELETE FROM credentials WHERE expires_at <= ?', createdAt)
    await this.database.insert(
      'credentials',
      [{ hash, project_id: owner, name, created_at: createdAt, expires_at: expiresAt }],
      'ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at',
    )
    return { id: hash.slice(0, ID_LENGTH), name, createdAt, expiresAt, hash }
  }

  /** Must be called in a transaction. */
  async setExpiry({ hash }: CredentialRecord, expiresAt: string): Promise<void> {
    await this.database.run('UPDATE credentials SET expires_at = ? WHERE hash = ?', expiresAt, hash)
  }

  /** Must be called in a transaction. */
  async remove({ hash }: CredentialRecord): Promise<void> {
    await this.database.run('DELETE FROM credentials WHERE hash = ?', hash)
  }

  /**
   * Stores the digest of a personal token that was created at startup. `only` revokes the tokens from all other starts.
   * Must be called in a transaction.
   */
  async addPersonalToken(token: string, only: boolean): Promise<void> {
    const sql = "DELETE FROM credentials WHERE project_id = ? AND name = '' AND hash <> ?"
    if (only) await this.database.run(sql, ACCOUNT, digestOf(token))
    await this.keep(ACCOUNT, token, '', null)
  }

  async hasPersonalToken(token: string): Promise<boolean> {
    const hash = digestOf(token)
    const known = await this.list(ACCOUNT)
    // Compares all tokens, so that timing does not reveal which one matches.
    return known.filter((item) => isSameToken(item.hash, hash)).length > 0
  }
}

/** Creates a token of letters and digits, which need no escaping in headers, URLs and shells. */
export function randomToken(): string {
  return randomBytes(20).toString('hex')
}

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function isSameToken(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
