/** Which process syncs a folder: the one that has the lock. The others show edits, and take over when it ends. */
import type { Catalog } from '../../catalog/model.ts'
import type { TextRef } from '../../catalog/text-id.ts'
import { messageOf } from '../../errors.ts'
import type { LockOwner } from '../lock.ts'
import { SyncProject } from '../project.ts'
import type { SyncClient } from '../remote.ts'
import { syncFolder } from '../state-file.ts'
import type { Exchange } from './exchange.ts'
import type { Intake } from './intake.ts'
import type { EngineState } from './state.ts'

export class Role {
  readonly #state: EngineState
  readonly #intake: Intake
  readonly #exchange: Exchange
  #client: SyncClient | undefined

  constructor(state: EngineState, intake: Intake, exchange: Exchange) {
    this.#state = state
    this.#intake = intake
    this.#exchange = exchange
  }

  /** `known`: what the service has, read just now. */
  async take(known: Catalog | undefined): Promise<void> {
    const state = this.#state
    const { config, logger, lock } = state
    if (config.service.apiKey === undefined || (config.push === false && config.pull === false)) {
      state.role = 'watching'
      return
    }
    let answer: 'held' | LockOwner
    try {
      answer = await lock.acquire()
    } catch (error) {
      logger.warn(`nothing is synced: the lock of ${config.root} cannot be taken. ${messageOf(error)}`)
      state.role = 'watching'
      return
    }
    if (answer === 'held') await this.#becomeWriter(known)
    else this.#becomeReader(answer)
  }

  async close(): Promise<void> {
    await this.#state.writer?.close()
    await this.#client?.close()
    await this.#state.lock.release()
    this.#state.role = 'closed'
  }

  async #becomeWriter(known: Catalog | undefined): Promise<void> {
    const state = this.#state
    const { config, files, clock, random, logger, tasks, options } = state
    const client = options.openClient()
    this.#client = client
    const { exclusive } = tasks
    const onShown = (refs: readonly TextRef[]) => state.notify('service', refs, [])
    const onStale = () => tasks.after(0, () => this.#intake.rescan())
    const folder = syncFolder(config)
    const project = new SyncProject({
      config,
      folder,
      files,
      client,
      clock,
      random,
      logger,
      exclusive,
      onShown,
      onStale,
    })
    await exclusive(async () => {
      // The first comparison looks at every text at once; what it needs is parsed before, in turns with other work.
      const parsed = await files.parseAll()
      await project.open({ remote: known })
      parsed.length = 0
      state.writer = project
      state.role = 'writer'
      state.owner = undefined
    })
    await state.changed()
    // A catalog that was given counts as the first reading.
    if (!known) this.#exchange.readForEver(0)
    else if (config.pull !== false) this.#exchange.readForEver(config.pull.intervalMs)
  }

  #becomeReader(owner: LockOwner): void {
    const state = this.#state
    const { config, logger, lock, tasks, options } = state
    if (state.role !== 'reader' || state.owner?.pid !== owner.pid) {
      const who = owner.pid === 0 ? 'another process' : `process ${owner.pid}`
      logger.warn(`read-only: ${who} syncs ${config.root}. This one shows edits and takes over when that one ends`)
    }
    state.role = 'reader'
    state.owner = owner
    options.onStatus?.()
    tasks.after(0, async () => {
      await lock.waitForRelease(tasks.signal)
      await this.#intake.rescan()
      await this.take(undefined)
      if (state.writer) logger.info('this process syncs now')
    })
  }
}
