/** Which connection a statement of PostgreSQL runs on, and how: prepared, one after the other. */
import type { Pool, QueryConfig, QueryResult } from 'pg'
import { databaseBusy } from '../http-error.ts'
import type { SqlValue } from './driver.ts'
import { explained, isUnavailable, toAnswer } from './postgres-errors.ts'
import { refuse } from './sql.ts'

/** How long a write or a long read waits for its turn. */
const WAIT_MS = 30_000

export type Execute = (sql: string, values: readonly SqlValue[], options?: StatementOptions) => Promise<QueryResult>

/** One connection, for one user at a time. */
export interface Session {
  execute(statement: string): Promise<QueryResult>
  /** The same for the SQL of the port. */
  query: Execute
  /** The connection can be of no more use. */
  isBroken: boolean
}

/** Gives `work` a connection. */
type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>

/** The connections for each kind of work. */
export interface Sessions {
  readonly write: WithSession
  readonly read: WithSession
  readonly longRead: WithSession
}

/** Each use has a connection of the pool. Neither writes nor long reads take all of them from short reads. */
export function sessionsOf(pool: Pool, statements: Statements): Sessions {
  const share = Math.max(1, Math.floor((pool.options.max - 1) / 2))
  const limited = (what: string): WithSession => {
    const reason = `Other ${what} take all connections of this process.`
    const limit = new ConcurrencyLimit(share, WAIT_MS, () => databaseBusy(reason))
    return (work) => limit.run(() => withSession(work))
  }
  const withSession: WithSession = async (work) => {
    const client = await explained(pool.connect())
    let last: Promise<unknown> = Promise.resolve()
    // Statements run in their order, also those that a caller starts at the same time. Early releases of `pg` send each
    // when the one before is answered: they warn where one is asked for earlier.
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
      query: (sql, values, options) => run({ ...statements.of(sql, options), values: [...values] }),
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

/** All uses have this connection: a scope inside of another one would end it. */
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

/** How much work of one kind runs at once. The rest waits: first come, first served. */
class ConcurrencyLimit {
  private running = 0
  private readonly waiting: (() => void)[] = []

  /** Work that waits for longer than `waitMs` rejects with `createError()`. */
  constructor(
    private readonly max: number,
    private readonly waitMs: number,
    private readonly createError: () => Error,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running === this.max) await this.turn()
    else this.running++
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        reject(this.createError())
      }, this.waitMs)
      this.waiting.push(start)
    })
  }
}

interface StatementOptions {
  /** Its text hardly comes again, as it depends on the number of rows. Default false. */
  readonly isRare?: boolean
}

/** More are those of an insert of several rows. */
export const MAX_COMMON_VALUES = 10
/** Each keeps memory in every connection. */
const MAX_PREPARED = 200
/** A cursor has the columns of its query: FETCH is not the same statement again. */
const PREPARABLE = /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/

/** Statements of one pool. Each connection prepares them once: to plan them takes longer than most of them do. */
export class Statements {
  private readonly prepared = new Map<string, QueryConfig>()

  of(sql: string, { isRare = false }: StatementOptions = {}): QueryConfig {
    const known = this.prepared.get(sql)
    if (known) return known
    const text = toPostgres(sql)
    if (isRare || this.prepared.size === MAX_PREPARED || !PREPARABLE.test(sql)) return { text }
    const statement = { text, name: `s${this.prepared.size}` }
    this.prepared.set(sql, statement)
    return statement
  }
}

/** `$1` for the first `?`; no text in the statements has a `?`. */
function toPostgres(sql: string): string {
  let count = 0
  return sql.replaceAll('instr(', 'strpos(').replaceAll('?', () => `$${++count}`)
}
