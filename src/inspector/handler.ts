/** The inspector behind one function that any server can ask: it answers what is below its path, and leaves the rest alone. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { LocalizationError, messageOf } from '../errors.ts'
import { type AccessRules, type Asked, refusalOf } from './access.ts'
import { readAsset } from './assets.ts'
import { createEventStreams } from './events.ts'
import type { InspectorPort } from './port.ts'
import { createRoutes, type Route } from './routes.ts'
import type { ProjectChoice } from './wire.ts'

const INSPECTOR_PATH = '/__localization'

export interface InspectorInput {
  readonly projects: () => Promise<readonly ProjectChoice[]>
  /** The one of that id; without one, the first. */
  readonly open: (id: string | undefined) => Promise<InspectorPort | undefined>
  readonly access: Omit<AccessRules, 'token'> & {
    /** Given, the page does not hold it: it asks for it. Otherwise one is made and is in the page. */
    readonly token?: string | undefined
  }
  /** Where the server's own paths begin, such as `/app/`. Default `/`. */
  readonly base?: string | undefined
  /** Values that no answer may hold. */
  readonly secrets?: (() => readonly string[]) | undefined
  /** Where the page's files are. Default: in the package. */
  readonly assets?: URL | undefined
}

export interface Inspector {
  /** False: it is not for the inspector, and nothing was answered. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Ends the streams to open pages. */
  close(): void
}

/** A text has at most 65,535 characters; lists of them are the longest bodies. */
const MOST_BODY_BYTES = 4_000_000

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function createInspector(input: InspectorInput): Inspector {
  const rules: AccessRules = { ...input.access, token: input.access.token ?? randomBytes(24).toString('base64url') }
  const isTokenInPage = input.access.token === undefined
  const streams = createEventStreams()
  const routes = createRoutes({ projects: input.projects, open: input.open, streams })

  const redact = (text: string): string => {
    const secrets = (input.secrets?.() ?? []).filter((secret) => secret.length >= 6)
    return secrets.reduce((left, secret) => left.replaceAll(JSON.stringify(secret).slice(1, -1), '***'), text)
  }

  const send = (response: ServerResponse, status: number, type: string, text: string) => {
    response.statusCode = status
    response.setHeader('content-type', type)
    response.end(text)
  }
  const sendJson = (response: ServerResponse, status: number, value: unknown) =>
    send(response, status, 'application/json; charset=utf-8', redact(JSON.stringify(value)))

  const check = (asked: Asked, request: IncomingMessage) => {
    const { method = 'GET', headers, socket } = request
    const refusal = refusalOf(asked, { method, headers, remoteAddress: socket.remoteAddress }, rules)
    if (refusal !== undefined) throw new Refusal(403, refusal)
  }

  const answerPage = async (request: IncomingMessage, response: ServerResponse, name: string) => {
    check('page', request)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal(405, 'only GET is answered here')
    const asset = await readAsset(name, input.assets)
    if (!asset) throw new Refusal(404, 'there is no such page')
    // Base64url: no character of it means anything in HTML.
    const text = asset.text.replace('%TOKEN%', isTokenInPage ? rules.token : '')
    send(response, 200, asset.type, request.method === 'HEAD' ? '' : text)
  }

  const answerData = async (request: IncomingMessage, response: ServerResponse, url: URL, name: string) => {
    check('data', request)
    const route = Object.hasOwn(routes, name) ? (routes[name] as Route) : undefined
    if (!route) throw new Refusal(404, 'there is no such address')
    if (request.method !== route.method) throw new Refusal(405, `only ${route.method} is answered here`)
    const { project, ...query } = Object.fromEntries(url.searchParams)
    const given = route.method === 'POST' ? await readJson(request) : query
    const parsed = route.schema.safeParse(given)
    if (!parsed.success) throw new Refusal(400, z.prettifyError(parsed.error))
    const answer = await route.run({ input: parsed.data, project, request, response })
    if (answer !== undefined) sendJson(response, 200, answer)
  }

  return {
    async handle(request, response) {
      const url = urlOf(request, input.base)
      if (url === undefined) return false
      for (const name of response.getHeaderNames()) {
        // What an outer layer allows (Vite's CORS for every localhost) does not hold here.
        if (name.startsWith('access-control-')) response.removeHeader(name)
      }
      response.setHeader('cache-control', 'no-store')
      response.setHeader('content-security-policy', POLICY)
      response.setHeader('cross-origin-opener-policy', 'same-origin')
      response.setHeader('cross-origin-resource-policy', 'same-origin')
      response.setHeader('referrer-policy', 'no-referrer')
      response.setHeader('x-content-type-options', 'nosniff')
      response.setHeader('x-frame-options', 'DENY')
      try {
        // Not left to others: whoever mounted this goes by an address's beginning.
        if (url === 'outside') throw new Refusal(404, 'there is no such address')
        const path = url.pathname.slice(INSPECTOR_PATH.length)
        if (path === '') {
          check('page', request)
          response.setHeader('location', `${INSPECTOR_PATH.slice(1)}/${url.search}`)
          send(response, 302, 'text/plain', '')
        } else if (path.startsWith('/api/')) await answerData(request, response, url, path.slice('/api/'.length))
        else await answerPage(request, response, path === '/' ? 'index.html' : path.slice(1))
      } catch (error) {
        if (response.headersSent) response.destroy()
        else sendJson(response, statusOf(error), { error: messageOf(error) })
      }
      return true
    },
    close: () => streams.close(),
  }
}

/** `undefined`: not below the inspector's path; `outside`: it begins there and leads out of it. */
function urlOf({ url: given = '/' }: IncomingMessage, base = '/'): URL | 'outside' | undefined {
  const path = base !== '/' && given.startsWith(base) ? `/${given.slice(base.length)}` : given
  if (!isBelow(path.split('?', 1)[0] as string)) return undefined
  try {
    const url = new URL(path, 'http://localhost')
    return isBelow(url.pathname) ? url : 'outside'
  } catch {
    return 'outside'
  }
}

function isBelow(path: string): boolean {
  return path === INSPECTOR_PATH || path.startsWith(`${INSPECTOR_PATH}/`)
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the body must be application/json')
  }
  // Said before anything is read: ending a body half-way would end the connection, and the answer with it.
  if (Number(request.headers['content-length'] ?? 0) > MOST_BODY_BYTES) throw new Refusal(413, 'the body is too long')
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MOST_BODY_BYTES) throw new Refusal(413, 'the body is too long')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Refusal(400, 'the body is no JSON')
  }
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status
  return error instanceof LocalizationError ? 422 : 500
}
