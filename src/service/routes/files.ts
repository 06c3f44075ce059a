/** Exported files (contract: Export result). The address is the credential. */
import { Hono } from 'hono'
import type { ServiceEnv } from '../context.ts'
import { HttpError } from '../http-error.ts'
import type { Store } from '../store/store.ts'
import { answerFile, encodingOf } from './stored-file.ts'

/** As an app of its own: it may be served on a second port. */
export function createFileApp(store: Store): Hono<ServiceEnv> {
  return new Hono<ServiceEnv>().get('/files/:token', async (c) => {
    const file = await store.exportedFiles.find(c.req.param('token'))
    if (!file) throw new HttpError(404, 'NOT_FOUND', 'The file has expired or never was: export again.')
    return answerFile(c, file, encodingOf(c), { 'cache-control': 'private, no-store' })
  })
}
