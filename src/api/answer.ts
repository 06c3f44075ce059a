/** Turns an HTTP response into a validated value or a failure. */

import { isUtf8 } from 'node:buffer'
import * as z from 'zod'
import { AttemptFailure, codeOfStatus, type Failure, type FailureDetails } from './failure.ts'
import { errorBodySchema } from './schemas.ts'
import type { Exchange } from './transport.ts'

/**
 * The failure for a complete response that this endpoint should not return. A retry would get the same response. The
 * message quotes the body unless the body is JSON, which may contain API keys and signed URLs.
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

export function statusFailure(
  exchange: Exchange,
  retryAfterMs: number | undefined,
  status = exchange.status,
): AttemptFailure {
  const failure = { kind: 'status', status, retryAfterMs } as const
  return new AttemptFailure(String(status), { code: codeOfStatus(status), failure, status, ...serviceWords(exchange) })
}

/** Parses the body as JSON. As in `JSON.parse`, `__proto__` becomes an ordinary property. */
export function parseJson(exchange: Exchange): unknown {
  if (looksLikeHtml(exchange)) throw unexpected('an HTML page instead of JSON', exchange)
  // `isUtf8` is faster than a `TextDecoder` with `fatal`.
  if (!isUtf8(exchange.body)) throw unexpected('the response is not UTF-8 text', exchange)
  const text = exchange.body.toString('utf8', hasByteOrderMark(exchange.body) ? 3 : 0)
  try {
    return JSON.parse(text)
  } catch {
    // A retry can help only if the body was truncated. Without these headers, the body ends when the connection closes,
    // so nothing else reports a truncated body.
    const hasEnd = exchange.header('content-length') ?? exchange.header('transfer-encoding')
    const what = text.trim() === '' ? 'empty' : `invalid or incomplete JSON (${exchange.body.length} bytes)`
    // The parser's error would quote the text, with its secrets.
    throw unexpected(`the response is ${what}`, exchange, { kind: hasEnd === undefined ? 'broken' : 'final' })
  }
}

function hasByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
}

/** Returns the validated `data` from the envelope. */
export function parseEnvelope<T extends z.ZodType>(exchange: Exchange, data: T): z.output<T> {
  return parseChecked(exchange, parseChecked(exchange, parseBody(exchange), envelope).data, data, 'data')
}

/** The response's JSON. Throws for an error in an envelope, even if the status is a success. */
export function parseBody(exchange: Exchange): unknown {
  const value = parseJson(exchange)
  const error = errorEnvelope.safeParse(value)
  if (error.success) throw statusFailure(exchange, undefined, error.data.status)
  return value
}

/** Parses an undocumented response. Throws only if it is HTML or an error in an envelope. */
export function parseAnything(exchange: Exchange): unknown {
  if (looksLikeHtml(exchange)) throw unexpected('an HTML page instead of a service response', exchange)
  if (!textOf(exchange.body).trim().startsWith('{')) return undefined
  try {
    return parseBody(exchange)
  } catch (thrown) {
    if (thrown instanceof AttemptFailure && thrown.details.code !== 'API_UNEXPECTED_ANSWER') throw thrown
    return undefined
  }
}

/** Returns the validated value. Throws a failure that lists the invalid fields. */
export function parseChecked<T extends z.ZodType>(
  exchange: Exchange,
  value: unknown,
  schema: T,
  at?: string,
): z.output<T> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const placeOf = (path: readonly PropertyKey[]) =>
    (at === undefined ? path : [at, ...path]).join('.') || 'the response'
  const issues = error.issues.map(({ path, message }) => `${placeOf(path)}: ${message}`)
  const more = issues.length > 3 ? `, and ${issues.length - 3} more` : ''
  throw new AttemptFailure(`unexpected response: ${issues.slice(0, 3).join('; ')}${more}`, {
    code: 'API_UNEXPECTED_ANSWER',
    failure: { kind: 'final' },
    status: exchange.status,
  })
}

export function looksLikeHtml(exchange: Exchange): boolean {
  if (/\bx?html\b/i.test(exchange.header('content-type') ?? '')) return true
  return /^\ufeff?\s*<(!doctype|html|head|body)\b/i.test(exchange.body.subarray(0, 512).toString('utf8'))
}

/** The fields of the error body (facts: Errors), or the raw body if it has another format. */
function serviceWords(exchange: Exchange): Partial<FailureDetails> {
  const text = textOf(exchange.body)
  const { success, data } = errorBodySchema.safeParse(tryJson(text))
  if (!success) return text === '' ? {} : { serviceMessage: text }
  const { msg, message, title, errors = [], code, traceId } = data
  const words = new Set(
    [msg ?? message ?? title, ...errors].filter((item): item is string => typeof item === 'string' && item !== ''),
  )
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

/** Created only once, because a schema is compiled when it is first used. */
const envelope = z.looseObject({ data: z.unknown() })
const errorEnvelope = z.object({ status: z.number().int().min(400).max(599) })

/** The start of the body, which is enough for a message. */
function textOf(body: Buffer): string {
  return body.subarray(0, 64 * 1024).toString('utf8')
}
