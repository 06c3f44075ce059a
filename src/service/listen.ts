/** HTTP listeners of the service: where they are reached, and how they end. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { LocalizationError, messageOf } from '../errors.ts'

/** How long requests that are being answered may take when the service ends. */
const LAST_ANSWERS_MS = 5000
const LOOK_AGAIN_MS = 20

export interface Listener {
  /** Without a trailing slash. */
  readonly url: string
  /** Takes no new requests, lets those that are being answered finish, then drops every connection. */
  close(): Promise<void>
}

export function listen(answer: RequestListener, host: string, port: number): Promise<Listener> {
  const server = createServer(answer)
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
      resolve({ url: `http://${reachable(host)}:${actual}`, close: () => close(server) })
    })
  })
}

/** The name under which this machine reaches a listener on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), LOOK_AGAIN_MS)
    const limit = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(limit)
      resolve()
    })
  })
}
