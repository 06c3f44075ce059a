/**
 * Serves the inspector at the URL of `next dev`. The inspector's own server listens only on loopback, and a rewrite in
 * Next.js forwards requests to it.
 *
 * Next.js listens on all interfaces, and a rewritten request does not show who sent it. This process therefore marks
 * each request when it arrives, before Next.js sees it. The mark contains a secret and the sender's address. The
 * inspector's server accepts only marked requests, and controls access in the same way as in every other dev server.
 */
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Activity } from '../inspector/activity.ts'
import { createInspectorMiddleware } from '../plugin/inspector.ts'
import type { Session } from '../plugin/session.ts'
import { isLoopbackHost } from '../shared/loopback.ts'

const PATH = '/__localization'
/** Next.js redirects URLs that end in a slash, so the page has a file name. */
const PAGE = `${PATH}/index.html`
const MARK = 'x-unplugin-localization'
const ARRIVAL = 'http.server.request.start'

/** Starts the inspector's server, which closes together with the session. Returns the rewrites. */
export async function startInspector(session: Session, activity: Activity) {
  const secret = randomBytes(24).toString('base64url')
  const mark = (message: unknown) => {
    const { request, server: receiver } = message as { readonly request: IncomingMessage; readonly server: Server }
    // A request to the inspector's own server is not marked here. If it came through Next.js, it already has a mark.
    // Otherwise, it must not get one.
    if (receiver === server || !request.url?.startsWith(PATH)) return
    // Behind a proxy or a tunnel, the sender is unknown.
    const isForwarded = request.headers['x-forwarded-for'] !== undefined
    request.headers[MARK] = JSON.stringify([secret, isForwarded ? 'forwarded' : request.socket.remoteAddress])
  }
  const inspector = createInspectorMiddleware(session, activity)
  const handle = inspector()
  const server = createServer((request, response) => {
    const sender = senderOf(request, secret)
    if (sender === undefined) {
      response.statusCode = 403
      return void response.end('open the inspector at the URL of the Next.js dev server')
    }
    if (request.url === PATH) {
      response.statusCode = 302
      return void response.setHeader('location', PAGE).end()
    }
    const { 'x-forwarded-host': host, 'x-forwarded-for': _, ...headers } = request.headers
    const isForwarded = !isLoopbackHost(sender.replace(/^::ffff:/, ''))
    request.headers = { ...headers, host: String(host ?? ''), ...(isForwarded && { 'x-forwarded-for': sender }) }
    handle(request, response, () => {
      response.statusCode = 404
      response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  // The process may exit while this server is listening.
  server.unref()
  subscribe(ARRIVAL, mark)
  session.onClose(() => {
    unsubscribe(ARRIVAL, mark)
    server.close()
    server.closeAllConnections()
  })
  // Next.js sets both variables after it has started to listen, and before it reads its configuration.
  const { __NEXT_PRIVATE_ORIGIN: origin, PORT: port = '3000' } = process.env
  inspector.announce(
    origin ?? `http://localhost:${port}`,
    (address) => console.log(`- Inspector:     ${address}`),
    PAGE,
  )
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
  return [
    { source: PATH, destination: target, basePath: false },
    { source: `${PATH}/:path*`, destination: `${target}/:path*`, basePath: false },
  ]
}

/** Returns the address that sent the request to Next.js, or `undefined` if the request did not come through Next.js. */
function senderOf({ headers }: IncomingMessage, secret: string): string | undefined {
  const mark = headers[MARK]
  if (typeof mark !== 'string') return undefined
  try {
    const [given, address] = JSON.parse(mark) as unknown[]
    return given === secret && typeof address === 'string' ? address : undefined
  } catch {
    return undefined
  }
}
