/** One HTTP exchange, nothing more: no retry, no redirect, no credential of its own. The only importer of undici. */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
// By its file: Bun puts an unfinished module of its own in the place of `undici`.
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici/index.js'
import type { RequestDispatcher } from '../config/dispatcher.ts'
import { grouped } from '../shared/figures.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import { AttemptFailure, type FailureDetails } from './failure.ts'
import { checkProxy, goesDirect, type ProxySettings, proxyInWords } from './proxy.ts'

/** Explains in words why a TLS connection failed. Pure. */

interface TlsProblem {
  readonly message: string
  readonly hint: string
}

const UNKNOWN_AUTHORITY =
  'Ask the administrator of the server or company proxy for the certificate of its authority (a PEM file). Name it ' +
  'in the environment variable NODE_EXTRA_CA_CERTS before Node starts.'
const NAMES = 'Use the address that the certificate is for.'
const CLOCK = "Renew it on the server, or correct this machine's clock."
const CLIENT =
  'If the server asks for a client certificate, set `service.dispatcher` to an undici ' +
  '`new Agent({ connect: { cert, key } })`.'

/** By the error's code, as OpenSSL and Node name it. */
const PROBLEMS: readonly (readonly [code: RegExp, message: string, hint: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its certificate is self-signed', UNKNOWN_AUTHORITY],
  [
    /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED/,
    'its certificate comes from an authority that this machine does not know',
    UNKNOWN_AUTHORITY,
  ],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired', CLOCK],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet', CLOCK],
  [/^CERT_REVOKED$/, 'its certificate is revoked', 'Tell the administrator of the server.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for other names', NAMES],
  [/_ALERT_/, 'the server refused the TLS connection', CLIENT],
  // With TLS 1.3, a server that refuses the connection often gives no other reason.
  [/^UND_ERR_SOCKET$/, 'the server closed the TLS connection', `Check the network and the proxy settings. ${CLIENT}`],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    'the server does not speak TLS',
    'Perhaps the address must begin with http://.',
  ],
]

/** `undefined`: the code is not about TLS. */
function tlsProblem(code: string, words: string): TlsProblem | undefined {
  const [, message, hint] = PROBLEMS.find(([pattern]) => pattern.test(code)) ?? []
  if (message !== undefined && hint !== undefined) return { message: `${message} (${words})`, hint }
  if (!/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code)) return undefined
  return { message: `the TLS connection failed (${words})`, hint: UNKNOWN_AUTHORITY }
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | Readable | undefined
  /** Ends the exchange at any point, the body included. */
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

export interface TransportOptions {
  /** Checked when the first request needs it: loopback addresses never do. */
  readonly proxy: ProxySettings | undefined
  /** Carries every request. Its owner closes it. */
  readonly dispatcher: RequestDispatcher | undefined
}

/** How much of an error's body is read: enough for its message. */
const MAX_ERROR_BYTES = 64 * 1024

/** The caller's deadline covers the whole exchange; an idle limit beside it would only cut long publishes short. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const

export class Transport {
  private readonly direct = new Agent(LIMITS)
  private proxied: Dispatcher | undefined

  constructor(private readonly options: TransportOptions) {}

  /** Rejects with an `AttemptFailure`, whatever goes wrong. */
  async exchange({ url, headers, maxBytes, ...options }: ExchangeRequest): Promise<Exchange> {
    const dispatcher = this.dispatcherFor(url)
    const answer = await request(url, {
      ...options,
      dispatcher,
      headers: { 'accept-encoding': 'gzip, br, deflate', ...headers },
    }).catch((thrown) => {
      const { proxy } = this.options
      const via = proxy && dispatcher === this.proxied ? ` (${proxyInWords(url, proxy)})` : ''
      throw connectionFailure(thrown, url.protocol === 'https:', via)
    })
    const header = (name: string) => {
      const value = answer.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    }
    const status = answer.statusCode
    const read = status >= 300 || options.method === 'HEAD' ? readStart : readWhole
    return { status, header, body: await read(answer.body, header, status, maxBytes) }
  }

  /** Ends running exchanges. */
  async close(): Promise<void> {
    await Promise.all([this.direct.destroy(), this.proxied?.destroy()])
  }

  private dispatcherFor(url: URL): Dispatcher {
    const { dispatcher, proxy } = this.options
    if (dispatcher) return dispatcher as Dispatcher
    if (!proxy || isLoopbackHost(url.hostname) || goesDirect(url, proxy.no)) return this.direct
    this.proxied ??= createProxyAgent(proxy)
    return this.proxied
  }
}

