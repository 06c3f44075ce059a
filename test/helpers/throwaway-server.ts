/** Loopback servers. Each takes a free port and ends, open connections included, when the test is over. */
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { whenOver } from './closing.ts'

/** Resolves to the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenOver(() => closeServer(server))
  return (server.address() as AddressInfo).port
}

/** Harmless where the server is closed already. */
export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

/** A port at which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await closeServer(server)
  return port
}

export interface SeenRequest {
  readonly method: string
  /** Path and query, as they came. */
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ThrowawayServer {
  readonly url: string
  readonly requests: SeenRequest[]
}

type Handler = (seen: SeenRequest, response: ServerResponse, index: number) => void | Promise<void>

/** Records what came and answers what the test says. */
export async function startServer(handler: Handler): Promise<ThrowawayServer> {
  const requests: SeenRequest[] = []
  const server = createServer((request, response) => {
    text(request).then(
      async (body) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
        const { method = '', url = '', headers } = request
        const seen = { method, url, path: pathname, query: searchParams, headers, body }
        requests.push(seen)
        await handler(seen, response, requests.length - 1)
      },
      // The client went away: the test asserts on what the client saw.
      () => response.destroy(),
    )
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, requests }
}

/** Answers JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** Answers the contract's envelope. */
export function sendData(response: ServerResponse, data: unknown) {
  sendJson(response, { msg: 'OK', status: 200, data })
}

export interface Row {
  readonly key: string
  readonly namespace: string
  readonly language: string
  readonly text: string
}

/**
 * A service that answers the query with any rows at all, those the local service would refuse included. `rows` is read
 * at each request; with `totals` it tells how many there are.
 */
export function startRowService(
  rows: () => readonly Row[],
  { totals = false }: { readonly totals?: boolean } = {},
): Promise<ThrowawayServer> {
  return startServer(({ path, query }, response) => {
    if (path !== '/api/v2/translations') return void response.writeHead(404).end()
    const all = rows()
    const from = Number(query.get('page') ?? 0) * 500
    const to = from + 500
    const data = all
      .slice(from, to)
      .map((row) => ({ ...row, reviewStatus: 'NOT_REVIEWED', lastModifiedAt: '2026-01-01T00:00:00.000Z' }))
    if (!totals) return sendData(response, data)
    const pageDetails = { totalElements: all.length, hasNext: to < all.length }
    sendJson(response, { msg: 'OK', status: 200, data, pageDetails })
  })
}

export interface ForwardedRequest {
  readonly method: string
  readonly url: URL
  readonly body: Buffer
}

export interface ForwardedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Called when the whole answer has left. */
  readonly onSent?: () => void
}

/**
 * Stands before the service at `target`. `around` sees each request and the service's answer: it may wait before it
 * passes the request on, or answer in the service's place.
 */
export function forwardTo(
  target: string,
  around: (request: ForwardedRequest, pass: () => Promise<ForwardedAnswer>) => Promise<ForwardedAnswer> = (_, pass) =>
    pass(),
): (...given: Parameters<RequestListener>) => Promise<void> {
  return async (request, response) => {
    try {
      const { method = 'GET', url = '/' } = request
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
      const body = await buffer(request)
      const { status, onSent, ...answer } = await around({ method, url: new URL(url, target), body }, async () => {
        const init = { method, headers: headers as Record<string, string>, ...(body.length > 0 && { body }) }
        const passed = await fetch(`${target}${url}`, init)
        const kept = ['content-type', 'conditional-writes', 'retry-after'].flatMap((name) => {
          const value = passed.headers.get(name)
          return value === null ? [] : [[name, value]]
        })
        return {
          status: passed.status,
          headers: Object.fromEntries(kept),
          body: Buffer.from(await passed.arrayBuffer()),
        }
      })
      if (response.destroyed) return
      response.writeHead(status, answer.headers)
      response.end(answer.body, onSent)
    } catch {
      // Whoever asked is gone, or the service is.
      response.destroy()
    }
  }
}
