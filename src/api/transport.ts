/** One HTTP exchange, nothing more: no retry, no redirect, no credential of its own. The only importer of undici. */

import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
// By its file: Bun puts an unfinished module of its own in the place of `undici`.
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici/index.js'
import type { RequestDispatcher } from '../config/types.ts'
import { grouped } from '../shared/figures.ts'
import { isLoopback } from './address.ts'
import { tlsProblem } from './certificate.ts'
import { checkProxy, type ProxySettings } from './proxy.ts'

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | Readable | undefined
  /** Ends the exchange wherever it is, the body included. */
  readonly signal: AbortSignal
  /** Most bytes of the body, decoded. */
  readonly maxBytes: number
}

export interface Exchange {
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Whole and decoded; of an error answer at most the first 64 KiB. */
  readonly body: Buffer
}

export interface Transport {
  /** Rejects with `ExchangeFailure`, whatever goes wrong. */
  exchange(request: ExchangeRequest): Promise<Exchange>
  /** Ends what is under way. */
  close(): Promise<void>
}

export type ExchangeFailureKind = 'unsent' | 'untrusted' | 'broken' | 'too-large' | 'encoding'

/** Why there is no whole answer. Internal: callers turn it into an `ApiError`, which copies the cause without secrets. */
export class ExchangeFailure extends Error {
  override readonly name = 'ExchangeFailure'
  readonly kind: ExchangeFailureKind
  readonly status: number | undefined
  /** What to do, where it is known better than from the kind. */
  readonly hint: string | undefined
  constructor(kind: ExchangeFailureKind, message: string, status?: number, cause?: unknown, hint?: string) {
    super(message, { cause })
    this.kind = kind
    this.status = status
    this.hint = hint
  }
}

/** How much of an error's body is read: enough for its message. */
const MAX_ERROR_BYTES = 64 * 1024

export interface TransportOptions {
  /** Checked when the first request needs it: loopback addresses never do. */
  readonly proxy: ProxySettings | undefined
  /** Carries every request. Its owner closes it. */
  readonly dispatcher: RequestDispatcher | undefined
}

