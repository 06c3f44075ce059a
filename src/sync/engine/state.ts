/** What the parts of the sync engine share: the settings, the files, and the role of this process. */
import { type Clock, systemClock } from '../../api/clock.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { messageOf } from '../../errors.ts'
import { createFileIndex, type FileIndex } from '../../files/file-index.ts'
import type { Logger } from '../../logger.ts'
import { createSyncLock, type LockOwner, type SyncLock } from '../lock.ts'
import type { SyncProject } from '../project.ts'
import { Tasks } from './tasks.ts'
import type { SyncEngineOptions, SyncRole } from './types.ts'

export class EngineState {
  role: SyncRole = 'starting'
  owner: LockOwner | undefined
  /** Set while this process syncs. */
  writer: SyncProject | undefined
  readonly options: SyncEngineOptions
  readonly config: ResolvedConfig
  readonly logger: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly files: FileIndex
  readonly tasks: Tasks
  readonly lock: SyncLock
  /** Starts to send what is queued, soon. */
  sendSoon: () => void = () => {}

  constructor(options: SyncEngineOptions, onRefresh: () => Promise<void>) {
    const { config, logger, clock = systemClock, random = Math.random } = options
    this.options = options
    this.config = config
    this.logger = logger
    this.clock = clock
    this.random = random
    this.files = options.files?.reader() ?? createFileIndex(config, { clock })
    this.tasks = new Tasks(clock, (error) => logger.error(`sync: ${messageOf(error)}`))
    this.lock = options.lock ?? createSyncLock(config.root, () => this.tasks.after(0, onRefresh))
  }

  /** To be called after anything that `status` may show. */
  async changed(): Promise<void> {
    await this.writer?.waiting.report()
    this.sendSoon()
    this.options.onStatus?.()
  }
}
