/** The inspector as a request handler for any Node server. Handles only requests below its own path. */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { LocalizationError, messageOf } from '../errors.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import type { Activity } from './activity.ts'
import type { InspectedProject } from './endpoint.ts'
import { createEndpoints } from './endpoints.ts'
import type { ErrorAnswer, ProjectChoice } from './protocol.ts'

/** A rejected request, with the response's status. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The page shows "not connected" after three times this long without a line from the server. */
const ALIVE_MS = 5_000

/** The largest bodies are lists of texts. Each text has at most 65,535 characters. */
const MOST_BODY_BYTES = 4_000_000

function assertMethod({ method = 'GET' }: IncomingMessage, ...allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw new Refusal(405, `only ${allowed[0]} is allowed`)
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.statusCode = status
  response.setHeader('content-type', type)
  response.end(text)
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the request body must have the content type application/json')
  }
  const assertLength = (length: number) => {
    if (length > MOST_BODY_BYTES) throw new Refusal(413, 'the request body is too large')
  }
  // Checked before the body is read: stopping halfway would close the connection without a response.
  assertLength(Number(request.headers['content-length'] ?? 0))
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    assertLength(length)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Refusal(400, 'the request body is not JSON')
  }
}

const INSPECTOR_PATH = '/__localization'

export interface InspectorOptions {
  readonly projects: () => Promise<readonly ProjectChoice[]>
  /** The project with this id. If the id is `undefined`, the first project. */
  readonly open: (id: string | undefined) => Promise<InspectedProject | undefined>
  readonly access: Omit<AccessRules, 'token'> & {
    /** The page asks the user for this token. Default: a random token, which the page contains. */
    readonly token?: string | undefined
  }
  /** The path prefix of the server, such as `/app/`. Default `/`. */
  readonly base?: string | undefined
  /** Strings that must not appear in responses. */
  readonly secrets?: (() => readonly string[]) | undefined
  /** The folder of the built page. Default: the one in this package. */
  readonly assets?: URL | undefined
}

export type Inspector = ReturnType<typeof createInspector>

/** In the built package, this file is in `dist` and the page in `dist/inspector`. */
const BUILT_PAGE = new URL('./inspector/', import.meta.url)

const ASSET_TYPES = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['page.js', 'text/javascript; charset=utf-8'],
  ['page.css', 'text/css; charset=utf-8'],
  ['edit.js', 'text/javascript; charset=utf-8'],
])

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function createInspector({ projects, open, access, base, secrets, assets }: InspectorOptions) {
  const token = access.token ?? randomBytes(24).toString('base64url')
  const streams = new Set<ServerResponse>()
  const endpoints = new Map(Object.entries(createEndpoints()))

  const sendJson = (response: ServerResponse, status: number, value: object) =>
    send(response, status, 'application/json; charset=utf-8', redacted(JSON.stringify(value), secrets?.() ?? []))

  const sendPage = async (request: IncomingMessage, response: ServerResponse, name: string) => {
    assertMethod(request, 'GET', 'HEAD')
    const type = ASSET_TYPES.get(name)
    if (type === undefined) throw new Refusal(404, 'page not found')
    const text = await readFile(new URL(name, assets ?? BUILT_PAGE), 'utf8')
    // The token is base64url, so it needs no escaping in HTML.
    const filled = text.replace('%TOKEN%', access.token === undefined ? token : '')
    send(response, 200, type, request.method === 'HEAD' ? '' : filled)
  }

  /** Each line of the stream names the kind of data that has changed. */
  const sendEvents = (response: ServerResponse, { subscribe }: Activity) => {
    // If the page left while its project was opened, `close` was already emitted. HTTP/2 removes the socket then.
    if (response.socket?.destroyed !== false) return
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    // Turns off buffering in proxies.
    response.setHeader('x-accel-buffering', 'no')
    response.write('\n')
    // Lets the page notice that the server has stopped responding.
    const timer = setInterval(() => response.write('\n'), ALIVE_MS).unref()
    const unsubscribe = subscribe((kind) => {
      if (!response.writableEnded) response.write(`${kind}\n`)
    })
    streams.add(response)
    response.on('close', () => {
      clearInterval(timer)
      unsubscribe()
      streams.delete(response)
    })
  }

  const sendData = async (request: IncomingMessage, response: ServerResponse, name: string, url: URL) => {
    const { project: id, ...query } = Object.fromEntries(url.searchParams)
    const endpoint = endpoints.get(name)
    if (!endpoint && name !== 'projects' && name !== 'events') throw new Refusal(404, 'unknown URL')
    assertMethod(request, endpoint?.method ?? 'GET')
    if (name === 'projects') return sendJson(response, 200, await projects())
    const given = endpoint?.schema.safeParse(endpoint.method === 'POST' ? await readJson(request) : query)
    if (given?.success === false) throw new Refusal(400, z.prettifyError(given.error))
    const project = await open(id)
    if (!project) throw new Error('unknown project')
    if (!endpoint) return sendEvents(response, project.activity)
    // TypeScript cannot see that the schema and `run` belong to the same endpoint.
    const run = endpoint.run as (project: InspectedProject, request: unknown) => Promise<object>
    sendJson(response, 200, await run(project, given?.data))
  }

  const answer = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const path = url.pathname.slice(INSPECTOR_PATH.length)
    const isData = path.startsWith('/api/')
    const refusal = refusalOf(isData ? 'data' : 'page', request, { ...access, token })
    if (refusal !== undefined) throw new Refusal(403, refusal)
    if (isData) return sendData(request, response, path.slice('/api/'.length), url)
    if (path !== '') return sendPage(request, response, path === '/' ? 'index.html' : path.slice(1))
    response.setHeader('location', `${INSPECTOR_PATH.slice(1)}/${url.search}`)
    send(response, 302, 'text/plain', '')
  }

  return {
    /** Returns false, without a response, if the request is not for the inspector. */
    async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
      const url = urlOf(request, base)
      if (url === undefined) return false
      for (const name of response.getHeaderNames()) {
        // Removes what the server may have set: Vite, for example, allows every localhost origin.
        if (name.startsWith('access-control-')) response.removeHeader(name)
      }
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
      try {
        // Checked here, because the server around the inspector compares only the start of a URL.
        if (url === 'outside') throw new Refusal(404, 'unknown URL')
        await answer(request, response, url)
      } catch (error) {
        if (response.headersSent) response.destroy()
        else sendJson(response, statusOf(error), { error: messageOf(error) } satisfies ErrorAnswer)
      }
      return true
    },
    /** Ends the event streams to open pages. */
    close(): void {
      for (const response of streams) response.end()
    },
  }
}

