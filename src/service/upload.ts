/** The multipart body of an import: one part `file`, streamed, capped. */
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { badRequest, type HttpError, tooLargeOf } from './http-error.ts'

/** How often it is looked whether the parser still gets on; twice the same says it does not: it only has to look through a buffer. */
const STALLED_MS = 1_000

/** The bytes of the part `file`. Anything malformed, cut short or doubled is a 400; more than `maxBytes` a 413. */
export function readUpload(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const contentType = incoming.headers['content-type']
    if (!contentType || !/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) {
      return reject(badRequest('The import is a multipart form with a file part "file".'))
    }
    let parser: BusboyInstance
    try {
      parser = new Busboy({
        headers: { ...incoming.headers, 'content-type': contentType },
        limits: { fileSize: maxBytes, files: 2, fields: 20, fieldSize: 100_000, parts: 24 },
        // A part without a file name is the file too: small clients leave the name out.
        isPartAFile: (name, type, fileName) =>
          name === 'file' || fileName !== undefined || type === 'application/octet-stream',
      })
    } catch (error) {
      return reject(badRequest(`The multipart form cannot be read: ${error instanceof Error ? error.message : error}`))
    }
    const chunks: Buffer[] = []
    let found = false
    let settled = false
    let isStuck = false
    const fail = (error: HttpError) => {
      if (settled) return
      settled = true
      incoming.unpipe(parser)
      incoming.resume()
      chunks.length = 0
      reject(error)
    }
    const cutShort = () => fail(badRequest('The upload ended before it was complete.'))

    parser.on('file', (name, stream) => {
      // Without this listener a truncated upload ends the process.
      stream.on('error', cutShort)
      if (name !== 'file') return void stream.resume()
      if (found) {
        stream.resume()
        return fail(badRequest('The form has more than one part "file".'))
      }
      found = true
      stream.on('data', (chunk: Buffer) => {
        if (!settled) chunks.push(chunk)
      })
      stream.on('limit', () => fail(tooLargeOf(maxBytes)))
    })
    parser.on('error', (error) =>
      fail(badRequest(`The multipart form cannot be read: ${error instanceof Error ? error.message : error}`)),
    )
    parser.on('finish', () => {
      if (settled) return
      if (!found) return fail(badRequest('The form has no part "file".'))
      settled = true
      resolve(Buffer.concat(chunks))
    })
    incoming.on('error', cutShort)
    // Some malformed forms leave the parser waiting, with neither an end nor an error: it takes no more, or there is no more.
    const stalled = setInterval(() => {
      if (settled) clearInterval(stalled)
      else if (incoming.isPaused() || incoming.readableEnded) {
        if (isStuck) fail(badRequest('The multipart form is malformed.'))
        isStuck = true
      } else isStuck = false
    }, STALLED_MS).unref()
    parser.on('drain', () => {
      isStuck = false
    })
    incoming.pipe(parser)
  })
}
