import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import type { ServiceApp, ServiceContext, ServiceRequest } from '../context.ts'
import { checkPersonalToken } from '../endpoint.ts'
import { badRequest, HttpError, type HttpErrorCode } from '../http-error.ts'
import { isSameToken } from '../store/credentials.ts'

/** The time limit for the database check. */
const READY_MS = 2000

/** A client that downloads a backup is disconnected if it reads nothing for this time. */
const STALLED_MS = 60_000

const REASONS: Partial<Record<HttpErrorCode, string>> = {
  DATABASE_UPGRADED: 'the data was updated by a later version of the service: update this process',
  DATABASE_READ_ONLY: 'the database is read-only',
  LOCK_LOST: 'another process is using the data folder, or the folder was removed',
}

export function addOperationRoutes(app: ServiceApp, context: ServiceContext): void {
  const { instance, metrics, store } = context
  app.get('/health', (c) => c.json({ status: 'UP', instance }))
  app.get('/ready', async (c) => {
    const reason = await reasonNotReady(context)
    return c.json(
      reason === undefined ? { status: 'UP' } : { status: 'DOWN', reason },
      reason === undefined ? 200 : 503,
    )
  })
  addBackupRoute(app, context)
  if (!metrics) return
  app.get('/metrics', async (c) => {
    await checkMetricsToken(context, c)
    const text = metrics.figures.print(await store.jobs.countByState(), store.connections?.())
    return c.body(text, 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    })
  })
}

async function reasonNotReady({ store, run }: ServiceContext): Promise<string | undefined> {
  if (run.isStopping) return 'the service is stopping'
  const stop = new AbortController()
  try {
    const late = after(READY_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    const checked = await Promise.race([store.checkWritable().then(() => true), late])
    return checked ? undefined : `the database did not respond within ${READY_MS} ms`
  } catch (error) {
    return (error instanceof HttpError && REASONS[error.code]) || 'the database is not responding'
  } finally {
    stop.abort()
  }
}

/** Accepts the metrics token or a personal token. Prometheus sends it as a `Bearer` token. */
async function checkMetricsToken(context: ServiceContext, c: ServiceRequest): Promise<void> {
  const given = c.req.header('authorization')?.replace(/^Bearer /i, '')
  const expected = context.metrics?.token
  if (expected !== undefined && given !== undefined && isSameToken(expected, given)) return
  await checkPersonalToken(context.store, context.ownToken, c)
}

/**
 * Sends a copy of the data file while the service is running. Uses POST, so that opening the URL in a browser does not
 * start a backup.
 */
function addBackupRoute(app: ServiceApp, context: ServiceContext): void {
  const { dataFile } = context
  let isRunning = false
  app.post('/_service/backup', async (c) => {
    await checkPersonalToken(context.store, context.ownToken, c)
    if (!dataFile) throw badRequest("This service's data is not in a file. Back up PostgreSQL with pg_dump.")
    if (isRunning) throw new HttpError(409, 'BACKUP_RUNNING', 'A backup is still running.')
    isRunning = true
    return answerWithFile(c, dataFile, () => {
      isRunning = false
    })
  })
}

/** Calls `end` when the file has been sent, or the client has disconnected or reads nothing for `STALLED_MS`. */
function answerWithFile(
  c: ServiceRequest,
  { path, hold }: NonNullable<ServiceContext['dataFile']>,
  end: () => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = hold(async () => {
      const file = await open(path)
      const { size } = await file.stat()
      const stream = file.createReadStream({ highWaterMark: 1_000_000 })
      // Without a listener, Node closes the connection then.
      c.env.outgoing.setTimeout(STALLED_MS)
      // If the client disconnects before the response starts, the stream is never read.
      c.env.outgoing.once('close', () => stream.destroy())
      if (c.env.outgoing.destroyed) stream.destroy()
      const headers = { 'content-type': 'application/vnd.sqlite3', 'content-length': String(size) }
      resolve(c.body(Readable.toWeb(stream) as ReadableStream, 200, headers))
      if (!stream.closed) await once(stream, 'close')
    })
    sending.catch(reject).finally(end)
  })
}
