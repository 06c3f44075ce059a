/** A loopback server for one test: it records what came and answers what the test says. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

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

/** Closes itself, open connections included, when the test has finished. */
export async function startServer(handler: Handler): Promise<ThrowawayServer> {
  const requests: SeenRequest[] = []
  const server = createServer((request, response) => {
    readBody(request).then(
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Answers JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** Answers the contract's envelope. */
export function sendData(response: ServerResponse, data: unknown) {
  sendJson(response, { msg: 'OK', status: 200, data })
}
