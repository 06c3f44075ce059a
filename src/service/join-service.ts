/** Shares one service between all processes of a project: the first process starts it, and the others use it. */
import { once } from 'node:events'
import { get } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalizationError } from '../errors.ts'
import { type Announcement, lockReleased, readAnnouncement } from './lock/folder-lock.ts'
import type { LocalServiceOptions } from './options.ts'
import { createLocalService, type LocalService, type StartOptions } from './server.ts'

export interface JoinOptions extends LocalServiceOptions {
  readonly dataDir: string
  /**
   * True to take over the service at the same URL when the process running it exits. For long-running processes.
   * Default false.
   */
  readonly takeOver?: boolean | undefined
}

/** A service that this process started, or one that was already running. */
export interface JoinedService extends LocalService {
  /** False if another process runs the service. `close()` then does not stop it. */
  readonly isOwner: boolean
}

/** The maximum wait for an announcement. A process that is starting or stopping does not announce its URL. */
const STARTING_MS = 10_000
const ASK_AGAIN_MS = 50
/** The timeout for the health check: the service may not respond while it is importing a large file. */
const LONGEST_ANSWER_MS = 60_000

/**
 * Starts the service for a data folder, or connects to the one that another process of this user is running. The
 * options are used only if this process starts the service.
 *
 * @throws LocalizationError as `createLocalService` does; `SERVICE_LOCKED` if the process that has the folder does not
 * announce its URL.
 */
export async function joinLocalService({ takeOver = false, ...options }: JoinOptions): Promise<JoinedService> {
  const folder = path.resolve(options.dataDir)
  const until = performance.now() + STARTING_MS
  for (;;) {
    const own = await startUnlessLocked(options)
    if (!(own instanceof LocalizationError)) return { ...own, isOwner: true }
    const found = await readAnnouncement(folder)
    if (found && (await answers(found))) return attach(folder, found, takeOver ? options : undefined)
    if (performance.now() > until) throw found ? unreachable(found, own) : own
    await sleep(ASK_AGAIN_MS)
  }
}

async function startUnlessLocked(options: LocalServiceOptions): Promise<LocalService | LocalizationError> {
  try {
    return await createLocalService({ ...options, isHandedOver: true } satisfies StartOptions)
  } catch (error) {
    if (error instanceof LocalizationError && error.code === 'SERVICE_LOCKED') return error
    throw error
  }
}

/**
 * True if the announced URL responds. Sends no token, because the URL of a service in another container may belong to a
 * different program here.
 */
async function answers({ baseUrl, lock }: Announcement): Promise<boolean> {
  // `agent: false` avoids the global agent, which may use a proxy.
  const request = get(`${baseUrl}/health`, { agent: false, signal: AbortSignal.timeout(LONGEST_ANSWER_MS) })
  try {
    const [response] = await once(request, 'response')
    return (await text(response)).includes(JSON.stringify(lock))
  } catch {
    return false
  }
}

function unreachable({ baseUrl }: Announcement, cause: LocalizationError): LocalizationError {
  return new LocalizationError(`the local service for this folder is running, but cannot be reached at ${baseUrl}`, {
    code: 'SERVICE_LOCKED',
    hint: 'It is running in another container or on another machine. Stop it, or give this process its URL and an API key.',
    cause,
  })
}

function attach(
  folder: string,
  { baseUrl, cdnUrl, filesUrl, personalToken }: Announcement,
  successor: LocalServiceOptions | undefined,
): JoinedService {
  const stop = new AbortController()
  let starting: ReturnType<typeof startUnlessLocked> | undefined
  const succeed = async (options: LocalServiceOptions) => {
    const port = Number(new URL(baseUrl).port)
    for (;;) {
      await lockReleased(folder, stop.signal)
      if (stop.signal.aborted) return
      starting = startUnlessLocked({ ...options, port, personalToken })
      // An error means `SERVICE_LOCKED`: another waiting process was faster.
      if (!((await starting) instanceof LocalizationError)) return
    }
  }
  // Errors are ignored: if the folder was removed or the port is in use, later calls fail and report it.
  if (successor) succeed(successor).catch(() => {})
  return {
    baseUrl,
    cdnUrl,
    filesUrl,
    personalToken,
    isOwnToken: false,
    isOwner: false,
    async close() {
      stop.abort()
      // Not the wait itself: it does not keep the process alive, so it may never end.
      const own = await starting?.catch(() => undefined)
      if (own && !(own instanceof LocalizationError)) await own.close()
    },
  }
}
