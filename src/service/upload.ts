/** Reads the multipart body of an import: a single `file` part, streamed, with a size limit. */
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { messageOf } from '../errors.ts'
import { badRequest, type HttpError, tooLargeOf } from './http-error.ts'
import { Turns } from './scheduling.ts'

/**
 * The interval between progress checks. The parser works in memory: if two checks in a row find no progress, it is
 * stuck.
 */
const STALLED_MS = 1_000
/** The time spent on uploads before other requests get a turn, in milliseconds. */
const TURN_MS = 10
const PART_BYTES = 2 ** 13

/** Shared by all uploads. */
const turns = new Turns(TURN_MS)

interface UploadOptions {
  /** Called after each chunk of the file. `received` is the number of bytes so far. */
  readonly isLarge?: (received: number) => boolean
  /** Called once if the upload is large. Reading continues when the promise resolves. */
  readonly onLarge?: () => Promise<void>
}

/**
 * Passes the bytes of the `file` part to `take` as they arrive. If `take` throws, the rest is still read before the
 * upload is refused, because a client that is still sending would miss the response. Throws 400 if the part is
 * malformed, incomplete or duplicate, and 413 if it exceeds `maxBytes`.
 */
export async function readUpload(
  incoming: IncomingMessage,
  maxBytes: number,
  take: (bytes: Buffer) => void,
  { isLarge = () => false, onLarge }: UploadOptions = {},
): Promise<void> {
  const parser = createParser(incoming, maxBytes)
  let watch: NodeJS.Timeout | undefined
  let refusal: unknown
  let taken = Promise.resolve()
  let isStuck = false
  let isHeld = false
  let wasHeld = false
  let received = 0
  const takeParts = async (chunk: Buffer) => {
    // A refused body is still read to its end, which also takes time.
    await turns.next()
    try {
      for (let at = 0; at < chunk.length && refusal === undefined; at += PART_BYTES) {
        await turns.next()
        isStuck = false
        const part = chunk.subarray(at, at + PART_BYTES)
        take(part)
        received += part.length
        if (wasHeld || !isLarge(received)) continue
        wasHeld = true
        isHeld = true
        await onLarge?.()
        isHeld = false
      }
    } catch (error) {
      refusal = error
    }
  }
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (message: string) => reject(badRequest(message))
      const cutShort = () => refuse('The upload ended before it was complete.')
      // The connection was closed before the first read, so no event follows.
      if (incoming.destroyed) cutShort()
      let isFound = false
      parser.on('file', (name, stream) => {
        // Without this listener, a truncated upload would crash the process.
        stream.on('error', cutShort)
        if (name !== 'file') return void stream.resume()
        if (isFound) refuse('The form has more than one "file" part.')
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
        else refuse('The form has no "file" part.')
      })
      incoming.on('error', cutShort)
      // For some malformed bodies, the parser emits neither `finish` nor `error`.
      watch = setInterval(() => {
        const waits = !isHeld && (incoming.isPaused() || incoming.readableEnded)
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
    throw badRequest('The import must be a multipart form with a "file" part.')
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      limits: { fileSize: maxBytes, files: 2, fields: 20, fieldSize: 100_000, parts: 24 },
      // A `file` part is a file even if it has no file name, because simple clients omit the name.
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
