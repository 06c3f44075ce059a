/** Exported files (contract: Export result). The address is the credential. */
import { Hono } from 'hono'
import type { ServiceEnv } from '../context.ts'
import type { FileStore } from '../files.ts'
import { HttpError } from '../http-error.ts'

/** As an app of its own: it may be served on a second port. */
export function createFileApp(files: FileStore): Hono<ServiceEnv> {
  return new Hono<ServiceEnv>().get('/files/:token', (c) => {
    const body = files.get(c.req.param('token'))
    if (!body) throw new HttpError(404, 'NOT_FOUND', 'The file has expired or never was: export again.')
    return c.body(new Uint8Array(body), 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      'cache-control': 'private, no-store',
    })
  })
}
