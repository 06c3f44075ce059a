/** Puts lock, store, routes and listeners together, and takes them apart again. */
import type { IncomingMessage, RequestListener } from 'node:http'
import path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { LocalizationError } from '../errors.ts'
import { silentLogger } from '../logger.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import { announce } from './announcement.ts'
import { answerErrors, createApp } from './app.ts'
import type { ServiceContext, ServiceEnv } from './context.ts'
import { declare, parseDeclarations } from './declarations.ts'
import { createFaultInjector } from './faults.ts'
import { createFileStore } from './files.ts'
import { HttpError, lockLost } from './http-error.ts'
import { JobRunner } from './jobs.ts'
import { listen } from './listen.ts'
import { type FolderLock, lockFolder } from './lock/folder-lock.ts'
import { printableLogger } from './log.ts'
import { type MountPages, mountedPages } from './mounted.ts'
import type { LocalServiceOptions, ServiceFeatures } from './options.ts'
import { Publisher } from './publishing.ts'
import { createRateLimiter } from './rate-limit.ts'
import { createFileApp } from './routes/files.ts'
import { HOSTING_PATH } from './routes/hosting.ts'
import type { Database } from './store/driver.ts'
import { startError } from './store/migrate.ts'
import { makeDataFolder, openDatabase, prepareDataFile } from './store/open.ts'
import { openPostgres } from './store/postgres-open.ts'
import { createStore } from './store/store.ts'
import { randomToken } from './store/tokens.ts'

/** A running service. */
export interface LocalService {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Where hosting is: the contract's `{cdn_url}`. */
  readonly cdnUrl: string
  /** Origin of exported files; `baseUrl` unless `filesPort` was given. */
  readonly filesUrl: string
  /**
   * Opens the project endpoints. The data file has it hashed; while the service runs with a `dataDir`, other processes
   * of the same person find it in `service.json` there.
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

/** Work that takes the service apart, the last one first. */
type Cleanups = (() => unknown)[]

/**
 * Starts the local service: the whole contract, on this machine.
 *
 * @throws LocalizationError `SERVICE_LOCKED` when another process has the data folder, `SERVICE_START` when the port,
 * the folder or an option is not usable.
 * @example
 * const service = await createLocalService({ dataDir: '.localization/service', environments: ['staging'] })
 */
export async function createLocalService(
  options: LocalServiceOptions = {},
  mountPages?: MountPages,
): Promise<LocalService> {
  const cleanups: Cleanups = []
  const cleanUp = async () => {
    for (let work = cleanups.pop(); work; work = cleanups.pop()) await work()
  }
  try {
    const running = await start(options, mountPages, cleanups)
    let closing: Promise<void> | undefined
    return {
      ...running,
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

async function start(
  options: LocalServiceOptions,
  mountPages: MountPages | undefined,
  cleanups: Cleanups,
): Promise<Omit<LocalService, 'close'>> {
  const { dataDir, host = '127.0.0.1', now: clock = Date.now, personalToken = randomToken() } = options
  const logger = printableLogger(options.logger ?? silentLogger)
  const declared = parseDeclarations(options)
  const now = () => new Date(clock()).toISOString()

  const folder = dataDir === undefined ? undefined : path.resolve(dataDir)
  const { database, lock } = await openData(folder, options, cleanups)
  const store = createStore(database, now)
  await store.transaction(async (tx) => {
    await tx.projects.addPersonalToken(personalToken, options.revokeTokens ?? true)
    for (const { id } of await tx.projects.all()) await declare(tx, id, declared)
  })
  const publisher = new Publisher(store, now, options.publishMinimumMs ?? 0)
  cleanups.push(() => publisher.close())
  const jobs = new JobRunner({ store, publisher, providers: options.providers ?? {}, now, logger })
  cleanups.push(() => jobs.close())

  let [baseUrl, filesUrl] = ['', '']
  const context: ServiceContext = {
    store,
    publisher,
    jobs,
    files: createFileStore({ lifetimeMs: options.fileLifetimeMs ?? 600_000, now: clock }),
    fileUrl: (path) => `${filesUrl}/${path}`,
    instance: lock?.id,
    features: { ...DEFAULT_FEATURES, ...options.features },
    tokenHeader: options.tokenHeader ?? 'X-Service-Token',
    maxBodyBytes: options.maxBodyBytes ?? 16_000_000,
    maxUploadBytes: options.maxUploadBytes ?? 256_000_000,
    createProject: (name) =>
      store.transaction(async (tx) => {
        const project = await tx.projects.create(name, declared.defaultLanguage)
        await declare(tx, project.id, declared)
        return project
      }),
  }
  const limit = options.rateLimit === undefined ? undefined : createRateLimiter(options.rateLimit, clock)
  const app = createApp({ context, limit, logger, dataFolder: folder })
  const inject = createFaultInjector(options.faults ?? [])
  const pages = mountedPages(mountPages, () => ({ baseUrl, personalToken, host, loopbackOnly: isLoopbackHost(host) }))
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const listenWith = async (served: Hono<ServiceEnv>, port: number): Promise<string> => {
    const answer = getRequestListener((request, env) => served.fetch(request, env as ServiceEnv['Bindings']), {
      overrideGlobalObjects: false,
    })
    const take: RequestListener = async (request, response) => {
      // Whoever gets an answer finds the announcement too.
      await opened
      if (pages.answer(request, response)) return
      options.onRequest?.(describeRequest(request))
      inject(request, response, () => void answer(request, response))
    }
    const listener = await listen(take, host, port)
    cleanups.push(listener.close)
    return listener.url
  }

  if (options.filesPort !== undefined) {
    const fileApp = createFileApp(context.files)
    answerErrors(fileApp, logger)
    filesUrl = await listenWith(fileApp, options.filesPort)
  }
  baseUrl = await listenWith(app, options.port ?? 0)
  filesUrl ||= baseUrl
  const addresses = { baseUrl, cdnUrl: `${baseUrl}${HOSTING_PATH}`, filesUrl, personalToken }
  if (folder !== undefined && lock) await announce(folder, { lock: lock.id, ...addresses })
  open()
  await jobs.resume()
  // Streams to open pages would keep the listener from closing.
  cleanups.push(pages.close)
  return addresses
}

/** Locks the folder, and opens the data in it; without a folder, a database or data in memory. */
async function openData(
  folder: string | undefined,
  { driver, databaseUrl }: LocalServiceOptions,
  cleanups: Cleanups,
): Promise<{ database: Database; lock?: FolderLock }> {
  if (databaseUrl !== undefined) {
    if (folder !== undefined || driver !== undefined) {
      throw startError('the service has two places for its data: databaseUrl, and dataDir or driver', {
        hint: 'Leave one of them out.',
      })
    }
    const database = await openPostgres(databaseUrl)
    cleanups.push(() => database.close())
    return { database }
  }
  if (folder === undefined) {
    const database = await openDatabase(undefined, driver)
    cleanups.push(() => database.close())
    return { database }
  }
  await makeDataFolder(folder)
  const lock = await lockFolder(folder)
  cleanups.push(() => lock.release())
  const database = await openDatabase(await prepareDataFile(folder), driver, () => {
    if (!lock.isHeld()) throw lockLost()
  })
  // Closing writes too: data that another process may have by now is left as it is.
  cleanups.push(() => (lock.isHeld() ? database.close() : undefined))
  lock.settle()
  return { database, lock }
}

function describeRequest(request: IncomingMessage) {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  return { method: request.method ?? 'GET', path, query: new URLSearchParams(query) }
}
