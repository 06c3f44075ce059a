/** One HTTP exchange, without retries, redirects or credentials. The only module that imports undici. */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
// Imported by its file name: Bun replaces `undici` with its own incomplete module.
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici/index.js'
import type { RequestDispatcher } from '../config/dispatcher.ts'
import { grouped } from '../shared/figures.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import { AttemptFailure, type FailureDetails } from './failure.ts'
import { bypassesProxy, checkProxy, type ProxySettings, proxyInWords } from './proxy.ts'

interface TlsProblem {
  readonly message: string
  readonly hint: string
}

const UNKNOWN_AUTHORITY =
  'Ask the administrator of the server or of your company proxy for its CA certificate (a PEM file). Set ' +
  'NODE_EXTRA_CA_CERTS to the path of that file before Node starts.'
const NAMES = 'Use a host name that the certificate lists.'
const CLOCK = "Renew it on the server, or check this machine's clock."
const CLIENT =
  'If the server asks for a client certificate, set `service.dispatcher` to an undici ' +
  '`new Agent({ connect: { cert, key } })`.'

/** The explanations for the error codes from OpenSSL and Node. */
const PROBLEMS: readonly (readonly [code: RegExp, message: string, hint: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its certificate is self-signed', UNKNOWN_AUTHORITY],
  [
    /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED/,
    'its certificate is from an unknown authority',
    UNKNOWN_AUTHORITY,
  ],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired', CLOCK],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet', CLOCK],
  [/^CERT_REVOKED$/, 'its certificate is revoked', "Tell the server's administrator."],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for a different host', NAMES],
  [/_ALERT_/, 'the server refused the TLS connection', CLIENT],
  // With TLS 1.3, a server that rejects the connection often gives no reason.
  [/^UND_ERR_SOCKET$/, 'the server closed the TLS connection', `Check the network and the proxy settings. ${CLIENT}`],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    'the server does not speak TLS',
    'The URL may need to start with http://.',
  ],
]

/** Returns the explanation for an error code, or `undefined` if the code is not about TLS. */
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
  /** Ends the exchange at any point, even while the body is read. */
  readonly signal: AbortSignal
  /** The maximum size of the decoded body, in bytes. */
  readonly maxBytes: number
}

export interface Exchange {
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** The complete decoded body. For an error response, at most its first 64 KiB. */
  readonly body: Buffer
}

/** The maximum number of bytes read from an error response, which is enough for its message. */
const MAX_ERROR_BYTES = 64 * 1024

/** The caller's deadline covers the whole exchange. An additional idle timeout would only interrupt long publishes. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const

export class Transport {
  private readonly direct = new Agent(LIMITS)
  private proxied: Dispatcher | undefined

  /**
   * @param proxy the proxies, which are checked when the first request needs one. Loopback addresses never use one
   * @param dispatcher sends every request. Its owner closes it
   */
  constructor(
    private readonly proxy: ProxySettings | undefined,
    private readonly dispatcher: RequestDispatcher | undefined,
  ) {}

  /** Sends a request and reads its response. Rejects only with an `AttemptFailure`. */
  async exchange({ url, headers, maxBytes, ...options }: ExchangeRequest): Promise<Exchange> {
    const dispatcher = this.dispatcherFor(url)
    const answer = await request(url, {
      ...options,
      dispatcher,
      headers: { 'accept-encoding': 'gzip, br, deflate', ...headers },
    }).catch((thrown) => {
      const { proxy } = this
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

  /** Aborts the exchanges that are running. */
  async close(): Promise<void> {
    await Promise.all([this.direct.destroy(), this.proxied?.destroy()])
  }

  private dispatcherFor(url: URL): Dispatcher {
    const { dispatcher, proxy } = this
    if (dispatcher) return dispatcher as Dispatcher
    if (!proxy || isLoopbackHost(url.hostname) || bypassesProxy(url, proxy.no)) return this.direct
    this.proxied ??= createProxyAgent(proxy)
    return this.proxied
  }
}

function createProxyAgent(proxy: ProxySettings): Dispatcher {
  const { http = '', https = '' } = checkProxy(proxy) ?? {}
  // Empty strings instead of `undefined`, because the agent would read the environment variables for `undefined`.
  const addresses = { httpProxy: http, httpsProxy: https, noProxy: '' }
  // Plain http requests are sent to the proxy without CONNECT, because many proxies allow CONNECT only to port 443.
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
    throw broken('the connection closed before the response was complete', status, cause)
  })
  if (body.length > maxBytes) throw tooLarge(maxBytes, status)
  // undici 7 reports bodies that are too short, but HTTP libraries have had bugs here, and a truncated body must not
  // pass.
  if (announced !== undefined && /^\d+$/.test(announced) && Number(announced) !== body.length) {
    throw broken(`received only ${body.length} of ${announced} bytes`, status)
  }
  return decode(body, header, status, maxBytes)
}

/** The start of an error response's body. Empty if it cannot be read or decoded, because only the status matters. */
async function readStart(stream: Readable, header: Header): Promise<Buffer> {
  try {
    return await decode(await readUpTo(stream, MAX_ERROR_BYTES), header, 0, MAX_ERROR_BYTES)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Reads to the end, or until more than `maxBytes` were read. */
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
      const message = `the response has the unknown content encoding "${name.slice(0, 20)}"`
      throw new AttemptFailure(message, { code: 'API_UNEXPECTED_ANSWER', failure: { kind: 'final' }, status })
    }
    decoded = await decoder(decoded, { maxOutputLength: maxBytes }).catch((thrown) => {
      if (codeOf(thrown) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, status)
      throw broken(`the response is incomplete or invalid ${name} data`, status, thrown)
    })
  }
  return decoded
}

function broken(message: string, status: number, cause?: unknown): AttemptFailure {
  return new AttemptFailure(message, { code: 'API_NETWORK', failure: { kind: 'broken' }, status, cause })
}

function tooLarge(maxBytes: number, status: number): AttemptFailure {
  const message = `the response has more than ${grouped(maxBytes)} bytes`
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

/**
 * The failure for an error from the HTTP library.
 * @param via the proxy, in words
 */
function connectionFailure(thrown: unknown, isTls: boolean, via: string): AttemptFailure {
  const code = codeOf(thrown)
  const words = thrown instanceof Error && thrown.message !== '' ? thrown.message : (code ?? 'the connection failed')
  const fail = (kind: 'unsent' | 'broken' | 'final', problem: Partial<FailureDetails> & { message?: string } = {}) => {
    const { message = words, hint } = problem
    return new AttemptFailure(message + via, { code: 'API_NETWORK', failure: { kind }, cause: thrown, hint })
  }
  if (UNSENT.includes(code)) return fail('unsent')
  const tls = isTls ? tlsProblem(code ?? '', words) : undefined
  // UND_ERR_SOCKET: the request may already have been sent when the connection closed.
  if (tls) return fail(code === 'UND_ERR_SOCKET' ? 'broken' : 'final', tls)
  return fail(/^UND_ERR_(?:INVALID_ARG|PRX)/.test(code ?? '') ? 'final' : 'broken')
}

function codeOf(thrown: unknown): string | undefined {
  if (thrown instanceof AggregateError && !('code' in thrown)) return codeOf(thrown.errors[0])
  const { code, cause } = (thrown ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code !== 'string') return undefined
  // For TLS through a proxy, the actual problem is in the cause.
  return code === 'UND_ERR_PRX_TLS' ? (codeOf(cause) ?? code) : code
}
