/**
 * The local service: started in this process, closed with the test, spoken to with plain HTTP. It comes from `src`, or
 * from `dist` where the Vitest project tests `dist`.
 */
import { expect, vi } from 'vitest'
import { createLocalService, type DriverName, type LocalService, type LocalServiceOptions } from '../../src/service.ts'
import { whenFileIsOver, whenOver } from './closing.ts'
import { emptySchema } from './postgres.ts'

const hasNodeSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined
/** Set in the project `postgres`: all services of its tests have their data there. */
const postgres = process.env.TEST_POSTGRES_URL
if (!hasNodeSqlite && !postgres) {
  process.stdout.write('contract tests on node:sqlite skipped: this runtime has no node:sqlite\n')
}

/** Every SQLite build that this runtime can use. */
export const SQLITE_DRIVERS: readonly DriverName[] = hasNodeSqlite
  ? ['node:sqlite', 'node-sqlite3-wasm']
  : ['node-sqlite3-wasm']

type TestDriver = DriverName | 'postgres'

/** A suite runs once on each. */
export const DRIVERS: readonly TestDriver[] = postgres ? ['postgres'] : SQLITE_DRIVERS

type TestServiceOptions = Omit<LocalServiceOptions, 'driver'> & { readonly driver?: TestDriver | undefined }

/** By data folder: a service on PostgreSQL that starts again finds its data. */
const schemas = new Map<string, string>()

interface TestService extends LocalService {
  /** Every request so far, `GET /api/v4/export`. */
  readonly requests: readonly string[]
  /** Is called with every later one. */
  hear(listener: (line: string) => unknown): void
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await createService(options)
  whenOver(() => service.close())
  return service
}

const shared = new Map<string, Promise<TestService>>()

/**
 * One for all tests of the file that give the same options: each looks at its own project only. With a folder or a
 * function in them it is the test's own.
 */
export function shareService(options: TestServiceOptions = {}): Promise<TestService> {
  let isOwn = options.dataDir !== undefined
  const name = JSON.stringify(options, (_key, value) => {
    if (typeof value === 'function') isOwn = true
    return value
  })
  if (isOwn) return startService(options)
  const known = shared.get(name)
  if (known) return known
  const service = createService(options).then((started) => {
    // Whoever closes it early is its last user.
    const close = () => {
      shared.delete(name)
      return started.close()
    }
    whenFileIsOver(close)
    return { ...started, close }
  })
  shared.set(name, service)
  return service
}

async function createService({ driver, ...given }: TestServiceOptions): Promise<TestService> {
  const requests: string[] = []
  const listeners: ((line: string) => unknown)[] = [(line) => requests.push(line)]
  const options: LocalServiceOptions = {
    ...given,
    onRequest(info) {
      given.onRequest?.(info)
      for (const listener of listeners) listener(`${info.method} ${info.path}`)
    },
  }
  const service = await createLocalService(
    postgres ? await inSchema(postgres, options) : { ...options, ...(driver !== 'postgres' && { driver }) },
  )
  return { ...service, requests, hear: (listener) => listeners.push(listener) }
}

async function inSchema(server: string, { dataDir, ...options }: LocalServiceOptions): Promise<LocalServiceOptions> {
  const databaseUrl = (dataDir && schemas.get(dataDir)) ?? (await emptySchema(server))
  if (dataDir) schemas.set(dataDir, databaseUrl)
  return { ...options, databaseUrl }
}

/** An answer as it came: `body` parsed where it is JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: literal answers are held against literals
  readonly body: any
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON, unless it is a string or a form. */
  readonly body?: unknown
}

export async function request(
  address: string,
  { method = 'GET', headers, body }: RequestOptions = {},
): Promise<Answer> {
  const raw = body === undefined || typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array
  const response = await fetch(address, {
    method,
    redirect: 'manual',
    headers: { ...(!raw && { 'content-type': 'application/json' }), ...headers } as Record<string, string>,
    ...(body !== undefined && { body: (raw ? body : JSON.stringify(body)) as RequestInit['body'] }),
  })
  const text = await response.text()
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    parsed = undefined
  }
  return { status: response.status, headers: response.headers, text, body: parsed }
}

/** A multipart form whose part `file` holds `content` (objects as JSON). */
export function uploadForm(content: string | object | Uint8Array, name = 'texts.json'): FormData {
  const form = new FormData()
  const text = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)
  form.append('file', new Blob([text as string], { type: 'application/json' }), name)
  return form
}

/** A project of the service and calls with its API key. */
export interface TestProject {
  readonly apiKey: string
  readonly projectToken: string
  /** Any call below the service's address, with the API key. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  get(path: string): Promise<Answer>
  /** Imports and expects it to be taken. Default: `multi-language-json` into the default namespace. */
  import(content: string | object, query?: string): Promise<Answer>
  /** The file of an export v3, parsed. */
  export(query?: string): Promise<Answer['body']>
  publish(environment?: string): Promise<Answer>
  /** A hosted file: `en`, `en/common`, `_index`. */
  hosted(path: string, environment?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

/** A service in this process or in another one. */
type Running = Pick<LocalService, 'baseUrl' | 'cdnUrl' | 'personalToken'>

export async function createProject(service: Running, name = 'Test project'): Promise<TestProject> {
  const created = await request(`${service.baseUrl}/api/v2/projects`, {
    method: 'POST',
    headers: { authorization: service.personalToken },
    body: { name },
  })
  if (created.status !== 200) throw new Error(`the project was refused: ${created.text}`)
  return projectOf(service, created.body.data)
}

export async function listProjects({ baseUrl, personalToken }: Running) {
  const { body } = await request(`${baseUrl}/api/v2/projects`, { headers: { authorization: personalToken } })
  return body.data as { readonly apiKey: string; readonly projectToken: string }[]
}

/** The calls of a project that is there already. */
export function projectOf(
  service: Running,
  { apiKey, projectToken }: { readonly apiKey: string; readonly projectToken: string },
): TestProject {
  const api: TestProject['api'] = (method, path, body, headers) =>
    request(`${service.baseUrl}${path}`, { method, headers: { 'X-Service-Token': apiKey, ...headers }, body })
  return {
    apiKey,
    projectToken,
    api,
    get: (path) => api('GET', path),
    async import(content, query = 'uploadFormat=multi-language-json') {
      const answer = await api('POST', `/api/v2/import?${query}`, uploadForm(content))
      if (answer.status !== 200) throw new Error(`the import was refused: ${answer.text}`)
      return answer
    },
    async export(query = 'downloadFormat=multi-language-json') {
      const { body } = await api('GET', `/api/v3/export?${query}`)
      return (await request(body.data.url)).body
    },
    publish: (environment = '_latest') => api('POST', `/api/v2/environments/${environment}/publish`),
    hosted: (path, environment = '_latest', headers = {}) =>
      request(`${service.cdnUrl}/${projectToken}/${environment}/${path}`, { headers }),
  }
}

/** Asks again until `done`. */
export function waitFor<T>(ask: () => Promise<T> | T, done: (value: T) => boolean): Promise<T> {
  const look = async () => {
    const value = await ask()
    return done(value) ? value : expect.fail(`it did not come to pass: ${JSON.stringify(value)?.slice(0, 500)}`)
  }
  return vi.waitFor(look, { timeout: 60_000, interval: 20 })
}
