/**
 * Defines endpoints by their schemas and a handler. The route and the OpenAPI operation are derived from them. Also
 * contains what all endpoints share: authentication, conditional writes, bulk requests and responses.
 */

import type { OutgoingHttpHeaders } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import * as z from 'zod'
import type { ServiceApp, ServiceContext, ServiceRequest } from './context.ts'
import { badRequest, HttpError, isRefusal } from './http-error.ts'
import { LIMITS } from './limits.ts'
import type { ServiceFeatures } from './options.ts'
import { isStorable, issuesOf, namespacesOf, parseQuery, readJson } from './request.ts'
import type { WriteCondition } from './set-text.ts'
import { isSameToken } from './store/credentials.ts'
import type { ProjectRecord } from './store/projects.ts'
import type { ServiceStore, Store } from './store/store.ts'

/** A validated request. */
export interface Call<Query, Body> {
  readonly project: ProjectRecord
  readonly query: Query
  readonly body: Body
  readonly c: ServiceRequest
  /** Checks the credentials again in the write transaction, because they may have expired during the upload. */
  readonly authorizeAgain: (tx: Store) => Promise<unknown>
}

export interface Endpoint<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodType> {
  /** The credentials that the endpoint requires. Default: the project's API key. */
  readonly token?: 'personal'
  /** Query parameters. An array is a parameter that may be repeated. */
  readonly query?: Query
  readonly body?: Body | 'upload'
  /**
   * The name of an array in the body. The handler validates its entries one by one, and may refuse only some of them.
   */
  readonly entries?: string
  /** Set if the handler checks whether texts can be stored. */
  readonly anyText?: true
  readonly data?: z.ZodType
  /** Set if the response has no envelope. */
  readonly bare?: true
  /** Set if the endpoint accepts `If-Match` and `If-None-Match` when conditional writes are switched on. */
  readonly conditions?: true
  /** The feature that must be switched on, for endpoints outside the contract. */
  readonly feature?: keyof ServiceFeatures
  /** Returns the envelope's `data`, the whole body if `bare` is set, or a `Response`. */
  handle(call: Call<z.output<Query>, z.output<Body>>): unknown
}

export interface NamedEndpoint extends Endpoint {
  readonly method: string
  /** With parameters as `{name}`. */
  readonly path: string
  readonly summary: string
}

