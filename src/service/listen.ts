/**
 * The service's HTTP listeners, and the pages that other code serves on the service's port. The service does not depend
 * on the client or the inspector.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { LocalizationError, messageOf } from '../errors.ts'
import type { RunState, ServiceEnv } from './context.ts'
import type { createFaultInjector } from './faults.ts'
import { type Metrics, whenAnswered } from './metrics.ts'
import type { LocalServiceOptions, RequestInfo } from './options.ts'
import { type Repeated, repeat } from './scheduling.ts'

const LOOK_AGAIN_MS = 20
/**
 * Longer than the usual timeouts of proxies and clients, so that no request arrives on a connection that was just
 * closed.
 */
const KEEP_ALIVE_MS = 75_000

/** Returns the URL without a trailing slash, and the function that closes the listener. */
export async function listen(answer: RequestListener, host: string, port: number) {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, answer)
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    throw new LocalizationError(`the service cannot listen on ${host}:${port}: ${messageOf(cause)}`, {
      code: 'SERVICE_START',
      hint: 'Choose another port, or 0 for a free one.',
      cause,
    })
  }
  // If a connection cannot be accepted, for example because too many files are open, the service goes on.
  server.on('error', () => {})
  const { port: actual } = server.address() as AddressInfo
  return { url: `http://${reachable(host)}:${actual}`, close: (limitMs: number) => close(server, limitMs) }
}

interface RequestSteps {
  readonly run: RunState
  readonly metrics: Metrics | undefined
  /**
   * Resolves when the service has announced its URLs. Requests wait for this, so that any client that gets a response
   * can also find the announcement.
   */
  readonly opened: Promise<void>
  readonly pages: ReturnType<typeof mountedPages>
  readonly inject: ReturnType<typeof createFaultInjector>
  readonly options: Pick<LocalServiceOptions, 'onRequest' | 'onAnswer'>
  /** True to close each connection after its response. */
  readonly closesConnections: boolean
}

export function requestListener(
  app: Hono<ServiceEnv>,
  { run, metrics, opened, pages, inject, options, closesConnections }: RequestSteps,
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
    if (run.isStopping || closesConnections) response.setHeader('connection', 'close')
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

/** Stops accepting requests, gives running requests up to `limitMs` to finish, then closes all connections. */
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

const MOUNTED_PATH = '/__localization'

interface MountedPages {
  /** Resolves to false if the request is not for one of the pages. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Called when the data may have changed. */
  changed(): void
  close(): Promise<void>
}

export interface MountInput {
  readonly baseUrl: string
  readonly personalToken: string
  /** The host that the service listens on. `loopbackOnly` is true if only this machine can reach it. */
  readonly host: string
  readonly loopbackOnly: boolean
}

/** Called on the first request for a page. */
export type MountPages = (service: MountInput) => Promise<MountedPages>

/** The interval between checks for writes by jobs and by other processes, once a page has been opened. */
const LOOK_MS = 2000

/** Returns the slot through which the listener serves pages. `version` reads a number that changes with each write. */
export function mountedPages(mount: MountPages | undefined, service: () => MountInput, version: () => Promise<number>) {
  let mounted: Promise<MountedPages> | undefined
  let watching: Repeated | undefined
  let shown: number | undefined
  const watch = () =>
    repeat(LOOK_MS, async () => {
      // If the database does not respond, the pages are not updated.
      const found = await version().catch(() => shown)
      const isNew = found !== shown
      shown = found
      if (isNew) (await mounted?.catch(() => undefined))?.changed()
    })
  const open = async (request: IncomingMessage, response: ServerResponse) => {
    mounted ??= mount?.(service())
    watching ??= watch()
    const pages = await mounted?.catch(() => {
      mounted = undefined
    })
    const isAnswered = await pages?.handle(request, response).catch(() => undefined)
    if (isAnswered) return
    const isMissing = isAnswered === false
    if (response.headersSent) response.destroy()
    else {
      response.writeHead(isMissing ? 404 : 500, { 'content-type': 'text/plain' })
      response.end(isMissing ? 'page not found' : 'the page cannot be shown')
    }
  }
  return {
    /** Returns true if the request is for a page. The page then sends the response. */
    answer(request: IncomingMessage, response: ServerResponse) {
      const { url = '', method = 'GET' } = request
      const [path = ''] = url.split('?', 1)
      const isPage = mount !== undefined && (path === MOUNTED_PATH || path.startsWith(`${MOUNTED_PATH}/`))
      if (isPage) void open(request, response)
      // Some of these requests change nothing, but an unnecessary update of the pages is harmless.
      else if (mounted && method !== 'GET' && method !== 'HEAD') {
        response.once('finish', () => void mounted?.then((pages) => pages.changed()))
      }
      return isPage
    },
    async close() {
      await watching?.close()
      await (await mounted?.catch(() => undefined))?.close()
    },
  }
}
