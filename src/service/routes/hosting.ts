/** Published files as visitors fetch them (facts: Hosting). Open to everyone, from every origin. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ServiceApp, ServiceContext } from '../context.ts'
import { HttpError } from '../http-error.ts'
import { PRODUCTION } from '../store/projects.ts'

const decompress = promisify(gunzip)

/** Where hosting is below the service's address. */
export const HOSTING_PATH = '/_cdn'

export function addHostingRoutes(app: ServiceApp, { store }: ServiceContext): void {
  app.options(`${HOSTING_PATH}/*`, (c) =>
    c.body(null, 204, {
      ...CORS,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400',
    }),
  )

  app.get(`${HOSTING_PATH}/*`, async (c) => {
    const [project = '', environment = '', ...rest] = new URL(c.req.url).pathname
      .slice(HOSTING_PATH.length + 1)
      .split('/')
    const find = (path: string) => store.publications.find(decode(project), decode(environment), path)
    const found = find(rest.join('/')) ?? find(canonicalPath(rest))
    if (!found) {
      throw new HttpError(404, 'NOT_FOUND', 'Nothing is published at this address.', { headers: CORS })
    }
    const zipped = acceptsGzip(c.req.header('accept-encoding'))
    const etag = `"${found.hash.slice(0, 32)}${zipped ? '-gzip' : ''}"`
    const headers: Record<string, string> = {
      ...CORS,
      etag,
      vary: 'Accept-Encoding',
      'cache-control': decode(environment) === PRODUCTION ? 'public, max-age=3600' : 'no-cache',
    }
    if (matches(c.req.header('if-none-match'), found.hash.slice(0, 32))) return c.body(null, 304, headers)
    const compressed = store.publications.content(found.hash)
    if (!compressed) throw new HttpError(404, 'NOT_FOUND', 'Nothing is published at this address.', { headers: CORS })
    headers['content-type'] = 'application/json; charset=utf-8'
    if (!zipped) return c.body(toBody(await decompress(compressed)), 200, headers)
    headers['content-encoding'] = 'gzip'
    headers['content-length'] = String(compressed.length)
    return c.body(toBody(compressed), 200, headers)
  })
}

const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag' }

/** The address under which the file was published: one segment for the language, one for the whole namespace, encoded one way. */
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

function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((item) => {
    const [name, quality] = item
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    return (name === 'gzip' || name === '*') && !/^q=0(\.0*)?$/.test(quality ?? '')
  })
}

function matches(header: string | undefined, hash: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((item) => {
    const tag = item.trim().replace(/^W\//, '')
    return tag === '*' || tag === `"${hash}"` || tag === `"${hash}-gzip"`
  })
}

/** The bytes alone, without the pool they may be cut from. */
function toBody(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
}
