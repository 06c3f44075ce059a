/** The sync engine of a dev server. Instances of one process that have one configuration share it: two would fight for the lock. */
import type { Catalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { SyncEngine } from '../sync/engine/engine.ts'

export interface DevSync {
  /** Texts of the service that the page is to show instead of what the files have. */
  serviceCatalog(): Catalog | undefined
  /** `undefined`: it could not be started. */
  readonly engine: SyncEngine | undefined
  close(): Promise<void>
}

export interface DevSyncInput {
  /** Equal keys share one engine. */
  readonly key: string
  readonly config: ResolvedConfig
  readonly logger: Logger
  /** The project's files; the engine reads them as long as it runs. */
  readonly files: FileIndex
  /** What the service answered just now; see `SyncEngineOptions.remote`. */
  readonly remote: Catalog | undefined
  /** The service's texts are others now. */
  readonly onUpdate: () => void
  /** What waits, is held or contradicts is other than before. */
  readonly onStatus: () => void
}

interface SharedEngine {
  readonly engine: Promise<SyncEngine | undefined>
  readonly listeners: Set<Pick<DevSyncInput, 'onUpdate' | 'onStatus'>>
}

/** Engines that run in this process; each ends with its last user. */
const engines = new Map<string, SharedEngine>()

/** Never rejects: without sync the dev server still shows texts, and the logger says why there is none. */
export async function startDevSync(input: DevSyncInput): Promise<DevSync> {
  const { key, onUpdate, onStatus } = input
  const listener = { onUpdate, onStatus }
  const shared = engines.get(key) ?? begin(input)
  shared.listeners.add(listener)
  const engine = await shared.engine
  return {
    serviceCatalog: () => engine?.serviceCatalog(),
    engine,
    async close() {
      shared.listeners.delete(listener)
      if (shared.listeners.size > 0) return
      if (engines.get(key) === shared) engines.delete(key)
      await engine?.close()
    },
  }
}

/** Answers that an engine began with: what it pushed since is not in them, so that one after a restart must ask anew. */
const used = new WeakSet<Catalog>()

function begin({ remote, ...input }: DevSyncInput): SharedEngine {
  const listeners: SharedEngine['listeners'] = new Set()
  const isFresh = remote !== undefined && !used.has(remote)
  if (remote) used.add(remote)
  const shared: SharedEngine = {
    listeners,
    engine: start({ ...input, remote: isFresh ? remote : undefined }, listeners),
  }
  engines.set(input.key, shared)
  return shared
}

async function start(
  { config, logger, files, remote }: DevSyncInput,
  listeners: SharedEngine['listeners'],
): Promise<SyncEngine | undefined> {
  try {
    // A build never syncs, so it does not load this either.
    const [{ createSyncEngine }, { createClient }] = await Promise.all([
      import('../sync/engine/engine.ts'),
      import('../api/client.ts'),
    ])
    const engine = createSyncEngine({
      config,
      logger,
      files,
      remote,
      openClient: () => createClient(config.service),
      onShown: () => {
        for (const { onUpdate } of listeners) onUpdate()
      },
      onStatus: () => {
        for (const { onStatus } of listeners) onStatus()
      },
    })
    await engine.start()
    return engine
  } catch (error) {
    logger.error(`nothing is synced: ${messageOf(error)}`)
    return undefined
  }
}
