/**
 * Serves stored files. Published files (facts: Hosting) are public and can be fetched from any origin. Exported files
 * (contract: Export result) have secret URLs.
 */
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Hono } from 'hono'
import { accepts } from 'hono/accepts'
import type { ServiceApp, ServiceContext, ServiceEnv, ServiceRequest } from '../context.ts'
import { send } from '../endpoint.ts'
import { HttpError } from '../http-error.ts'
import type { GzipFile } from '../json-file.ts'
import { isStorable } from '../request.ts'
import { PRODUCTION } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

/** One hour (facts: Hosting). For 5 more minutes, a cache may serve the old file while it revalidates. */
const PRODUCTION_CACHE = 'public, max-age=3600, stale-while-revalidate=300'

/** Relative to the service's URL. */
export const HOSTING_PATH = '/_cdn'

export function addHostingRoutes(app: ServiceApp, { store }: ServiceContext): void {
  app.use(`${HOSTING_PATH}/*`, (c, next) => {
    const { outgoing } = c.env
    outgoing.setHeader('access-control-allow-origin', '*')
    outgoing.setHeader('access-control-expose-headers', 'ETag')
    return next()
  })
  app.options(`${HOSTING_PATH}/*`, (c) => {
    const asked = c.req.header('access-control-request-headers')
    return send(c, 204, {
      'access-control-allow-methods': 'GET,HEAD,OPTIONS',
      'access-control-max-age': '86400',
      ...(asked !== undefined && { 'access-control-allow-headers': asked, vary: 'Access-Control-Request-Headers' }),
    })
  })

  app.get(`${HOSTING_PATH}/*`, async (c) => {
    const path = new URL(c.req.url).pathname.slice(HOSTING_PATH.length + 1)
    const [project = '', environment = '', ...rest] = path.split('/')
    if (!path.split('/').map(decode).every(isStorable)) throw nothingPublished()
    const encoding = encodingOf(c)
    const headersOf = (hash: string): Record<string, string> => ({
      etag: `"${tagOf(hash)}${encoding === 'gzip' ? '-gzip' : ''}"`,
      vary: 'Accept-Encoding',
      'cache-control': decode(environment) === PRODUCTION ? PRODUCTION_CACHE : 'no-cache',
    })
    const address = [decode(project), decode(environment)] as const
    const links = [rest.join('/'), canonicalPath(rest)]
    const known = c.req.header('if-none-match')
    if (known !== undefined) {
      const hash = await first(links, (link) => store.publications.findHash(...address, link))
      if (matches(known, tagOf(hash))) return send(c, 304, headersOf(hash))
    }
    const file = await first(links, (link) => store.publications.findContent(...address, link))
    return answerFile(c, file, encoding, headersOf(file.hash))
  })
}

/** Returns the first result that is not `undefined`. Throws 404 if there is none. */
async function first<T>(links: readonly string[], find: (link: string) => Promise<T | undefined>): Promise<T> {
  for (const link of links) {
    const found = await find(link)
    if (found !== undefined) return found
  }
  throw nothingPublished()
}

function nothingPublished(): HttpError {
  return new HttpError(404, 'NOT_FOUND', 'Nothing is published at this address.')
}

function tagOf(hash: string): string {
  return hash.slice(0, 32)
}

/** Returns the path as it was published: one encoded segment for the language, and one for the whole namespace. */
function canonicalPath([language = '', ...namespace]: readonly string[]): string {
  const first = encodeURIComponent(decode(language))
  return namespace.length === 0 ? first : `${first}/${encodeURIComponent(namespace.map(decode).join('/'))}`
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** True if `If-None-Match` contains the file's tag, with or without the `-gzip` suffix. */
function matches(header: string, tag: string): boolean {
  const tags = header.split(',').map((item) => item.trim().replace(/^W\//, ''))
  return ['*', `"${tag}"`, `"${tag}-gzip"`].some((known) => tags.includes(known))
}

/** Serves exported files. The URL is the only credential. This is a separate app because it may have its own port. */
export function createFileApp(store: Store): Hono<ServiceEnv> {
  return new Hono<ServiceEnv>().get('/files/:token', async (c) => {
    const file = await store.exportedFiles.find(c.req.param('token'))
    if (!file) throw new HttpError(404, 'NOT_FOUND', 'The file has expired or never existed: export again.')
    return answerFile(c, file, encodingOf(c), { 'cache-control': 'private, no-store' })
  })
}

type Encoding = 'gzip' | 'identity'

function encodingOf(c: ServiceRequest): Encoding {
  const supports = ['gzip', 'identity']
  return accepts(c, { header: 'Accept-Encoding', supports, default: 'identity' }) === 'gzip' ? 'gzip' : 'identity'
}

/** Responds with a file that is stored as gzip. Decompresses it if the client does not accept gzip. */
export function answerFile(
  c: ServiceRequest,
  { size, chunks }: Pick<GzipFile, 'size' | 'chunks'>,
  encoding: Encoding,
  given: Readonly<Record<string, string>>,
): Response {
  const isGzip = encoding === 'gzip'
  const length = isGzip ? chunks.reduce((sum, chunk) => sum + chunk.length, 0) : size
  const headers = {
    ...given,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(length),
    vary: 'Accept-Encoding',
    ...(isGzip && { 'content-encoding': 'gzip' }),
  }
  const [only] = chunks
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, headers)
  if (isGzip && chunks.length === 1 && only) return send(c, 200, headers, only)
  const compressed = Readable.from(chunks)
  // If the client disconnects, both streams are destroyed.
  const body = isGzip ? compressed : pipeline(compressed, createGunzip(), () => {})
  return c.body(Readable.toWeb(body) as ReadableStream, 200, headers)
}
