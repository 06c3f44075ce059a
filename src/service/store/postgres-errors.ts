/** What an error of PostgreSQL or of the network means for a request. */
import { LocalizationError } from '../../errors.ts'
import { databaseBusy, databaseReadOnly, databaseUnavailable, HttpError, storageFull } from '../http-error.ts'

/** A serialization failure or a deadlock, as its answer: the transaction was rolled back and may succeed now. */
export function hasMetAnother(answer: unknown): boolean {
  return answer instanceof HttpError && ['40001', '40P01'].includes(codeOf(answer.cause))
}

/** Errors that a caller can act on, as the answer to give; other errors as they are. */
export function toAnswer(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '53100') return storageFull(error)
  if (code === '25006') return databaseReadOnly(error)
  const reason = BUSY[code] ?? (isPoolExhausted(error) ? 'All connections of this process are in use.' : undefined)
  if (reason !== undefined) return databaseBusy(reason, error)
  return isUnavailable(error) ? databaseUnavailable(error) : error
}

/** The same result; errors that a caller can act on are answers. */
export async function explained<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw toAnswer(error)
  }
}

/** By SQLSTATE. The server has undone what the statement did. */
const BUSY: Readonly<Record<string, string>> = {
  '40001': 'Other writes changed the same data again and again.',
  '40P01': 'Other writes changed the same data again and again.',
  '53300': 'The database has no free connection.',
  '55P03': 'Another write to the project, or a publish, takes too long.',
  '57014': 'A statement took longer than the database allows.',
}

/** The pool is at its size, and nothing was given back in time. */
function isPoolExhausted(error: unknown): boolean {
  return /timeout exceeded when trying to connect/.test((error as Error).message)
}

/** A disk so full that the server ended the connection: what it did with a commit is unknown. */
export function isFullDisk(answer: unknown): boolean {
  return answer instanceof HttpError && codeOf(answer.cause) === '53100'
}

/**
 * SQLSTATE class 08, a server that ends, starts or only reads, a session that the server ended, an account that is no
 * longer let in; what the network says; and no answer in time.
 */
export function isUnavailable(error: unknown): boolean {
  return (
    // A new connection that was refused.
    error instanceof LocalizationError ||
    /^(?:08|28|57P0|25P03|25006|3D000)/.test(codeOf(error)) ||
    /^E[A-Z_]+$/.test(codeOf(error)) ||
    /connection terminated|timeout expired|query read timeout|not queryable/i.test((error as Error).message)
  )
}

/** SQLSTATE, or the code of an error of Node. */
function codeOf(error: unknown): string {
  return (error as { code?: string } | undefined)?.code ?? ''
}
