/** Answers with a file that is stored compressed: as it is, or decompressed on the way. */
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { accepts } from 'hono/accepts'
import { send } from '../answer.ts'
import type { ServiceRequest } from '../context.ts'
import type { StoredFile } from '../store/contents.ts'

export type Encoding = 'gzip' | 'identity'

export function encodingOf(c: ServiceRequest): Encoding {
  const supports = ['gzip', 'identity']
  return accepts(c, { header: 'Accept-Encoding', supports, default: 'identity' }) === 'gzip' ? 'gzip' : 'identity'
}

export function answerFile(
  c: ServiceRequest,
  { size, chunks }: Pick<StoredFile, 'size' | 'chunks'>,
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
  // A client that leaves ends both streams.
  const body = isGzip ? compressed : pipeline(compressed, createGunzip(), () => {})
  return c.body(Readable.toWeb(body) as ReadableStream, 200, headers)
}
