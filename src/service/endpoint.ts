/** Defines endpoints by their schemas and a handler. The route and the OpenAPI operation are derived from them. */
import * as z from 'zod'
import { type AuthContext, authorizedProject, checkPersonalToken } from './auth.ts'
import type { ServiceApp, ServiceContext, ServiceRequest } from './context.ts'
import { badRequest, isRefusal } from './http-error.ts'
import { LIMITS } from './limits.ts'
import type { ServiceFeatures } from './options.ts'
import { isStorable, issuesOf, namespacesOf, parseQuery, readJson } from './request.ts'
import { envelope, sendJson } from './response.ts'
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
  const { maxBodyBytes } = context
  app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const authorize = async (known: AuthContext) => {
      if (token !== 'personal') return authorizedProject(known, c)
      await checkPersonalToken(known, c)
      return NO_PROJECT
    }
    const { incoming } = c.env
    const project = await authorize(context)
    if (!isStorable(Object.values<string>(c.req.param()).join(''))) return c.notFound()
    const readsJson = schema !== undefined && schema !== 'upload'
    const authorizedAt = Date.parse(context.now())
    const call = {
      project,
      query: parseQuery(query, new URL(c.req.url).searchParams),
      body: readsJson ? await readJson(incoming, schema, maxBodyBytes, { anyText }) : undefined,
      c,
      authorizeAgain: (store: Store) =>
        authorize({ ...context, store, projectOf: (apiKey) => store.projects.byApiKey(apiKey) }),
    }
    if (Date.parse(context.now()) - authorizedAt > AUTHORIZED_MS) await authorize(context)
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
