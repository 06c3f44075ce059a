import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hono } from 'hono'
import { LocalizationError } from '../errors.ts'
import { type Logger, silentLogger } from '../logger.ts'
import { printable } from '../shared/escape.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import { problemOfNames, type ServiceNames } from '../shared/service-names.ts'
import { answerErrors, createApp } from './app.ts'
import type { RunState, ServiceContext, ServiceEnv } from './context.ts'
import { sharedRead } from './endpoint.ts'
import { createFaultInjector } from './faults.ts'
import { HttpError, lockLost } from './http-error.ts'
import { JobRunner } from './jobs.ts'
import { listen, type MountPages, mountedPages, requestListener } from './listen.ts'
import { lockFolder } from './lock/folder-lock.ts'
import { Metrics } from './metrics.ts'
import {
  type Declarations,
  declare,
  declareForAll,
  type LocalServiceOptions,
  parseDeclarations,
  type ServiceFeatures,
} from './options.ts'
import { checkProviders } from './providers.ts'
import { Publisher } from './publish.ts'
import { createRateLimiter } from './rate-limit.ts'
import { createFileApp, HOSTING_PATH } from './routes/hosting.ts'
import { TextGroups } from './set-text.ts'
import { ACCOUNT, randomToken } from './store/credentials.ts'
import { checkFile, migrate, migrateAndRead, startError } from './store/migrate.ts'
import { makeDataFolder, openDatabase, prepareDataFile } from './store/open.ts'
import { openPostgres } from './store/postgres-open.ts'
import { createStore, type Store } from './store/store.ts'

/** Matches the line breaks between stack frames, which are kept. */
const FRAME = /\n(?= {4}at )/

/** Wraps `logger`, and escapes control characters in its messages. */
function printableLogger(logger: Logger): Logger {
  const line = (message: string) => message.split(FRAME).map(printable).join('\n')
  return {
    debug: (message) => logger.debug(line(message)),
    info: (message) => logger.info(line(message)),
    warn: (message) => logger.warn(line(message)),
    error: (message) => logger.error(line(message)),
  }
}

export interface LocalService {
  /** The service's URL, without a trailing slash. */
  readonly baseUrl: string
  /** The base URL for hosting: the contract's `{cdn_url}`. */
  readonly cdnUrl: string
  /** The base URL for exported files. Equals `baseUrl` unless `filesPort` is set. */
  readonly filesUrl: string
  /**
   * The token for the project endpoints. The data file contains only its hash. While the service is running with a
   * `dataDir`, the folder's `service.json` contains the token for other processes of the same user.
   */
  readonly personalToken: string
  /**
   * True if only this process accepts `personalToken`: the options contain no token, and the database already has
   * personal tokens.
   */
  readonly isOwnToken: boolean
  /**
   * Makes `/ready` return 503, waits for running work, writes all data to one file, and releases the port and the
   * folder. Can be called repeatedly.
   */
  close(): Promise<void>
}

const DEFAULT_FEATURES: ServiceFeatures = {
  exportV4: true,
  bulk: true,
  projectInfo: true,
  keyInfo: true,
  pageDetails: true,
  conditionalWrites: true,
  publishedDigest: true,
}

export interface StartOptions extends LocalServiceOptions {
  /** True to check the data for damage before it is used, and to store no personal token. Default false. */
  readonly isCheck?: boolean | undefined
  /**
   * True if several processes share the service, and another one takes it over when this one exits. The service then
   * continues at the URL and with the token that the last process left, and closes each connection after its response:
   * a request on a connection that is closing could be lost. Default false.
   */
  readonly isHandedOver?: boolean | undefined
}

/** Cleanup functions, called in reverse order. */
type Cleanups = (() => unknown)[]

/**
 * Starts the local service, which implements the whole contract.
 *
 * @throws LocalizationError `SERVICE_LOCKED` if another process is using the data folder; `SERVICE_START` if the port,
 * the folder or an option cannot be used.
 * @example
 * const service = await createLocalService({ dataDir: '.localization/service', environments: ['staging'] })
 */