/** Defines an endpoint. `route` is the method and the path, with parameters as `{name}`. */
export function endpoint<Query extends z.ZodObject, Body extends z.ZodType>(
  route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`,
  summary: string,
  definition: Endpoint<Query, Body>,
): NamedEndpoint {
  const [method = '', path = ''] = route.split(' ')
  return { ...(definition as unknown as Endpoint), method, path, summary }
}

/** A placeholder for the project in calls with a personal token. */
const NO_PROJECT: ProjectRecord = {
  id: 0,
  name: '',
  projectToken: '',
  apiKey: '',
  version: 0,
  rowsVersion: 0,
  publishCount: 0,
  unpublishedChanges: 0,
}

/** If the body arrives within this time, the credentials are not checked again. */
const AUTHORIZED_MS = 1000

export function addEndpoint(app: ServiceApp, context: ServiceContext, definition: NamedEndpoint): void {
  const { method, path, token, query = z.object({}), body, entries, anyText, bare, handle } = definition
  const schema = entries === undefined ? body : z.looseObject({ [entries]: z.array(z.unknown()) })
  const { store, ownToken, tokenHeader, maxBodyBytes } = context
  app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const authorize = async (known: Store, projectOf: ServiceContext['projectOf']) => {
      if (token !== 'personal') return authorizedProject(projectOf, tokenHeader, c)
      await checkPersonalToken(known, ownToken, c)
      return NO_PROJECT
    }
    const project = await authorize(store, context.projectOf)
    if (!isStorable(Object.values<string>(c.req.param()).join(''))) return c.notFound()
    const readsJson = schema !== undefined && schema !== 'upload'
    const authorizedAt = Date.parse(context.now())
    const call = {
      project,
      query: parseQuery(query, new URL(c.req.url).searchParams),
      body: readsJson ? await readJson(c.env.incoming, schema, maxBodyBytes, { anyText }) : undefined,
      c,
      authorizeAgain: (tx: Store) => authorize(tx, (apiKey) => tx.projects.byApiKey(apiKey)),
    }
    if (Date.parse(context.now()) - authorizedAt > AUTHORIZED_MS) await authorize(store, context.projectOf)
    const answer = await handle(call)
    if (answer instanceof Response) return answer
    return sendJson(c, JSON.stringify(bare ? answer : envelope(answer)))
  })
}

/** Calls `work` for each entry of a bulk request, in one transaction. Returns the refused entries. */
export function inBulk<T extends z.ZodType>(
  store: ServiceStore,
  projectId: number,
  entries: readonly unknown[],
  schema: T,
  work: (tx: Store, entry: z.output<T>) => Promise<unknown>,
): Promise<{ failures: { entry: unknown; message: string }[] }> {
  if (entries.length > LIMITS.bulkItems) throw badRequest(`A request must contain at most ${LIMITS.bulkItems} entries.`)
  const writeAll = async (tx: Store) => {
    await tx.projects.lock(projectId, namespacesOf(entries))
    const failures: { entry: unknown; message: string }[] = []
    for (const entry of entries) {
      try {
        const { success, data, error } = schema.safeParse(entry)
        if (!success) throw badRequest(issuesOf(error)[0] ?? '')
        await work(tx, data)
      } catch (error) {
        if (!isRefusal(error)) throw error
        failures.push({ entry, message: error.message })
      }
    }
    return { failures }
  }
  return store.transaction(writeAll, { isBeside: true })
}

/**
 * Sends a complete response with the headers set on `c.env.outgoing`. The handler must return the result. Writes to
 * Node's response, because converting a web `Response` takes longer than most queries.
 */
export function send(
  { env: { outgoing } }: ServiceRequest,
  status: number,
  headers: OutgoingHttpHeaders,
  body?: Uint8Array | string,
): Response {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  outgoing.writeHead(status, { ...length, ...headers }).end(body)
  return RESPONSE_ALREADY_SENT
}

export function sendJson(c: ServiceRequest, json: Uint8Array | string): Response {
  return send(c, 200, { 'content-type': 'application/json' }, json)
}

/** The envelope of all responses except the import's. */
export function envelope(data: unknown, extra?: object): object {
  return { msg: 'OK', status: 200, data, ...extra }
}

/** Like `envelope`, for `data` that is already JSON. */
export function inEnvelope(json: string): string {
  return `{"msg":"OK","status":200,"data":${json}}`
}

export async function checkPersonalToken(store: Store, ownToken: string | undefined, c: ServiceRequest): Promise<void> {
  if (!c.req.header('authorization')) throw refused('Send the personal token in the Authorization header.')
  if (!(await hasPersonalToken(store, ownToken, c))) throw refused('The personal token is not valid.')
}

export async function hasPersonalToken(
  store: Store,
  ownToken: string | undefined,
  c: ServiceRequest,
): Promise<boolean> {
  const token = c.req.header('authorization')
  if (!token) return false
  return (ownToken !== undefined && isSameToken(ownToken, token)) || store.credentials.hasPersonalToken(token)
}

async function authorizedProject(
  projectOf: ServiceContext['projectOf'],
  tokenHeader: string,
  c: ServiceRequest,
): Promise<ProjectRecord> {
  const key = c.req.header(tokenHeader)
  if (!key) throw refused(`Send the project API key in the ${tokenHeader} header.`)
  const project = await projectOf(key)
  if (!project) throw refused('The project API key is not valid.')
  return project
}

/**
 * Wraps `read`: all calls with the same `id` in one turn of the event loop share a read that begins after the last of
 * these calls.
 */
export function sharedRead<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const next = new Map<string, Promise<T>>()
  const readNext = async (id: string) => {
    await nextTurn()
    next.delete(id)
    return read(id)
  }
  return (id) => {
    const found = next.get(id) ?? readNext(id)
    next.set(id, found)
    return found
  }
}

function refused(message: string): HttpError {
  return new HttpError(403, 'CREDENTIALS', message)
}

/**
 * The response header that announces conditional writes (RFC 9110, section 13.1). An extension, not in the contract.
 */
export const CONDITIONAL_WRITES = ['Conditional-Writes', 'text-digest=sha-256'] as const

/**
 * Returns the condition from the request's headers, or `undefined` if there is none or if the extension is switched
 * off.
 */
export function readCondition({ features }: ServiceContext, c: ServiceRequest): WriteCondition | undefined {
  const ifMatch = c.req.header('if-match')
  const ifNoneMatch = c.req.header('if-none-match')
  if (!features.conditionalWrites || (ifMatch === undefined && ifNoneMatch === undefined)) return undefined
  const expected = ifMatch === undefined ? undefined : parseIfMatch(ifMatch)
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw badRequest('If-None-Match must be *, which means that the text must not exist.')
  }
  return ({ digest, isEmpty }) => {
    const isExpected = expected === undefined || (expected === '*' ? !isEmpty : expected.has(digest))
    if (isExpected && (ifNoneMatch === undefined || isEmpty)) return
    throw new HttpError(
      412,
      'PRECONDITION_FAILED',
      "Nothing was written: the service's text differs from the expected one. Read it again before you retry.",
    )
  }
}

const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Returns the strong tags. Weak tags are valid, but never match. */
function parseIfMatch(value: string): '*' | ReadonlySet<string> {
  if (value.trim() === '*') return '*'
  const digests = new Set<string>()
  // NUL marks a parsed tag, because headers cannot contain NUL.
  const rest = value.replace(ENTITY_TAG, (_, weak: string | undefined, digest: string) => {
    if (weak === undefined) digests.add(digest)
    return '\0'
  })
  const items = rest.split(',').map((item) => item.trim())
  if (!items.includes('\0') || items.some((item) => item !== '' && item !== '\0')) {
    throw badRequest('If-Match is malformed: expected *, or comma-separated digests in double quotes.')
  }
  return digests
}
