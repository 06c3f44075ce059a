/** Reads and validates requests. */
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { badRequest, HttpError, tooLargeOf } from './http-error.ts'
import { JsonBodyParser } from './json-body.ts'
import { LIMITS } from './limits.ts'

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
  const parser = new JsonBodyParser({ maxValues: LIMITS.bodyValues })
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
