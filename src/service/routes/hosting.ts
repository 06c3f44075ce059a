/** Published files as visitors fetch them (facts: Hosting). Open to everyone, from every origin. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { accepts } from 'hono/accepts'
import { cors } from 'hono/cors'
import type { ServiceApp, ServiceContext } from '../context.ts'
import { HttpError } from '../http-error.ts'
import { PRODUCTION } from '../store/projects.ts'

const decompress = promisify(gunzip)

/** Where hosting is below the service's address. */
export const HOSTING_PATH = '/_cdn'

export function addHostingRoutes(app: ServiceApp, { store }: ServiceContext): void {
  app.use(
    `${HOSTING_PATH}/*`,
    cors({ origin: '*', allowMethods: ['GET', 'HEAD', 'OPTIONS'], exposeHeaders: ['ETag'], maxAge: 86_400 }),
  )

  app.get(`${HOSTING_PATH}/*`, async (c) => {
    const path = new URL(c.req.url).pathname.slice(HOSTING_PATH.length + 1)
    const [project = '', environment = '', ...rest] = path.split('/')
    const find = (link: string) => store.publications.findHash(decode(project), decode(environment), link)
    const hash = find(rest.join('/')) ?? find(canonicalPath(rest))
    const compressed = hash === undefined ? undefined : store.publications.content(hash)
    if (hash === undefined || !compressed)
      throw new HttpError(404, 'NOT_FOUND', 'Nothing is published at this address.')

    const supports = ['gzip', 'identity']
    const encoding = accepts(c, { header: 'Accept-Encoding', supports, default: 'identity' })
    const tag = hash.slice(0, 32)
    const headers: Record<string, string> = {
      etag: `"${tag}${encoding === 'gzip' ? '-gzip' : ''}"`,
      vary: 'Accept-Encoding',
      'cache-control': decode(environment) === PRODUCTION ? 'public, max-age=3600' : 'no-cache',
    }
    if (matches(c.req.header('if-none-match'), tag)) return c.body(null, 304, headers)
    headers['content-type'] = 'application/json; charset=utf-8'
    if (encoding !== 'gzip') return c.body(new Uint8Array(await decompress(compressed)), 200, headers)
    headers['content-encoding'] = 'gzip'
    headers['content-length'] = String(compressed.length)
    return c.body(new Uint8Array(compressed), 200, headers)
  })
}

/** The path under which the file was published: one encoded segment for the language, one for the whole namespace. */
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

/** Whether `If-None-Match` names the content, in either encoding. */
function matches(header = '', tag: string): boolean {
  const tags = header.split(',').map((item) => item.trim().replace(/^W\//, ''))
  return ['*', `"${tag}"`, `"${tag}-gzip"`].some((known) => tags.includes(known))
}
