/** From an HTTP answer to a checked value, or to the failure it stands for. */
import * as z from 'zod'
import { codeOfStatus } from './errors.ts'
import { AttemptFailure, type AttemptFailureOptions } from './failure.ts'
import type { Failure } from './retry.ts'
import { errorBodySchema } from './schemas.ts'
import type { Exchange } from './transport.ts'

/**
 * An answer that is whole but not what the endpoint promises. Repeating it would bring the same again. Its words are shown unless they are
 * JSON: answers hold API keys and signed addresses of their own.
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

/** The failure an answer's status stands for. */
export function statusFailure(
  exchange: Exchange,
  retryAfterMs: number | undefined,
  status = exchange.status,
): AttemptFailure {
  const code = codeOfStatus(status) ?? 'API_UNEXPECTED_ANSWER'
  return new AttemptFailure(String(status), {
    code,
    failure: { kind: 'status', status, retryAfterMs },
    status,
    ...serviceWords(exchange),
  })
}

/** The JSON value of a body. `__proto__` becomes an ordinary property, as `JSON.parse` makes it. */
export function parseJson(exchange: Exchange): unknown {
  if (looksLikeHtml(exchange)) throw unexpected('an HTML page instead of JSON', exchange)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(exchange.body)
  } catch {
    throw unexpected('the answer is not UTF-8 text', exchange)
  }
  try {
    return JSON.parse(text)
  } catch {
    // A body that nothing but the end of the connection ends may have been cut: only then can repeating help.
    const mayBeCut =
      exchange.header('content-length') === undefined && exchange.header('transfer-encoding') === undefined
    const what = text.trim() === '' ? 'empty' : `not JSON, or not all of it (${exchange.body.length} bytes)`
    // The parser's own error quotes the text, and with it whatever stands there.
    throw unexpected(`the answer is ${what}`, exchange, { kind: mayBeCut ? 'broken' : 'final' })
  }
}

/** `data` of the envelope, checked. */
export function parseEnvelope<T extends z.ZodType>(exchange: Exchange, data: T): z.output<T> {
  const envelope = parseChecked(exchange, parseBody(exchange), z.looseObject({ data: z.unknown() }))
  return parseChecked(exchange, envelope.data, data, 'data')
}

/** The JSON of an answer; an envelope that tells of an error although the answer's status does not is that error. */
export function parseBody(exchange: Exchange): unknown {
  const value = parseJson(exchange)
  const told = z.looseObject({ status: z.number().int().min(400).max(599) }).safeParse(value)
  if (told.success) throw statusFailure(exchange, undefined, told.data.status)
  return value
}

/** For endpoints whose answer is not documented: anything but a page is fine, and an error in an envelope is one. */
export function parseAnything(exchange: Exchange): unknown {
  if (looksLikeHtml(exchange)) throw unexpected('an HTML page instead of an answer of the service', exchange)
  const text = textOf(exchange.body).trim()
  if (!text.startsWith('{')) return undefined
  try {
    return parseBody(exchange)
  } catch (thrown) {
    if (thrown instanceof AttemptFailure && thrown.code !== 'API_UNEXPECTED_ANSWER') throw thrown
    return undefined
  }
}

/** The value as the schema has it, or a failure that names the fields. */
export function parseChecked<T extends z.ZodType>(
  exchange: Exchange,
  value: unknown,
  schema: T,
  at?: string,
): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues
  const named = issues
    .slice(0, 3)
    .map(
      ({ path, message }) =>
        `${[at, ...path].filter((part) => part !== undefined).join('.') || 'the answer'}: ${message}`,
    )
  const more = issues.length > named.length ? `, and ${issues.length - named.length} more` : ''
  throw new AttemptFailure(`the answer does not fit: ${named.join('; ')}${more}`, {
    code: 'API_UNEXPECTED_ANSWER',
    failure: { kind: 'final' },
    status: exchange.status,
  })
}

export function looksLikeHtml(exchange: Exchange): boolean {
  if (/\bx?html\b/i.test(exchange.header('content-type') ?? '')) return true
  return /^\ufeff?\s*<(!doctype|html|head|body)\b/i.test(exchange.body.subarray(0, 512).toString('utf8'))
}

type ServiceWords = Pick<AttemptFailureOptions, 'serviceMessage' | 'serviceCode' | 'serviceErrors' | 'traceId'>

/** The error body (facts: Errors), or the body as it is where it has no such shape. */
function serviceWords(exchange: Exchange): ServiceWords {
  const text = textOf(exchange.body)
  const parsed = errorBodySchema.safeParse(tryJson(text))
  if (!parsed.success) return text === '' ? {} : { serviceMessage: text }
  const { msg, message, title, errors = [], code, traceId } = parsed.data
  const parts = [msg ?? message ?? title, ...errors.filter((item) => typeof item === 'string')]
  const words = [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join('; ')
  return {
    serviceMessage: words === '' ? text : words,
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

/** Enough of it for a message. */
function textOf(body: Buffer): string {
  return body.subarray(0, 64 * 1024).toString('utf8')
}
