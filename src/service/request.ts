/** Reads and validates requests. */

import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import * as z from 'zod'
import { messageOf } from '../errors.ts'
import { badRequest, HttpError, tooLargeOf } from './http-error.ts'
import { JsonBodyParser } from './json-body.ts'
import { LIMITS } from './limits.ts'
import { Turns } from './scheduling.ts'

/** Matches NUL and unpaired surrogates, which cannot be stored and returned unchanged. */
const ILL_FORMED = /[\0\ud800-\udfff]/u

/** True if `text` can be stored and returned unchanged. */
export function isStorable(text: string): boolean {
  return !ILL_FORMED.test(text)
}

/** Returns each entry's namespace. The entries need not be validated yet. */
export function namespacesOf(entries: readonly unknown[]): string[] {
  return entries.map((entry) => {
    const { namespace } = (entry ?? {}) as { readonly namespace?: unknown }
    return typeof namespace === 'string' ? namespace : ''
  })
}

/** Reads a JSON value of at most `maxBytes`. If the body is refused, the rest of it is still read. */
async function readValue(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  const parser = new JsonBodyParser(LIMITS.bodyValues)
  let refusal: unknown
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLargeOf(maxBytes)
      if (refusal !== undefined) continue
      try {
        parser.push(chunk)
      } catch (error) {
        refusal = error
      }
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw badRequest('The request ended before its body was complete.')
  }
  if (refusal !== undefined) throw refusal
  return parser.end()
}

/** Reads and validates a JSON body. If `anyText` is set, the caller checks whether texts can be stored. */
export async function readJson<T extends z.ZodType>(
  incoming: IncomingMessage,
  schema: T,
  maxBytes: number,
  { anyText }: { readonly anyText?: true | undefined } = {},
): Promise<z.infer<T>> {
  const value = await readValue(incoming, maxBytes)
  const place = anyText ? undefined : findIllFormed(value)
  if (place !== undefined) throw badRequest(`The string at ${place} contains NUL or an unpaired surrogate.`)
  const { success, data, error } = schema.safeParse(value)
  if (!success) {
    const errors = issuesOf(error)
    throw badRequest(`The body does not match the contract: ${errors[0]}`, errors)
  }
  // JSON types may have a suffix, as in `application/problem+json` (RFC 6839). Simple clients omit the header.
  const type = incoming.headers['content-type']?.split(';', 1)[0]?.trim()
  if (!type || /^application\/(?:json|[\w.-]+\+json)$/i.test(type)) return data
  throw new HttpError(415, 'UNSUPPORTED_TYPE', 'Send the body as application/json.')
}

export function issuesOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
}

/**
 * Returns the path of a text or name that cannot be stored. Iterative, because bodies may be nested deeper than the
 * stack allows.
 */
function findIllFormed(root: unknown): string | undefined {
  const stack: { value: unknown; path: string }[] = [{ value: root, path: 'body' }]
  for (let node = stack.pop(); node; node = stack.pop()) {
    const { value, path } = node
    if (typeof value === 'string') {
      if (!isStorable(value)) return path
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        if (!isStorable(name)) return `${path} (a name)`
        stack.push({ value: child, path: path.length < 200 ? `${path}.${name}` : path })
      }
    }
  }
  return undefined
}

/** Validates the query. A parameter for an array can be repeated, or can contain several values separated by commas. */
export function parseQuery<T extends z.ZodObject>(schema: T, parameters: URLSearchParams): z.output<T> {
  const known = queryParameters(schema)
  const given: Record<string, unknown> = {}
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name)
    if (![name, ...values].every(isStorable)) throw badRequest(`Query parameter ${JSON.stringify(name)} contains NUL.`)
    const [value = '', second] = values
    const type = Object.hasOwn(known, name) ? known[name]?.type : undefined
    if (type === undefined) continue
    if (type === 'array') given[name] = values.flatMap((item) => item.split(',')).filter((item) => item !== '')
    else if (second !== undefined) throw badRequest(`Query parameter ${name} is given ${values.length} times.`)
    // An empty value means that the parameter is missing. An empty namespace is the default namespace.
    else if (value === '' && name !== 'namespace') continue
    else given[name] = type === 'integer' ? wholeNumber(name, value) : value
  }
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const errors = issuesOf(error).map((issue) => `Query parameter ${issue}`)
  throw badRequest(errors[0] ?? '', errors)
}

function wholeNumber(name: string, value: string): number {
  if (/^-?\d+$/.test(value)) return Number(value)
  throw badRequest(`Query parameter ${name}: ${JSON.stringify(value)} is not a whole number.`)
}

const described = new WeakMap<z.ZodObject, Record<string, z.core.JSONSchema.BaseSchema>>()

/** The JSON schemas of a query's parameters. */
export function queryParameters(schema: z.ZodObject): Record<string, z.core.JSONSchema.BaseSchema> {
  const known = described.get(schema)
  if (known) return known
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
  const parameters = properties as Record<string, z.core.JSONSchema.BaseSchema>
  described.set(schema, parameters)
  return parameters
}

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

/**
 * Passes the bytes of the `file` part to `take` as they arrive, with the number of bytes so far. If `take` returns a
 * promise, reading continues when it resolves. If `take` throws, the rest is still read before the
 * upload is refused, because a client that is still sending would miss the response. Throws 400 if the part is
 * malformed, incomplete or duplicate, and 413 if it exceeds `maxBytes`.
 */
export async function readUpload(
  incoming: IncomingMessage,
  maxBytes: number,
  take: (bytes: Buffer, received: number) => Promise<unknown> | undefined,
): Promise<void> {
  const parser = createParser(incoming, maxBytes)
  let watch: NodeJS.Timeout | undefined
  let refusal: unknown
  let taken = Promise.resolve()
  let isStuck = false
  let isHeld = false
  let received = 0
  const takeParts = async (chunk: Buffer) => {
    // A refused body is still read to its end, which also takes time.
    await turns.next()
    try {
      for (let at = 0; at < chunk.length && refusal === undefined; at += PART_BYTES) {
        await turns.next()
        isStuck = false
        const part = chunk.subarray(at, at + PART_BYTES)
        received += part.length
        const held = take(part, received)
        if (!held) continue
        isHeld = true
        await held
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