function createProxyAgent(proxy: ProxySettings): Dispatcher {
  const { http = '', https = '' } = checkProxy(proxy) ?? {}
  // Empty strings, not `undefined`: the agent reads the environment for missing options.
  const addresses = { httpProxy: http, httpsProxy: https, noProxy: '' }
  // Plain http goes to the proxy as a request, as everywhere else: many refuse CONNECT to other ports than 443.
  return new EnvHttpProxyAgent({ ...LIMITS, ...addresses, proxyTunnel: false })
}

type Header = Exchange['header']

async function readWhole(stream: Readable, header: Header, status: number, maxBytes: number): Promise<Buffer> {
  const announced = header('content-length')
  if (announced !== undefined && Number(announced) > maxBytes) {
    stream.on('error', () => {})
    stream.destroy()
    throw tooLarge(maxBytes, status)
  }
  const body = await readUpTo(stream, maxBytes).catch((cause) => {
    throw broken('the answer broke off', status, cause)
  })
  if (body.length > maxBytes) throw tooLarge(maxBytes, status)
  // undici 7 reports a body that is too short; HTTP libraries have let some through, and nothing short may pass here.
  if (announced !== undefined && /^\d+$/.test(announced) && Number(announced) !== body.length) {
    throw broken(`the answer has ${body.length} of ${announced} bytes`, status)
  }
  return decode(body, header, status, maxBytes)
}

/** The start of an error's body. A body that cannot be read or decoded is left out: the status is what counts. */
async function readStart(stream: Readable, header: Header): Promise<Buffer> {
  try {
    return await decode(await readUpTo(stream, MAX_ERROR_BYTES), header, 0, MAX_ERROR_BYTES)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Reads until the end, or until there is more than `maxBytes`. */
async function readUpTo(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  return Buffer.concat(chunks, length)
}

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
  ['deflate', promisify(inflate)],
])

async function decode(body: Buffer, header: Header, status: number, maxBytes: number): Promise<Buffer> {
  const names = (header('content-encoding') ?? '').toLowerCase().split(',')
  let decoded = body
  for (const name of names.map((part) => part.trim()).reverse()) {
    if (name === '' || name === 'identity' || decoded.length === 0) continue
    const decoder = decoders.get(name)
    if (!decoder) {
      const message = `the answer has the unknown content encoding "${name.slice(0, 20)}"`
      throw new AttemptFailure(message, { code: 'API_UNEXPECTED_ANSWER', failure: { kind: 'final' }, status })
    }
    decoded = await decoder(decoded, { maxOutputLength: maxBytes }).catch((thrown) => {
      if (codeOf(thrown) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, status)
      throw broken(`the answer is not whole ${name} data`, status, thrown)
    })
  }
  return decoded
}

function broken(message: string, status: number, cause?: unknown): AttemptFailure {
  return new AttemptFailure(message, { code: 'API_NETWORK', failure: { kind: 'broken' }, status, cause })
}

function tooLarge(maxBytes: number, status: number): AttemptFailure {
  const message = `the answer has more than ${grouped(maxBytes)} bytes`
  return new AttemptFailure(message, { code: 'API_TOO_LARGE', failure: { kind: 'final' }, status })
}

const UNSENT: readonly (string | undefined)[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** @param via the proxy, in words */
function connectionFailure(thrown: unknown, isTls: boolean, via: string): AttemptFailure {
  const code = codeOf(thrown)
  const words = thrown instanceof Error && thrown.message !== '' ? thrown.message : (code ?? 'the connection failed')
  const fail = (kind: 'unsent' | 'broken' | 'final', problem: Partial<FailureDetails> & { message?: string } = {}) => {
    const { message = words, hint } = problem
    return new AttemptFailure(message + via, { code: 'API_NETWORK', failure: { kind }, cause: thrown, hint })
  }
  if (UNSENT.includes(code)) return fail('unsent')
  const tls = isTls ? tlsProblem(code ?? '', words) : undefined
  // A connection that is closed may have carried the request.
  if (tls) return fail(code === 'UND_ERR_SOCKET' ? 'broken' : 'final', tls)
  return fail(/^UND_ERR_(?:INVALID_ARG|PRX)/.test(code ?? '') ? 'final' : 'broken')
}

function codeOf(thrown: unknown): string | undefined {
  if (thrown instanceof AggregateError && !('code' in thrown)) return codeOf(thrown.errors[0])
  const { code, cause } = (thrown ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code !== 'string') return undefined
  // Of a TLS connection through a proxy, the cause says what is wrong.
  return code === 'UND_ERR_PRX_TLS' ? (codeOf(cause) ?? code) : code
}
