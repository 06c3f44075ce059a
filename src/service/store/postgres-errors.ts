/** Maps errors from PostgreSQL and the network to error responses. */
import { LocalizationError } from '../../errors.ts'
import { databaseBusy, databaseReadOnly, databaseUnavailable, HttpError, storageFull } from '../http-error.ts'

/** True for a serialization failure or a deadlock. The transaction was rolled back, and a retry may succeed. */
export function hasMetAnother(answer: unknown): boolean {
  return answer instanceof HttpError && ['40001', '40P01'].includes(codeOf(answer.cause))
}

/** Returns the response for errors that a caller can act on, and other errors unchanged. */
export function toAnswer(error: unknown): unknown {
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
