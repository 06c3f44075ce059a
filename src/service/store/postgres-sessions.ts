import type { Pool, QueryConfig, QueryResult } from 'pg'
import { LocalizationError } from '../../errors.ts'
import { databaseBusy, databaseReadOnly, databaseUnavailable, HttpError, storageFull } from '../http-error.ts'
import { ConcurrencyLimit } from '../scheduling.ts'
import { refuse, type SqlValue } from './driver.ts'

/** The time limit for a write or a long read that waits for its turn. */
const WAIT_MS = 30_000

/** `isRare`: the SQL depends on the number of rows, and so is rarely repeated. Default false. */
export type Execute = (sql: string, values: readonly SqlValue[], isRare?: boolean) => Promise<QueryResult>

/** A connection with one user at a time. */
export interface Session {
  execute(statement: string): Promise<QueryResult>
  /** Like `execute`, for the SQL in the `Database` interface. */
  query: Execute
  /** True if the connection must not be used again. */
  isBroken: boolean
}

type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>

export interface Sessions {
  readonly write: WithSession
  readonly read: WithSession
  readonly longRead: WithSession
}

/** Takes a connection from the pool for each use. Writes and long reads leave some connections to short reads. */
export function sessionsOf(pool: Pool, statements: Statements): Sessions {
  const share = Math.max(1, Math.floor((pool.options.max - 1) / 2))
  const limited = (what: string): WithSession => {
    const reason = `All of this process's connections are in use by other ${what}.`
    const limit = new ConcurrencyLimit(share, { afterMs: WAIT_MS, error: () => databaseBusy(reason) })
    return (work) => limit.run(() => withSession(work))
  }
  const withSession: WithSession = async (work) => {
    const client = await explained(pool.connect())
    let last: Promise<unknown> = Promise.resolve()
    // Statements always run in order. Old `pg` releases have no pipelining and warn about concurrent calls. With them,
    // each statement waits for the response to the previous one.
    const { pipeline = false } = client as { pipeline?: boolean }
    const run = (statement: string | QueryConfig): Promise<QueryResult> => {
      const send = () => client.query(statement)
      const result = (pipeline ? send() : last.then(send)).catch((error) => {
        session.isBroken ||= isUnavailable(error)
        throw toAnswer(error)
      })
      last = result.catch(() => {})
      return result
    }
    const session: Session = {
      execute: run,
      query: (sql, values, isRare) => run({ ...statements.of(sql, isRare), values: [...values] }),
      isBroken: false,
    }
    try {
      return await work(session)
    } finally {
      client.release(session.isBroken)
    }
  }
  return { write: limited('writes'), read: withSession, longRead: limited('exports and publishes') }
}

/** Uses the same connection for everything. A nested scope would end the outer one, so it is refused. */
export function oneAtATime(session: Session): Sessions {
  let isUsed = false
  const withSession: WithSession = async (work) => {
    if (isUsed) refuse('a transaction or a snapshot of this connection is open')
    isUsed = true
    try {
      return await work(session)
    } finally {
      isUsed = false
    }
  }
  return { write: withSession, read: withSession, longRead: withSession }
}

/** Only statements that insert several rows have more values. */
export const MAX_COMMON_VALUES = 10
/** The number of prepared statements is limited because each needs memory in every connection. */
const MAX_PREPARED = 200
/** FETCH is not included, because its result columns depend on the cursor. */
const PREPARABLE = /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/

/**
 * A pool's prepared statements. Each connection prepares a statement once, because planning most statements takes
 * longer than running them.
 */
export class Statements {
  private readonly prepared = new Map<string, QueryConfig>()

  of(sql: string, isRare = false): QueryConfig {
    const known = this.prepared.get(sql)
    if (known) return known
    const text = toPostgres(sql)
    if (isRare || this.prepared.size === MAX_PREPARED || !PREPARABLE.test(sql)) return { text }
    const statement = { text, name: `s${this.prepared.size}` }
    this.prepared.set(sql, statement)
    return statement
  }
}

/** Replaces `?` with `$1`, `$2` and so on. Statements must not contain `?` in string literals. */
function toPostgres(sql: string): string {
  let count = 0
  return sql.replaceAll('instr(', 'strpos(').replaceAll('?', () => `$${++count}`)
}

/** True for a serialization failure or a deadlock. The transaction was rolled back, and a retry may succeed. */
export function hasMetAnother(answer: unknown): boolean {
  return answer instanceof HttpError && ['40001', '40P01'].includes(codeOf(answer.cause))
}

/** Returns the response for errors that a caller can act on, and other errors unchanged. */
function toAnswer(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '53100') return storageFull(error)
  if (code === '25006') return databaseReadOnly(error)
  const reason =
    BUSY[code] ?? (isPoolExhausted(error) ? "All of this process's database connections are in use." : undefined)
  if (reason !== undefined) return databaseBusy(reason, error)
  return isUnavailable(error) ? databaseUnavailable(error) : error
}

/** If `result` rejects, throws the error that `toAnswer` returns. */
export async function explained<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw toAnswer(error)
  }
}

/** Error messages, by SQLSTATE. The server has already rolled back the statement. */
const BUSY: Readonly<Record<string, string>> = {
  '40001': 'Other writes kept changing the same data.',
  '40P01': 'Other writes kept changing the same data.',
  '53300': 'The database has no free connection.',
  '55P03': 'Another write to the project, or a publish, is taking too long.',
  '57014': 'A statement took longer than the database allows.',
}

/** True if the pool is at its maximum size and no connection became free in time. */
function isPoolExhausted(error: unknown): boolean {
  return /timeout exceeded when trying to connect/.test((error as Error).message)
}

/** True if the server closed the connection because its disk is full. A commit may or may not have succeeded. */
export function isFullDisk(answer: unknown): boolean {
  return answer instanceof HttpError && codeOf(answer.cause) === '53100'
}

/**
 * True for SQLSTATE class 08, a server that is starting, stopping or read-only, a session that the server closed, an
 * account that lost access, network errors and timeouts.
 */
export function isUnavailable(error: unknown): boolean {
  return (
    // The server refused a new connection.
    error instanceof LocalizationError ||
    /^(?:08|28|57P0|25P03|25006|3D000)/.test(codeOf(error)) ||
    /^E[A-Z_]+$/.test(codeOf(error)) ||
    /connection terminated|timeout expired|query read timeout|not queryable/i.test((error as Error).message)
  )
}

/** The SQLSTATE, or Node's error code. */
function codeOf(error: unknown): string {
  return (error as { code?: string } | undefined)?.code ?? ''
}
