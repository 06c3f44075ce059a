/** The sync engine of a dev server. Instances with equal configurations share it: two would fight for the lock. */
import type { Catalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { SeenFiles } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { SyncEngine } from '../sync/engine.ts'

export interface DevSync {
  /** `undefined`: it could not be started. */
  readonly engine: SyncEngine | undefined
  close(): Promise<void>
}

export interface DevSyncInput {
  /** Equal keys share one engine. */
  readonly key: string
  readonly config: ResolvedConfig
  readonly logger: Logger
  /** The project's files, as the page has read them. */
  readonly files: SeenFiles
  /** False: only scans find changes. */
  readonly isWatching: boolean
  /** The service's answer to the first load; see `SyncEngineOptions.remote`. */
  readonly remote: Catalog | undefined
  /** The service's texts changed. */
  readonly onUpdate: () => void
  /** The state of sync changed: what waits, is held or conflicts. */
  readonly onStatus: () => void
}

interface SharedEngine {
  readonly engine: Promise<SyncEngine | undefined>
  readonly listeners: Set<Pick<DevSyncInput, 'onUpdate' | 'onStatus'>>
}

/** Engines that run in this process; each ends with its last user. */
const engines = new Map<string, SharedEngine>()

/** Answers that an engine began with. They lack its later pushes: after a restart, the next engine must read again. */
const used = new WeakSet<Catalog>()

/** Never rejects: without sync, the dev server still shows texts, and logs the reason. */
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
    logger.error(`nothing is synced: ${messageOf(error)}`)
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
  // A build never syncs, so it does not import the engine.
  const { SyncEngine, isSynced } = await import('../sync/engine.ts')
  // Without a service, nothing calls one.
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
