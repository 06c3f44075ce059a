/** Puts lock, store, routes and listeners together, and takes them apart again. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { LocalizationError, messageOf } from '../errors.ts'
import { silentLogger } from '../logger.ts'
import { announce } from './announcement.ts'
import { answerErrors, createApp } from './app.ts'
import type { ServiceContext, ServiceEnv } from './context.ts'
import { createFaultInjector } from './faults.ts'
import { createFileStore } from './files.ts'
import { HttpError, lockLost } from './http-error.ts'
import { checkLanguage } from './import-file.ts'
import { createJobRunner } from './jobs.ts'
import { lockFolder } from './lock/folder-lock.ts'
import { printableLogger } from './log.ts'
import { type MountPages, mountedPages } from './mounted.ts'
import type { LocalServiceOptions, ServiceFeatures } from './options.ts'
import { createPublisher } from './publishing.ts'
import { createRateLimiter } from './rate-limit.ts'
import { createFileApp } from './routes/files.ts'
import { HOSTING_PATH } from './routes/hosting.ts'
import type { DriverName } from './store/driver.ts'
import { makeDataFolder, openDatabase, prepareDataFile } from './store/open.ts'
import { LATEST, PRODUCTION, randomToken } from './store/projects.ts'
import { createStore, type Store } from './store/store.ts'

/** A running service. */
export interface LocalService {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Where hosting is: the contract's `{cdn_url}`. */
  readonly cdnUrl: string
  /** Origin of exported files; `baseUrl` unless `filesPort` was given. */
  readonly filesUrl: string
  /**
   * Opens the project endpoints. The data file has it hashed; while the service runs with a `dataDir`, other processes of the same
   * person find it in `service.json` there.
   */
  readonly personalToken: string
  /** Finishes what runs, writes everything to the one file and frees port and folder. May be called twice. */
  close(): Promise<void>
}

const DEFAULT_FEATURES: ServiceFeatures = {
  exportV4: true,
  bulk: true,
  projectInfo: true,
  pageDetails: true,
  conditionalWrites: true,
}
const DEFAULT_UPLOAD_BYTES = 256_000_000
const DEFAULT_BODY_BYTES = 16_000_000
const DEFAULT_FILE_LIFETIME_MS = 600_000

/**
 * Starts the local service: the whole contract, on this machine.
 *
 * @throws LocalizationError `SERVICE_LOCKED` when another process has the data folder, `SERVICE_START` when the port, the folder
 * or an option is not usable.
 * @example
 * const service = await createLocalService({ dataDir: '.localization/service', environments: ['staging'] })
 */
export async function createLocalService(
  options: LocalServiceOptions = {},
  mountPages?: MountPages,
): Promise<LocalService> {
  const { dataDir, host = '127.0.0.1', port = 0, defaultLanguage = 'en' } = options
  const logger = printableLogger(options.logger ?? silentLogger)
  const declared = readDeclarations(options, defaultLanguage)
  const clock = options.now ?? Date.now
  const now = () => new Date(clock()).toISOString()
  const cleanups: (() => unknown)[] = []
  const cleanUp = async () => {
    for (let work = cleanups.pop(); work; work = cleanups.pop()) await work()
  }

  try {
    const folder = dataDir === undefined ? undefined : path.resolve(dataDir)
    const { database, lock } = await openData(folder, options.driver, cleanups)
    const store = createStore(database, now)
    const personalToken = options.personalToken ?? randomToken()
    store.projects.addPersonalToken(personalToken, options.revokeTokens ?? true)
    database.transaction(() => {
      for (const { id } of store.projects.all()) declare(store, id, declared)
    })

    const publisher = createPublisher(store, now, options.publishMinimumMs ?? 0)
    cleanups.push(() => publisher.close())
    const jobs = createJobRunner({ store, publisher, providers: options.providers ?? {}, now, logger })
    cleanups.push(() => jobs.close())
    const files = createFileStore({ lifetimeMs: options.fileLifetimeMs ?? DEFAULT_FILE_LIFETIME_MS, now: clock })

    let filesUrl = ''
    const context: ServiceContext = {
      store,
      publisher,
      jobs,
      files,
      fileUrl: (path) => `${filesUrl}/${path}`,
      instance: lock?.id,
      features: { ...DEFAULT_FEATURES, ...options.features },
      tokenHeader: options.tokenHeader ?? 'X-Service-Token',
      maxBodyBytes: options.maxBodyBytes ?? DEFAULT_BODY_BYTES,
      maxUploadBytes: options.maxUploadBytes ?? DEFAULT_UPLOAD_BYTES,
      createProject: (name) => store.projects.create(name, defaultLanguage, (id) => declare(store, id, declared)),
    }
    const app = createApp({ context, limit: createRateLimiter(options.rateLimit, clock), logger, dataFolder: folder })
    const inject = createFaultInjector(options.faults ?? [])
    const pages = mountedPages(mountPages, () => ({ baseUrl, personalToken, host, loopbackOnly: isLoopback(host) }))
    let isAnnounced = false
    let announcedNow = () => {}
    const announced = new Promise<void>((resolve) => {
      announcedNow = resolve
    })
    const listen = async (fetch: Hono<ServiceEnv>['fetch'], wanted: number) => {
      const answer = getRequestListener((request, env) => fetch(request, env as ServiceEnv['Bindings']), {
        overrideGlobalObjects: false,
      })
      const take = (request: IncomingMessage, response: ServerResponse) => {
        if (pages.answer(request, response)) return
        options.onRequest?.(describeRequest(request))
        inject(request, response, () => void answer(request, response))
      }
      const server = createServer((request, response) => {
        if (isAnnounced) take(request, response)
        // Whoever gets an answer finds the announcement too.
        else void announced.then(() => take(request, response))
      })
      cleanups.push(gracefulClose(server))
      return listenOn(server, host, wanted)
    }

    let baseUrl = ''
    if (options.filesPort === undefined) {
      baseUrl = await listen(app.fetch, port)
      filesUrl = baseUrl
    } else {
      const fileApp = new Hono<ServiceEnv>().route('/', createFileApp(files))
      answerErrors(fileApp, logger)
      filesUrl = await listen(fileApp.fetch, options.filesPort)
      baseUrl = await listen(app.fetch, port)
    }
    const cdnUrl = `${baseUrl}${HOSTING_PATH}`
    if (folder !== undefined && lock) {
      await announce(folder, { lock: lock.id, baseUrl, cdnUrl, filesUrl, personalToken })
    }
    isAnnounced = true
    announcedNow()
    jobs.resume()
    // Streams to open pages would hold the listener up.
    cleanups.push(pages.close)

    let closing: Promise<void> | undefined
    return {
      baseUrl,
      cdnUrl,
      filesUrl,
      personalToken,
      close: () => {
        closing ??= cleanUp()
        return closing
      },
    }
  } catch (error) {
    await cleanUp()
    // Declarations that the data has no room for.
    if (error instanceof HttpError) throw new LocalizationError(error.message, { code: 'SERVICE_START' })
    throw error
  }
}

