/** The multipart body of an import: one part `file`, streamed, capped. */
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { messageOf } from '../errors.ts'
import { badRequest, type HttpError, tooLargeOf } from './http-error.ts'
import { Turns } from './turns.ts'

/** How often the parser's progress is checked. It works in memory: twice without progress means that it is stuck. */
const STALLED_MS = 1_000
/** How long the bytes of uploads are worked on before other requests get their turn. */
export const UPLOAD_TURN_MS = 10
/** Bytes that are worked on without a look at the time. */
const PART_BYTES = 2 ** 13

/**
 * Passes on the bytes of the part `file` as they come. `turns`: those of all uploads. An error of `take`
 * refuses the upload at its end: a client that still sends would miss the answer. Anything malformed, cut short or
 * doubled is a 400; more than `maxBytes` a 413.
 */
export async function readUpload(
  incoming: IncomingMessage,
  maxBytes: number,
  take: (bytes: Buffer) => void,
  turns = new Turns(UPLOAD_TURN_MS),
): Promise<void> {
  const parser = createParser(incoming, maxBytes)
  let watch: NodeJS.Timeout | undefined
  let refusal: unknown
  let taken = Promise.resolve()
  let isStuck = false
  const takeParts = async (chunk: Buffer) => {
    // What is refused is read to its end, which takes time as well.
    await turns.next()
    try {
      for (let at = 0; at < chunk.length && refusal === undefined; at += PART_BYTES) {
        await turns.next()
        isStuck = false
        take(chunk.subarray(at, at + PART_BYTES))
      }
    } catch (error) {
      refusal = error
    }
  }
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (message: string) => reject(badRequest(message))
      const cutShort = () => refuse('The upload ended before it was complete.')
      // The connection ended before anything was read: no event follows.
      if (incoming.destroyed) cutShort()
      let isFound = false
      parser.on('file', (name, stream) => {
        // Without this listener a truncated upload ends the process.
        stream.on('error', cutShort)
        if (name !== 'file') return void stream.resume()
        if (isFound) refuse('The form has more than one part "file".')
        isFound = true
        stream.on('data', (chunk: Buffer) => {
          stream.pause()
          taken = taken.then(() => takeParts(chunk)).then(() => void stream.resume())
        })
        stream.on('limit', () => reject(tooLargeOf(maxBytes)))
      })
      parser.on('error', (error) => reject(unreadable(error)))
      parser.on('finish', async () => {
        await taken
        if (refusal !== undefined) reject(refusal)
        else if (isFound) resolve()
        else refuse('The form has no part "file".')
      })
      incoming.on('error', cutShort)
      // Some malformed forms leave the parser waiting, with neither an end nor an error.
      watch = setInterval(() => {
        const waits = incoming.isPaused() || incoming.readableEnded
        if (waits && isStuck) refuse('The multipart form is malformed.')
        isStuck = waits
      }, STALLED_MS).unref()
      parser.on('drain', () => {
        isStuck = false
      })
      incoming.pipe(parser)
    })
  } finally {
    clearInterval(watch)
    incoming.unpipe(parser)
    incoming.resume()
  }
}

function createParser({ headers }: IncomingMessage, maxBytes: number): BusboyInstance {
  const contentType = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) {
    throw badRequest('The import is a multipart form with a file part "file".')
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      limits: { fileSize: maxBytes, files: 2, fields: 20, fieldSize: 100_000, parts: 24 },
      // A part without a file name is the file too: small clients leave the name out.
      isPartAFile: (name, type, fileName) =>
        name === 'file' || fileName !== undefined || type === 'application/octet-stream',
    })
  } catch (error) {
    throw unreadable(error)
  }
}

function unreadable(error: unknown): HttpError {
  return badRequest(`The multipart form cannot be read: ${messageOf(error)}`)
}
