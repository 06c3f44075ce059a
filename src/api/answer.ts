/** From an HTTP answer to a checked value, or to its failure. */

import { isUtf8 } from 'node:buffer'
import * as z from 'zod'
import { AttemptFailure, codeOfStatus, type FailureDetails } from './failure.ts'
import type { Failure } from './retry.ts'
import { errorBodySchema } from './schemas.ts'
import type { Exchange } from './transport.ts'

/**
 * An answer that is whole but not what the endpoint promises. Repeating it would bring the same again. Its words are
 * shown unless they are JSON: answers hold API keys and signed addresses of their own.
 */
export function unexpected(message: string, exchange: Exchange, failure: Failure = { kind: 'final' }): AttemptFailure {
  const text = textOf(exchange.body)
  return new AttemptFailure(message, {
    code: 'API_UNEXPECTED_ANSWER',
    failure,
    status: exchange.status,
    ...(!/^\ufeff?\s*["[{]/.test(text) && { serviceMessage: text }),
  })
}

/** The failure that an answer's status means. */
export function statusFailure(
  exchange: Exchange,
  retryAfterMs: number | undefined,
  status = exchange.status,
): AttemptFailure {
  const failure = { kind: 'status', status, retryAfterMs } as const
  return new AttemptFailure(String(status), { code: codeOfStatus(status), failure, status, ...serviceWords(exchange) })
}

/** The JSON value of a body. `__proto__` becomes an ordinary property, as `JSON.parse` makes it. */
export function parseJson(exchange: Exchange): unknown {
  if (looksLikeHtml(exchange)) throw unexpected('an HTML page instead of JSON', exchange)
  // Faster than a `TextDecoder` that refuses.
  if (!isUtf8(exchange.body)) throw unexpected('the answer is not UTF-8 text', exchange)
  const text = exchange.body.toString('utf8', hasByteOrderMark(exchange.body) ? 3 : 0)
  try {
    return JSON.parse(text)
  } catch {
    // A body that nothing but the end of the connection ends may have been cut: only then can repeating help.
    const hasEnd = exchange.header('content-length') ?? exchange.header('transfer-encoding')
    const what = text.trim() === '' ? 'empty' : `not JSON, or not all of it (${exchange.body.length} bytes)`
    // The parser's own error quotes the text, and with it any secret in it.
    throw unexpected(`the answer is ${what}`, exchange, { kind: hasEnd === undefined ? 'broken' : 'final' })
  }
}

function hasByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
}

/** `data` of the envelope, checked. */
export function parseEnvelope<T extends z.ZodType>(exchange: Exchange, data: T): z.output<T> {
  return parseChecked(exchange, parseChecked(exchange, parseBody(exchange), envelope).data, data, 'data')
}

/** The JSON of an answer. An error in an envelope is an error, whatever the answer's status is. */
export function parseBody(exchange: Exchange): unknown {
  const value = parseJson(exchange)
  const error = errorEnvelope.safeParse(value)
  if (error.success) throw statusFailure(exchange, undefined, error.data.status)
  return value
}

/** For endpoints whose answer is not documented: anything but a page is fine, and an error in an envelope is one. */
export function parseAnything(exchange: Exchange): unknown {
  if (looksLikeHtml(exchange)) throw unexpected('an HTML page instead of an answer of the service', exchange)
  if (!textOf(exchange.body).trim().startsWith('{')) return undefined
  try {
    return parseBody(exchange)
  } catch (thrown) {
    if (thrown instanceof AttemptFailure && thrown.details.code !== 'API_UNEXPECTED_ANSWER') throw thrown
    return undefined
  }
}

/** The checked value, or a failure that names the fields. */
export function parseChecked<T extends z.ZodType>(
  exchange: Exchange,
  value: unknown,
  schema: T,
  at?: string,
): z.output<T> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const placeOf = (path: readonly PropertyKey[]) => (at === undefined ? path : [at, ...path]).join('.') || 'the answer'
  const issues = error.issues.map(({ path, message }) => `${placeOf(path)}: ${message}`)
  const more = issues.length > 3 ? `, and ${issues.length - 3} more` : ''
  throw new AttemptFailure(`the answer does not fit: ${issues.slice(0, 3).join('; ')}${more}`, {
    code: 'API_UNEXPECTED_ANSWER',
    failure: { kind: 'final' },
    status: exchange.status,
  })
}

export function looksLikeHtml(exchange: Exchange): boolean {
  if (/\bx?html\b/i.test(exchange.header('content-type') ?? '')) return true
  return /^\ufeff?\s*<(!doctype|html|head|body)\b/i.test(exchange.body.subarray(0, 512).toString('utf8'))
}

/** The error body (facts: Errors), or the body as it is where it has no such shape. */
function serviceWords(exchange: Exchange): Partial<FailureDetails> {
  const text = textOf(exchange.body)
  const { success, data } = errorBodySchema.safeParse(tryJson(text))
  if (!success) return text === '' ? {} : { serviceMessage: text }
  const { msg, message, title, errors = [], code, traceId } = data
  const words = new Set([msg ?? message ?? title, ...errors].filter((item) => typeof item === 'string' && item !== ''))
  return {
    serviceMessage: [...words].join('; ') || text,
    serviceCode: code === undefined ? undefined : String(code),
    serviceErrors: errors.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))),
    traceId,
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Made once: the first use of a schema compiles it. */
const envelope = z.looseObject({ data: z.unknown() })
const errorEnvelope = z.object({ status: z.number().int().min(400).max(599) })

/** Enough of the body for a message. */
function textOf(body: Buffer): string {
  return body.subarray(0, 64 * 1024).toString('utf8')
}