/** Locks the folder, and opens the data in it; without a folder, data in memory. */
async function openData(folder: string | undefined, driver: DriverName | undefined, cleanups: (() => unknown)[]) {
  if (folder === undefined) {
    const database = await openDatabase(undefined, driver)
    cleanups.push(() => database.close())
    return { database }
  }
  makeDataFolder(folder)
  const lock = await lockFolder(folder)
  cleanups.push(() => lock.release())
  const database = await openDatabase(prepareDataFile(folder), driver, () => {
    if (!lock.isHeld()) throw lockLost()
  })
  // Closing writes too: what may be somebody else's by now is left as it is.
  cleanups.push(() => (lock.isHeld() ? database.close() : undefined))
  await lock.settle()
  return { database, lock }
}

interface Declarations {
  readonly languages: readonly { key: string; name?: string | undefined }[]
  readonly customers: readonly { key: string; description?: string | undefined }[]
  readonly environments: readonly string[]
}

function readDeclarations(options: LocalServiceOptions, defaultLanguage: string): Declarations {
  const languages = (options.languages ?? []).map((item) => (typeof item === 'string' ? { key: item } : item))
  const customers = (options.customers ?? []).map((item) => (typeof item === 'string' ? { key: item } : item))
  try {
    for (const key of [defaultLanguage, ...languages.map(({ key }) => key)]) checkLanguage(key)
  } catch (error) {
    throw new LocalizationError(messageOf(error), { code: 'SERVICE_START' })
  }
  if (customers.some(({ key }) => key === '')) {
    throw new LocalizationError("a customer's key is empty", { code: 'SERVICE_START' })
  }
  const environments = (options.environments ?? []).filter((key) => key !== LATEST)
  for (const key of environments) {
    if (key !== PRODUCTION && !/^[A-Za-z0-9][\w.-]*$/.test(key)) {
      throw new LocalizationError(`an environment cannot be named ${JSON.stringify(key)}`, {
        code: 'SERVICE_START',
        hint: 'Start with a letter or digit, go on with letters, digits, "_", "-" and ".".',
      })
    }
  }
  const tail = environments.includes(PRODUCTION) ? [] : [PRODUCTION]
  return { languages, customers, environments: [LATEST, ...environments, ...tail] }
}

function declare(store: Store, projectId: number, { languages, customers, environments }: Declarations): void {
  store.projects.addLanguages(projectId, languages)
  for (const customer of customers) store.projects.addCustomer(projectId, customer)
  store.projects.setEnvironments(projectId, environments)
}

function describeRequest(request: IncomingMessage) {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  return { method: request.method ?? 'GET', path, query: new URLSearchParams(query) }
}

function listenOn(server: Server<typeof IncomingMessage, typeof ServerResponse>, host: string, port: number) {
  return new Promise<string>((resolve, reject) => {
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
      resolve(`http://${reachable(host)}:${actual}`)
    })
  })
}

/** The name under which this machine reaches what listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

/** Whether a listener on `host` is reached from this machine only. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** How long requests that are being answered may take when the service ends. */
const LAST_ANSWERS_MS = 5000

/** Closes a server: takes nothing new, lets what is being answered finish, then drops every connection. */
function gracefulClose(server: Server): () => Promise<void> {
  const answering = new Set<ServerResponse>()
  let closing = false
  const drop = () => {
    if (closing && answering.size === 0) server.closeAllConnections()
  }
  server.on('request', (_request, response) => {
    answering.add(response)
    response.once('close', () => {
      answering.delete(response)
      drop()
    })
  })
  return () =>
    new Promise((resolve) => {
      const limit = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS)
      server.close(() => {
        clearTimeout(limit)
        resolve()
      })
      closing = true
      drop()
    })
}
