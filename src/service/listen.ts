/** HTTP listeners of the service: their addresses, and their shutdown. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { LocalizationError, messageOf } from '../errors.ts'

const LOOK_AGAIN_MS = 20
/** Longer than proxies and clients keep unused connections, so that no request meets a connection that just closed. */
const KEEP_ALIVE_MS = 75_000

export interface Listener {
  /** Without a trailing slash. */
  readonly url: string
  /** Stops accepting requests, lets running ones finish within `limitMs`, then closes every connection. */
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

/** The host name under which this machine reaches a listener on `host`. */
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