/** `undefined` if the URL is not below the inspector's path. `outside` if it only starts with that path. */
function urlOf({ url: given = '/' }: IncomingMessage, base = '/'): URL | 'outside' | undefined {
  const path = base !== '/' && given.startsWith(base) ? `/${given.slice(base.length)}` : given
  if (!isBelow(path.split('?', 1)[0] as string)) return undefined
  const url = URL.canParse(path, 'http://localhost') ? new URL(path, 'http://localhost') : undefined
  return url && isBelow(url.pathname) ? url : 'outside'
}

function isBelow(path: string): boolean {
  return path === INSPECTOR_PATH || path.startsWith(`${INSPECTOR_PATH}/`)
}

function redacted(json: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 6)
    .reduce((text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), '***'), json)
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status
  return error instanceof LocalizationError ? 422 : 500
}

export interface AccessRules {
  /** Only someone who can read the page knows it. */
  readonly token: string
  /** The server's host names besides the loopback ones. `.example.com` also matches its subdomains. */
  readonly hosts: readonly string[]
  /** True to allow other machines that use an IP address or one of `hosts`. */
  readonly network: boolean
}

/** The parts of a request on which access depends. */
export interface AskedBy {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/**
 * Why the request is rejected; `undefined` if it is allowed. `page` covers the document and its files; `data` covers
 * everything that shows or changes a text.
 */
export function refusalOf(asked: 'page' | 'data', by: AskedBy, rules: AccessRules): string | undefined {
  const header = (name: string) => {
    const value = by.headers[name]
    return typeof value === 'string' ? value : undefined
  }
  // HTTP/2 sends `:authority` instead of `Host`.
  const host = (by.headers.host ?? header(':authority'))?.toLowerCase() ?? ''
  // Protects against DNS rebinding: a foreign name that resolves to this machine still appears in the `Host` header.
  if (!isOwnHost(host, rules)) return `not available under the host name ${JSON.stringify(host)}. Use localhost`
  if (!rules.network && !isOwnMachine(by)) {
    return "the inspector is open only to this machine. Set inspector: 'network' to allow others"
  }
  const { origin } = by.headers
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return 'cross-origin request rejected'
  }
  const site = header('sec-fetch-site')
  if (asked === 'page') {
    if (/^i?frame$/.test(header('sec-fetch-dest') ?? '')) return 'the page must not be embedded in another one'
    const isNavigation = header('sec-fetch-mode') === 'navigate'
    return site === 'cross-site' && !isNavigation ? 'cross-site request rejected' : undefined
  }
  if (site !== undefined && site !== 'same-origin') return 'cross-origin request rejected'
  if (by.method !== 'GET' && origin === undefined) return 'the request has no Origin header'
  return isToken(header('x-localization-token') ?? '', rules.token)
    ? undefined
    : 'the token is missing or expired. Reload the page'
}

function isOwnHost(host: string, { hosts, network }: AccessRules): boolean {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/.test(host) || !URL.canParse(`http://${host}`)) return false
  const url = new URL(`http://${host}`)
  const name = url.hostname
  if (isLoopbackHost(url.hostname) || hosts.some((own) => isNamed(name, own.toLowerCase()))) return true
  // Anyone can make a name resolve to this machine's IP address, so only IP addresses are trusted.
  return network && (/^\d+\.\d+\.\d+\.\d+$/.test(name) || name.startsWith('['))
}

function isNamed(name: string, own: string): boolean {
  return own.startsWith('.') ? name === own.slice(1) || name.endsWith(own) : name === own
}

/** True if the request comes from this machine and not through a proxy, which may forward other machines' requests. */
function isOwnMachine({ headers, socket: { remoteAddress = '' } }: AskedBy): boolean {
  const isLoopback = isLoopbackHost(remoteAddress.replace(/^::ffff:/, ''))
  return isLoopback && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined
}

function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