/** The caller's deadline covers the whole exchange; an idle limit beside it would only cut long publishes short. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const

export function createTransport({ proxy, dispatcher: given }: TransportOptions): Transport {
  const direct = new Agent(LIMITS)
  let proxied: Dispatcher | undefined
  const dispatcherFor = (url: URL): Dispatcher => {
    if (given) return given as Dispatcher
    if (!proxy || isLoopback(url)) return direct
    proxied ??= createProxyAgent(proxy)
    return proxied
  }
  return {
    async exchange({ method, url, headers, body, signal, maxBytes }) {
      const {
        statusCode,
        headers: fields,
        body: stream,
      } = await send(dispatcherFor(url), { method, url, headers, body, signal })
      const header = (name: string) => {
        const value = fields[name]
        return Array.isArray(value) ? value.join(', ') : value
      }
      if (statusCode >= 300) return { status: statusCode, header, body: await readStart(stream, header) }
      return { status: statusCode, header, body: await readWhole(stream, statusCode, header, maxBytes) }
    },
    async close() {
      await Promise.all([direct.destroy(), proxied?.destroy()])
    },
  }
}

function createProxyAgent(proxy: ProxySettings): Dispatcher {
  const { http, https, no } = checkProxy(proxy) ?? {}
  return new EnvHttpProxyAgent({
    ...LIMITS,
    // Empty strings, not `undefined`: the agent reads the environment for what is not given.
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: no ?? '',
    // Plain http goes to the proxy as a request, as everywhere else: many refuse CONNECT to other ports than 443.
    proxyTunnel: false,
  })
}

async function send(
  dispatcher: Dispatcher,
  { method, url, headers, body, signal }: Omit<ExchangeRequest, 'maxBytes'>,
): Promise<Dispatcher.ResponseData> {
  try {
    return await request(url, {
      dispatcher,
      method,
      headers: { 'accept-encoding': 'gzip, br, deflate', ...headers },
      body: body ?? null,
      signal,
    })
  } catch (thrown) {
    throw failureOf(thrown, url.protocol === 'https:')
  }
}

type Header = Exchange['header']

async function readWhole(stream: Readable, status: number, header: Header, maxBytes: number): Promise<Buffer> {
  const told = header('content-length')
  if (told !== undefined && Number(told) > maxBytes) {
    discard(stream)
    throw tooLarge(maxBytes, status)
  }
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) break
      chunks.push(chunk)
    }
  } catch (thrown) {
    throw new ExchangeFailure('broken', 'the answer broke off', status, thrown)
  }
  if (length > maxBytes) throw tooLarge(maxBytes, status)
  // undici 7 reports a body that is too short; HTTP libraries have let some through, and nothing short may pass here.
  if (told !== undefined && /^\d+$/.test(told) && Number(told) !== length) {
    throw new ExchangeFailure('broken', `the answer has ${length} of ${told} bytes`, status)
  }
  return decode(Buffer.concat(chunks, length), header('content-encoding'), status, maxBytes)
}

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
} as const

async function decode(body: Buffer, encodings: string | undefined, status: number, maxBytes: number): Promise<Buffer> {
  const names = (encodings ?? '').toLowerCase().split(',')
  let decoded = body
  for (const name of names.map((part) => part.trim()).reverse()) {
    if (name === '' || name === 'identity' || decoded.length === 0) continue
    const decoder = Object.hasOwn(decoders, name) ? decoders[name as keyof typeof decoders] : undefined
    if (!decoder)
      throw new ExchangeFailure(
        'encoding',
        `the answer has the unknown content encoding "${name.slice(0, 20)}"`,
        status,
      )
    try {
      decoded = await decoder(decoded, { maxOutputLength: maxBytes })
    } catch (thrown) {
      if (codeOf(thrown) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, status)
      throw new ExchangeFailure('broken', `the answer is not whole ${name} data`, status, thrown)
    }
  }
  return decoded
}

/** The start of an error's body. What cannot be read or decoded is left out: the status is what counts. */
async function readStart(stream: Readable, header: Header): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= MAX_ERROR_BYTES) break
    }
    return await decode(Buffer.concat(chunks), header('content-encoding'), 0, MAX_ERROR_BYTES)
  } catch {
    return Buffer.alloc(0)
  }
}

function discard(stream: Readable): void {
  stream.on('error', () => {})
  stream.destroy()
}

function tooLarge(maxBytes: number, status: number): ExchangeFailure {
  return new ExchangeFailure('too-large', `the answer has more than ${grouped(maxBytes)} bytes`, status)
}

const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
])

function failureOf(thrown: unknown, isTls: boolean): ExchangeFailure {
  const code = codeOf(thrown)
  const words = thrown instanceof Error && thrown.message !== '' ? thrown.message : (code ?? 'the connection failed')
  if (code !== undefined && UNSENT.has(code)) return new ExchangeFailure('unsent', words, undefined, thrown)
  const tls = isTls ? tlsProblem(code ?? '', words) : undefined
  // A connection that is closed may have carried the request.
  const kind = code === 'UND_ERR_SOCKET' ? 'broken' : 'untrusted'
  if (tls) return new ExchangeFailure(kind, tls.message, undefined, thrown, tls.hint)
  if (code !== undefined && /^UND_ERR_(?:INVALID_ARG|PRX)/.test(code)) {
    return new ExchangeFailure('untrusted', words, undefined, thrown)
  }
  return new ExchangeFailure('broken', words, undefined, thrown)
}

function codeOf(thrown: unknown): string | undefined {
  if (thrown === null || typeof thrown !== 'object') return undefined
  if ('code' in thrown && typeof thrown.code === 'string') {
    // Of a TLS connection through a proxy, the cause says what is wrong.
    const { code, cause } = thrown as { readonly code: string; readonly cause?: unknown }
    return code === 'UND_ERR_PRX_TLS' ? (codeOf(cause) ?? code) : code
  }
  return thrown instanceof AggregateError ? codeOf(thrown.errors[0]) : undefined
}
