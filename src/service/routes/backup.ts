/** A copy of the data file while the service runs. Not in the contract. */
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { checkPersonalToken } from '../auth.ts'
import type { DataFile, ServiceApp, ServiceContext, ServiceRequest } from '../context.ts'
import { badRequest, HttpError } from '../http-error.ts'

/** POST: whoever only looks at an address begins no backup. */
export function addBackupRoute(app: ServiceApp, context: ServiceContext): void {
  const { dataFile } = context
  let isRunning = false
  app.post('/_service/backup', async (c) => {
    await checkPersonalToken(context, c)
    if (!dataFile) throw badRequest('The data of this service is in no file. For a database, use pg_dump.')
    if (isRunning) throw new HttpError(409, 'BACKUP_RUNNING', 'A backup is still running.')
    isRunning = true
    return answerWithFile(c, dataFile, () => {
      isRunning = false
    })
  })
}

/** `end` is called when the file has been sent, or its reader is gone. */
function answerWithFile(c: ServiceRequest, { path, hold }: DataFile, end: () => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = hold(async () => {
      const file = await open(path)
      const { size } = await file.stat()
      const stream = file.createReadStream({ highWaterMark: 1_000_000 })
      // A reader that left before the answer began never reads.
      c.env.outgoing.once('close', () => stream.destroy())
      if (c.env.outgoing.destroyed) stream.destroy()
      const headers = { 'content-type': 'application/vnd.sqlite3', 'content-length': String(size) }
      resolve(c.body(Readable.toWeb(stream) as ReadableStream, 200, headers))
      if (!stream.closed) await once(stream, 'close')
    })
    sending.catch(reject).finally(end)
  })
}
