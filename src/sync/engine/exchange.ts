/** When texts are sent and read: at once, later after failures, and at intervals. */
import { messageOf } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { failureOf, waitAfter } from '../failure.ts'
import type { SyncProject } from '../project.ts'
import { describeTexts } from '../waiting.ts'
import type { Intake } from './intake.ts'
import type { EngineState } from './state.ts'

/** While this process stands by, running requests are given up after this time. */
const LAST_CALLS_MS = 2_000

/** Ends what is under way, so that another process can write. */
class Pause {
  readonly rounds = new AbortController()
  readonly calls = new AbortController()
  readonly over: Promise<void>
  end: () => void = () => {}

  constructor() {
    this.over = new Promise((resolve) => {
      this.end = resolve
    })
  }
}

export class Exchange {
  failure: unknown
  readonly #running = new Set<Promise<unknown>>()
  /** The next pause, or the one that lasts. */
  #pause = new Pause()
  #failures = 0
  #sending: Promise<void> | undefined
  #sendAgainAt = 0
  #isSendDue = false
  #reading: Promise<void> | undefined

  constructor(
    private readonly state: EngineState,
    private readonly intake: Intake,
  ) {
    state.sendSoon = () => this.#sendSoon()
    state.tasks.signal.addEventListener('abort', () => this.#pause.end(), { once: true })
  }

  /** Resolves when this process does not stand by. */
  async resumed(): Promise<void> {
    while (this.#isPaused && !this.state.tasks.signal.aborted) await this.#pause.over
  }

  /** Work that has to end before this process stands by. */
  busy<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => this.#running.delete(done))
    this.#running.add(done)
    return done
  }

  /** Resolves when nothing is under way any more. Nothing begins before `resume`. */
  async pause(): Promise<void> {
    const { rounds, calls } = this.#pause
    rounds.abort(new Error('another process syncs'))
    const timer = setTimeout(() => calls.abort(new Error('another process syncs')), LAST_CALLS_MS)
    await Promise.allSettled(this.#running)
    clearTimeout(timer)
  }

  resume(): void {
    const { end } = this.#pause
    this.#pause = new Pause()
    end()
    this.#sendSoon()
  }

  async send(): Promise<number> {
    const { config, options } = this.state
    if (config.push === false) return this.state.writer?.outbox.size ?? 0
    this.#sending ??= this.#betweenPauses((writer) => this.#sendNow(writer)).finally(() => {
      this.#sending = undefined
      this.#sendSoon()
      options.onStatus?.()
    })
    await this.#sending
    return this.state.writer?.outbox.size ?? 0
  }

  read(whole: boolean): Promise<void> {
    this.#reading ??= this.#betweenPauses((writer) => this.#readNow(writer, whole)).finally(() => {
      this.#reading = undefined
      this.state.options.onStatus?.()
    })
    return this.#reading
  }

  /** Does the work again if a pause interrupts it. */
  async #betweenPauses(work: (writer: SyncProject) => Promise<void>): Promise<void> {
    const { tasks } = this.state
    for (;;) {
      await this.resumed()
      const { writer } = this.state
      if (!writer || tasks.signal.aborted) return
      const { signal } = this.#pause.rounds
      try {
        await this.busy(work(writer))
      } catch (error) {
        if (!signal.aborted) throw error
      }
      if (!signal.aborted) return
    }
  }

  /** Reads once in any case, to find texts that already differ. Repeats the reading only with the option `pull`. */
  readForEver(waitMs: number): void {
    const { config, tasks } = this.state
    tasks.after(waitMs, async () => {
      let nextMs = config.pull === false ? undefined : config.pull.intervalMs
      try {
        await this.read(false)
        this.#noteSuccess()
        if (nextMs !== undefined) nextMs = Math.max(nextMs, this.state.writer?.restMs ?? 0)
      } catch (error) {
        if (tasks.signal.aborted) return
        nextMs = Math.max(nextMs ?? 0, this.#noteFailure(error, 'the texts of the service cannot be read'))
      }
      if (nextMs !== undefined) this.readForEver(nextMs)
    })
  }

  async refresh(): Promise<void> {
    await this.intake.rescan()
    await this.readAnew()
  }

  /** Reads everything. A reading that is under way may have begun before the last change. */
  async readAnew(): Promise<void> {
    await this.#reading?.catch(() => undefined)
    await this.read(true)
  }

  async idle(): Promise<void> {
    await Promise.allSettled([this.#sending, this.#reading])
  }

  get #isPaused(): boolean {
    return this.#pause.rounds.signal.aborted
  }

  get #hasQueued(): boolean {
    return this.state.writer?.outbox.entries().some(({ parked }) => !parked) ?? false
  }

  #sendSoon(): void {
    const { config, tasks, clock } = this.state
    if (config.push === false || this.#isPaused || this.#sending || this.#isSendDue || !this.#hasQueued) return
    this.#isSendDue = true
    tasks.after(Math.max(0, this.#sendAgainAt - clock.now()), async () => {
      this.#isSendDue = false
      // Timers may come a little early.
      if (clock.now() < this.#sendAgainAt) this.#sendSoon()
      else if (this.#hasQueued) await this.send()
    })
  }

  async #sendNow(writer: SyncProject): Promise<void> {
    const { tasks } = this.state
    try {
      await this.#prepare()
      const error = await this.#sendOutbox(writer)
      if (this.#isPaused) return
      if (error !== undefined) this.#sendLater(error, `the service does not take ${count(writer.outbox.size, 'text')}`)
      else if (!tasks.signal.aborted) this.#noteSuccess()
      await writer.writeBack()
    } catch (error) {
      if (!this.#isPaused) this.#sendLater(error, 'nothing can be sent')
    }
  }

  /** Resolves to the error after which to try again later, if there was one. */
  async #sendOutbox(writer: SyncProject): Promise<unknown> {
    const { tasks, clock, logger } = this.state
    const startedAt = clock.now()
    const { rounds, calls } = this.#pause
    const { sent, refused, failure } = await writer.send({
      signal: AbortSignal.any([tasks.signal, rounds.signal]),
      callSignal: AbortSignal.any([tasks.signal, calls.signal]),
    })
    const tookS = ((clock.now() - startedAt) / 1000).toFixed(1)
    if (sent.length > 0) logger.info(`pushed ${describeTexts(sent)} in ${tookS} s`)
    for (const { ref, reason } of refused) await writer.waiting.refuse(ref, reason)
    await writer.waiting.report()
    return failure !== undefined && failureOf(failure) === 'ended' ? undefined : failure
  }

  #sendLater(error: unknown, what: string): void {
    this.#sendAgainAt = this.state.clock.now() + this.#noteFailure(error, what)
  }

  async #readNow(writer: SyncProject, whole: boolean): Promise<void> {
    await this.#prepare()
    await writer.pull(AbortSignal.any([this.state.tasks.signal, this.#pause.rounds.signal]), whole)
    this.#sendSoon()
  }

  /** The machine may have slept since the last call: files and base may have changed. */
  async #prepare(): Promise<void> {
    if (!this.state.lock.held) throw new Error('the lock of this folder is lost')
    await this.intake.scan({ changed: [], isHasty: true })
  }

  #noteFailure(error: unknown, what: string): number {
    if (this.failure === undefined) this.state.logger.warn(`${what}; sync tries again by itself. ${messageOf(error)}`)
    this.failure = error
    return waitAfter(++this.#failures, error, this.state.random)
  }

  #noteSuccess(): void {
    if (this.failure !== undefined) this.state.logger.info('the service answers again')
    this.failure = undefined
    this.#failures = 0
  }
}
