/** The service's HTTP listeners. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { LocalizationError, messageOf } from '../errors.ts'
import type { RunState, ServiceEnv } from './context.ts'
import type { FaultInjector } from './faults.ts'
import { type Metrics, whenAnswered } from './metrics.ts'
import type { PagesSlot } from './mounted.ts'
import type { LocalServiceOptions, RequestInfo } from './options.ts'

const LOOK_AGAIN_MS = 20
/**
 * Longer than the usual timeouts of proxies and clients, so that no request arrives on a connection that was just
 * closed.
 */
const KEEP_ALIVE_MS = 75_000

export interface Listener {
  /** The URL, without a trailing slash. */
  readonly url: string
  /** Stops accepting requests, gives running requests up to `limitMs` to finish, then closes all connections. */
  close(limitMs: number): Promise<void>
}

export function listen(answer: RequestListener, host: string, port: number): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, answer)
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new LocalizationError(`the service cannot listen on ${host}:${port}: ${messageOf(cause)}`, {
          code: 'SERVICE_START',
          hint: 'Choose another port, or 0 for a free one.',
          cause,
        }),
      ),
    )
    server.listen(port, host, () => {
      const address = server.address()
      const actual = typeof address === 'object' && address ? address.port : port
      resolve({ url: `http://${reachable(host)}:${actual}`, close: (limitMs) => close(server, limitMs) })
    })
  })
}

interface RequestSteps {
  readonly run: RunState
  readonly metrics: Metrics | undefined
  /**
   * Resolves when the service has announced its URLs. Requests wait for this, so that any client that gets a response
   * can also find the announcement.
   */
  readonly opened: Promise<void>
  readonly pages: PagesSlot
  readonly inject: FaultInjector
  readonly options: Pick<LocalServiceOptions, 'onRequest' | 'onAnswer'>
}

export function requestListener(
  app: Hono<ServiceEnv>,
  { run, metrics, opened, pages, inject, options }: RequestSteps,
): RequestListener {
  const answer = getRequestListener((request, env) => app.fetch(request, env as ServiceEnv['Bindings']), {
    overrideGlobalObjects: false,
  })
  return async (request, response) => {
    metrics?.requestStarted()
    whenAnswered(request, response, (answered) => {
      metrics?.requestEnded(answered)
      options.onAnswer?.(answered)
    })
    // Makes clients open their next connection to another process.
    if (run.isStopping) response.setHeader('connection', 'close')
    await opened
    if (pages.answer(request, response)) return
    options.onRequest?.(describeRequest(request))
    inject(request, response, () => void answer(request, response))
  }
}

function describeRequest(request: IncomingMessage): RequestInfo {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  return { method: request.method ?? 'GET', path, query: new URLSearchParams(query) }
}

/** The host name that this machine can use to connect to a listener on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

function close(server: Server, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), LOOK_AGAIN_MS)
    const limit = setTimeout(() => server.closeAllConnections(), limitMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(limit)
      resolve()
    })
  })
}
