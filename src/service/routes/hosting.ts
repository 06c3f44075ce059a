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
    const supports = ['gzip', 'identity']
    const encoding = accepts(c, { header: 'Accept-Encoding', supports, default: 'identity' })
    const headersOf = (hash: string): Record<string, string> => ({
      etag: `"${tagOf(hash)}${encoding === 'gzip' ? '-gzip' : ''}"`,
      vary: 'Accept-Encoding',
      'cache-control': decode(environment) === PRODUCTION ? 'public, max-age=3600' : 'no-cache',
    })
    const address = [decode(project), decode(environment)] as const
    const links = [rest.join('/'), canonicalPath(rest)]
    const known = c.req.header('if-none-match')
    if (known !== undefined) {
      const hash = await first(links, (link) => store.publications.findHash(...address, link))
      if (matches(known, tagOf(hash))) return c.body(null, 304, headersOf(hash))
    }
    const { hash, compressed } = await first(links, (link) => store.publications.findContent(...address, link))
    const headers = { ...headersOf(hash), 'content-type': 'application/json; charset=utf-8' }
    if (encoding !== 'gzip') return c.body(new Uint8Array(await decompress(compressed)), 200, headers)
    return c.body(new Uint8Array(compressed), 200, {
      ...headers,
      'content-encoding': 'gzip',
      'content-length': String(compressed.length),
    })
  })
}

/** What the first of the links leads to. */
async function first<T>(links: readonly string[], find: (link: string) => Promise<T | undefined>): Promise<T> {
  for (const link of links) {
    const found = await find(link)
    if (found !== undefined) return found
  }
  throw new HttpError(404, 'NOT_FOUND', 'Nothing is published at this address.')
}

function tagOf(hash: string): string {
  return hash.slice(0, 32)
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
function matches(header: string, tag: string): boolean {
  const tags = header.split(',').map((item) => item.trim().replace(/^W\//, ''))
  return ['*', `"${tag}"`, `"${tag}-gzip"`].some((known) => tags.includes(known))
}
