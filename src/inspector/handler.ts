/** The inspector as a request handler: it answers what is below its path, in any Node server. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { LocalizationError, messageOf } from '../errors.ts'
import { type AccessRules, refusalOf } from './access.ts'
import type { Activity } from './activity.ts'
import { createEndpoints } from './endpoints.ts'
import { assertMethod, Refusal, readJson, send } from './http.ts'
import type { InspectedProject } from './inspected-project.ts'
import type { ErrorAnswer, ProjectChoice } from './protocol.ts'

const INSPECTOR_PATH = '/__localization'

export interface InspectorOptions {
  readonly projects: () => Promise<readonly ProjectChoice[]>
  /** The project with that id; without an id, the first one. */
  readonly open: (id: string | undefined) => Promise<InspectedProject | undefined>
  readonly access: Omit<AccessRules, 'token'> & {
    /** The page asks people for this token. Default: a new one, which the page holds. */
    readonly token?: string | undefined
  }
  /** The beginning of the server's own paths, such as `/app/`. Default `/`. */
  readonly base?: string | undefined
  /** Values that no answer may hold. */
  readonly secrets?: (() => readonly string[]) | undefined
  /** The folder of the built page. Default: the package's. */
  readonly assets?: URL | undefined
}

export type Inspector = ReturnType<typeof createInspector>

/** In the built package this file is in `dist`, and the page in `dist/inspector`. */
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
    if (type === undefined) throw new Refusal(404, 'there is no such page')
    const text = await readFile(new URL(name, assets ?? BUILT_PAGE), 'utf8')
    // Base64url: no character of the token has a meaning in HTML.
    const filled = text.replace('%TOKEN%', access.token === undefined ? token : '')
    send(response, 200, type, request.method === 'HEAD' ? '' : filled)
  }

  /** Each line is the kind of what has changed. */
  const sendEvents = (response: ServerResponse, { subscribe }: Activity) => {
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    // Proxies that buffer answers leave this one alone.
    response.setHeader('x-accel-buffering', 'no')
    response.write('\n')
    const unsubscribe = subscribe((kind) => {
      if (!response.writableEnded) response.write(`${kind}\n`)
    })
    streams.add(response)
    response.on('close', () => {
      unsubscribe()
      streams.delete(response)
    })
  }

  const sendData = async (request: IncomingMessage, response: ServerResponse, name: string, url: URL) => {
    const { project: id, ...query } = Object.fromEntries(url.searchParams)
    const endpoint = endpoints.get(name)
    if (!endpoint && name !== 'projects' && name !== 'events') throw new Refusal(404, 'there is no such address')
    assertMethod(request, endpoint?.method ?? 'GET')
    if (name === 'projects') return sendJson(response, 200, await projects())
    const given = endpoint?.schema.safeParse(endpoint.method === 'POST' ? await readJson(request) : query)
    if (given?.success === false) throw new Refusal(400, z.prettifyError(given.error))
    const project = await open(id)
    if (!project) throw new Error('there is no such project')
    if (!endpoint) return sendEvents(response, project.activity)
    // The schema and the function are of one endpoint.
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
    /** False: the request is not for the inspector, and nothing was answered. */
    async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
      const url = urlOf(request, base)
      if (url === undefined) return false
      for (const name of response.getHeaderNames()) {
        // Vite, for one, allows every origin of localhost.
        if (name.startsWith('access-control-')) response.removeHeader(name)
      }
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
      try {
        // Answered here: the server that mounted the inspector looks at the beginning of an address only.
        if (url === 'outside') throw new Refusal(404, 'there is no such address')
        await answer(request, response, url)
      } catch (error) {
        if (response.headersSent) response.destroy()
        else sendJson(response, statusOf(error), { error: messageOf(error) } satisfies ErrorAnswer)
      }
      return true
    },
    /** Ends the streams to open pages. */
    close(): void {
      for (const response of streams) response.end()
    },
  }
}

/** `undefined`: not below the inspector's path. `outside`: the address begins with that path and leads out of it. */
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
