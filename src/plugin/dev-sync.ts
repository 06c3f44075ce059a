/**
 * The sync engine of a dev server. Plugin instances with equal configurations share one engine, because two engines
 * would compete for the lock.
 */
import type { Catalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { SeenFiles } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { SyncEngine } from '../sync/engine.ts'

export interface DevSync {
  /** `undefined` if the engine could not be started. */
  readonly engine: SyncEngine | undefined
  close(): Promise<void>
}

export interface DevSyncInput {
  /** Inputs with equal keys share an engine. */
  readonly key: string
  readonly config: ResolvedConfig
  readonly logger: Logger
  readonly files: SeenFiles
  /** False if files are only scanned and not watched. */
  readonly isWatching: boolean
  /** The service's response to the first load; see `SyncEngineOptions.remote`. */
  readonly remote: Catalog | undefined
  /** Called when the service's texts have changed. */
  readonly onUpdate: () => void
  /** Called when the sync status has changed: the texts that are waiting, held or in conflict. */
  readonly onStatus: () => void
}

interface SharedEngine {
  readonly engine: Promise<SyncEngine | undefined>
  readonly listeners: Set<Pick<DevSyncInput, 'onUpdate' | 'onStatus'>>
}

/** The engines in this process, by key. An engine closes when its last user closes. */
const engines = new Map<string, SharedEngine>()

/**
 * Responses with which an engine has already started. They do not contain what that engine pushed later, so the next
 * engine must fetch the texts again.
 */
const used = new WeakSet<Catalog>()

/**
 * Starts an engine, or shares a running one. Never rejects. If the engine cannot start, the reason is logged, and the
 * dev server shows the texts without syncing them.
 */
export async function startDevSync(input: DevSyncInput): Promise<DevSync> {
  const { key, onUpdate, onStatus } = input
  const shared = engines.get(key) ?? begin(input)
  const listener = { onUpdate, onStatus }
  shared.listeners.add(listener)
  const engine = await shared.engine
  return {
    engine,
    async close() {
      shared.listeners.delete(listener)
      if (shared.listeners.size > 0) return
      if (engines.get(key) === shared) engines.delete(key)
      await engine?.close()
    },
  }
}

function begin(input: DevSyncInput): SharedEngine {
  const { key, remote, logger } = input
  const isFresh = remote !== undefined && !used.has(remote)
  if (remote) used.add(remote)
  const listeners: SharedEngine['listeners'] = new Set()
  const engine = start({ ...input, remote: isFresh ? remote : undefined }, listeners).catch((error: unknown) => {
    logger.error(`not syncing: ${messageOf(error)}`)
    return undefined
  })
  const shared = { listeners, engine }
  engines.set(key, shared)
  return shared
}

async function start(
  { config, logger, files, isWatching, remote }: DevSyncInput,
  listeners: SharedEngine['listeners'],
): Promise<SyncEngine> {
  // Imported dynamically, because builds never sync.
  const { SyncEngine, isSynced } = await import('../sync/engine.ts')
  // The client is imported only if there is a service.
  const { createClient } = isSynced(config) ? await import('../api/client.ts') : {}
  const engine = new SyncEngine({
    config,
    logger,
    files,
    watch: isWatching,
    remote,
    openClient: createClient && (() => createClient(config.service)),
    onShown: () => {
      for (const { onUpdate } of listeners) onUpdate()
    },
    onStatus: () => {
      for (const { onStatus } of listeners) onStatus()
    },
  })
  await engine.start()
  return engine
}