export async function createLocalService(options: StartOptions, mountPages?: MountPages): Promise<LocalService> {
  const cleanups: Cleanups = []
  const cleanUp = async () => {
    for (let work = cleanups.pop(); work; work = cleanups.pop()) await work()
  }
  try {
    const run: RunState = { isStopping: false }
    const running = await start(options, mountPages, cleanups, run)
    let closing: Promise<void> | undefined
    const close = async () => {
      run.isStopping = true
      if (options.drainMs) await sleep(options.drainMs)
      await cleanUp()
    }
    return {
      ...running,
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await cleanUp()
    // Thrown if the declarations exceed a limit, or if the disk is full.
    if (error instanceof HttpError) throw new LocalizationError(error.message, { code: 'SERVICE_START' })
    throw error
  }
}

async function start(
  options: StartOptions,
  mountPages: MountPages | undefined,
  cleanups: Cleanups,
  run: RunState,
): Promise<Omit<LocalService, 'close'>> {
  const { dataDir, host = '127.0.0.1' } = options
  const publicUrl = parsePublicUrl(options.publicUrl)
  checkProviders(options.providers ?? {})
  const logger = printableLogger(options.logger ?? silentLogger)
  const declared = parseDeclarations(options)

  const folder = dataDir === undefined ? undefined : path.resolve(dataDir)
  const data = await openData(folder, options, cleanups)
  const { database, lock, isShared } = data
  const left = options.isHandedOver ? lock?.left : undefined
  const clock = options.now ?? data.now ?? Date.now
  const now = () => new Date(clock()).toISOString()
  const store = createStore(database, now)
  const { personalToken, isOwnToken } = await store.transaction(async (tx) => {
    await tx.exportedFiles.removeExpired()
    return keepToken(tx, { ...options, personalToken: options.personalToken ?? left?.personalToken })
  })
  await declareForAll(store, declared)
  const publisher = new Publisher(store, now, options.duringPublish)
  cleanups.push(() => publisher.close())
  const jobs = new JobRunner({ store, publisher, providers: options.providers ?? {}, clock, logger, isShared })
  cleanups.push(() => jobs.close())

  const metrics = options.metrics ? new Metrics() : undefined
  cleanups.push(() => metrics?.close())
  let [baseUrl, filesUrl] = ['', '']
  const context: ServiceContext = {
    store,
    texts: new TextGroups(store),
    projectOf: sharedRead((apiKey) => store.projects.byApiKey(apiKey)),
    now,
    ownToken: isOwnToken ? personalToken : undefined,
    run,
    metrics: metrics && {
      figures: metrics,
      token: typeof options.metrics === 'object' ? options.metrics.token : undefined,
    },
    dataFile: data.file,
    publisher,
    jobs,
    fileLifetimeMs: options.fileLifetimeMs ?? 600_000,
    fileUrl: (path) => `${publicUrl ?? filesUrl}/${path}`,
    instance: lock?.id,
    features: { ...DEFAULT_FEATURES, ...options.features },
    tokenHeader: options.tokenHeader ?? 'X-Service-Token',
    names: checkedNames(options.names ?? {}),
    maxBodyBytes: options.maxBodyBytes ?? 16_000_000,
    maxUploadBytes: options.maxUploadBytes ?? 256_000_000,
    createProject: (name, ifMissing) => store.transaction((tx) => createProject(tx, name, declared, ifMissing)),
  }
  const { rateLimit } = options
  const limit = rateLimit === undefined ? undefined : createRateLimiter(rateLimit, clock, await data.createBuckets?.())
  const app = createApp(context, limit, logger, folder)
  const pages = mountedPages(
    mountPages,
    () => ({ baseUrl, personalToken, host, loopbackOnly: isLoopbackHost(host) }),
    () => store.projects.version(),
  )
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const inject = createFaultInjector(options.faults ?? [])
  const listenWith = async (served: Hono<ServiceEnv>, port: number): Promise<string> => {
    const steps = { run, metrics, opened, pages, inject, options, closesConnections: options.isHandedOver === true }
    const listener = await listen(requestListener(served, steps), host, port)
    cleanups.push(() => listener.close(options.finishMs ?? 5000))
    return listener.url
  }

  if (options.filesPort !== undefined) {
    const fileApp = createFileApp(store)
    answerErrors(fileApp, logger)
    filesUrl = await listenWith(fileApp, options.filesPort)
  }
  const listenAnew = () => listenWith(app, options.port ?? 0)
  // If another program is using the port now, no process can continue at the old URL.
  baseUrl = left
    ? await listenWith(app, options.port ?? Number(new URL(left.baseUrl).port)).catch(listenAnew)
    : await listenAnew()
  filesUrl ||= baseUrl
  const addresses = { baseUrl, cdnUrl: `${baseUrl}${HOSTING_PATH}`, filesUrl, personalToken, isOwnToken }
  await lock?.announce(addresses)
  open()
  await jobs.resume()
  // The pages must be closed first, because open streams to them would keep the listener from closing.
  cleanups.push(pages.close)
  return addresses
}

async function createProject(tx: Store, name: string, declared: Declarations, ifMissing: boolean) {
  if (ifMissing) {
    // With PostgreSQL, another process could be creating it.
    await tx.credentials.lock()
    const known = (await tx.projects.all()).find((project) => project.name === name)
    if (known) return known
  }
  const project = await tx.projects.create(name, declared.defaultLanguage)
  await declare(tx, project.id, declared)
  return project
}

/**
 * Returns the token from the options, or a new one. If PostgreSQL already has tokens, a new one is not stored. `serve
 * --check` stores no token.
 */
async function keepToken(tx: Store, { databaseUrl, personalToken: given, revokeTokens, isCheck }: StartOptions) {
  const personalToken = given ?? randomToken()
  if (isCheck) return { personalToken, isOwnToken: true }
  await tx.credentials.lock()
  const isOwnToken = databaseUrl !== undefined && given === undefined && (await tx.credentials.list(ACCOUNT)).length > 0
  if (!isOwnToken) await tx.credentials.addPersonalToken(personalToken, revokeTokens ?? databaseUrl === undefined)
  return { personalToken, isOwnToken }
}

/**
 * Locks the folder and opens its data. If there is no folder, opens PostgreSQL or creates data in memory. Without
 * PostgreSQL, the clock is this machine's, and the rate limit's buckets are in memory. `isShared` is true if other
 * processes may use the data at the same time.
 */
async function openData(
  folder: string | undefined,
  { driver, databaseUrl, isCheck, isHandedOver }: StartOptions,
  cleanups: Cleanups,
) {
  if (databaseUrl !== undefined) {
    if (folder !== undefined || driver !== undefined) {
      throw startError('databaseUrl cannot be combined with dataDir or driver', {
        hint: 'Remove one of them.',
      })
    }
    const data = await openPostgres(databaseUrl, isCheck ? migrateAndRead : migrate)
    cleanups.push(() => data.database.close())
    return { ...data, isShared: true, file: undefined, lock: undefined }
  }
  const local = { isShared: false, now: undefined, createBuckets: undefined }
  if (folder === undefined) {
    const database = await openDatabase(undefined, driver)
    cleanups.push(() => database.close())
    return { ...local, database, file: undefined, lock: undefined }
  }
  const real = await makeDataFolder(folder)
  const lock = await lockFolder(real)
  cleanups.push(() => lock.release(isHandedOver))
  const file = await prepareDataFile(real)
  const checkLock = () => {
    if (!lock.isHeld()) throw lockLost()
  }
  const database = await openDatabase(file, driver, checkLock, async (opened) => {
    if (isCheck) await checkFile(file, opened)
    await migrate(opened)
  })
  // Closing the database also writes to it, so it must not be closed if another process may be using the data.
  cleanups.push(() => (lock.isHeld() ? database.close() : undefined))
  lock.settle()
  const { holdFile } = database
  return { ...local, database, file: holdFile && { path: file, hold: holdFile }, lock }
}

function parsePublicUrl(given: string | undefined): string | undefined {
  if (given === undefined || /^https?:\/\/[^/?#@]+[^?#]*$/.test(given)) return given?.replace(/\/+$/, '')
  throw startError(`the public URL ${JSON.stringify(given)} cannot be used`, {
    hint: 'Write it as https://localization.example.com.',
  })
}

function checkedNames(names: ServiceNames): ServiceNames {
  const problem = problemOfNames(names)
  if (problem === undefined) return names
  throw startError(`the option "names" ${problem}`, { hint: 'Give each provider and each member a different name.' })
}
