/** Reading what a request says: bounded, well-formed, and typed. */
import type { IncomingMessage } from 'node:http'
import type * as z from 'zod'
import { badRequest, HttpError, tooLargeOf } from './http-error.ts'

/** NUL and half surrogate pairs: neither can be stored and given back as it came. */
const ILL_FORMED = /[\0\ud800-\udfff]/u

/** Whether a text can be stored and given back unchanged. */
export function isStorable(text: string): boolean {
  return !ILL_FORMED.test(text)
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('The body is not valid UTF-8.')
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badRequest(`The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The whole body, at most `maxBytes`. */
async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLargeOf(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw badRequest('The request ended before its body was complete.')
  }
  return Buffer.concat(chunks, bytes)
}

/** JSON by its own name or by a suffix (RFC 6839). No type at all is taken: small clients leave it out. */
function checkJsonType({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim()
  if (!type || /^application\/(?:json|[\w.-]+\+json)$/i.test(type)) return
  throw new HttpError(415, 'UNSUPPORTED_TYPE', 'Send the body as application/json.')
}

/** Reads a JSON body and holds it against its schema. `anyText`: the caller looks itself whether its texts can be stored. */
export async function readJson<T extends z.ZodType>(
  incoming: IncomingMessage,
  schema: T,
  maxBytes: number,
  { anyText = false }: { readonly anyText?: boolean } = {},
): Promise<z.infer<T>> {
  const value = parseJson(decodeUtf8(await readBody(incoming, maxBytes)))
  const place = anyText ? undefined : findIllFormed(value)
  if (place !== undefined) throw badRequest(`The text at ${place} holds NUL or half of a surrogate pair.`)
  const parsed = schema.safeParse(value)
  if (parsed.success) {
    // Last: what is wrong with the body itself says more than its label.
    checkJsonType(incoming)
    return parsed.data
  }
  const errors = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
  throw badRequest(`The body is not as the contract says: ${errors[0]}`, errors)
}

/** Walks without recursion: bodies may be nested deeper than the stack. */
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

/** The query's parameters. NUL is refused; ill-formed text cannot come through an address. */
export class Query {
  constructor(private readonly parameters: URLSearchParams) {
    for (const [name, value] of parameters) {
      if (!isStorable(name) || !isStorable(value))
        throw badRequest(`Query parameter ${JSON.stringify(name)} holds NUL.`)
    }
  }

  text(name: string): string | undefined {
    return this.parameters.get(name) ?? undefined
  }

  /** Like `text`, but an empty value is as good as none. */
  filled(name: string): string | undefined {
    return this.parameters.get(name) || undefined
  }

  required(name: string): string {
    const value = this.filled(name)
    if (value === undefined) throw badRequest(`Query parameter ${name} is required.`)
    return value
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    const value = this.filled(name)
    if (value === undefined) return undefined
    const found = known.find((item) => item === value)
    if (found === undefined) throw badRequest(`Query parameter ${name} is one of ${known.join(', ')}, not ${value}.`)
    return found
  }

  integer(name: string, fallback: number, least: number, most: number): number {
    const value = this.filled(name)
    if (value === undefined) return fallback
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= least && number <= most)) {
      throw badRequest(`Query parameter ${name} is a whole number from ${least} to ${most}, not ${value}.`)
    }
    return number
  }

  /** Repeated, or joined with commas. */
  list(name: string): string[] {
    return this.parameters.getAll(name).flatMap((value) => value.split(',').filter((item) => item !== ''))
  }

  options<T extends string>(name: string, known: readonly T[]): Set<T> {
    const values = this.list(name)
    const unknown = values.filter((value) => !known.includes(value as T))
    if (unknown.length > 0) throw badRequest(`Unknown ${name}: ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
    return new Set(values as T[])
  }
}
