/** The loop of a dev server's sync. It sends edits to the service through the outbox, and reads the service's texts. */

import type { Catalog } from '../catalog/model.ts'
import { partId } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import type { TextEdit } from '../files/edit.ts'
import type { FilesChange, ScanOptions, SeenFiles, WriteOutcome } from '../files/file-index.ts'
import { compareSnapshots } from '../files/snapshot.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { count } from '../shared/figures.ts'
import { GitState } from './git.ts'
import type { SyncLock } from './lock.ts'
import { editFiles, type SyncEngineOptions, type SyncProject } from './project.ts'
import { describeTexts } from './report.ts'
import { sendOutbox } from './send.ts'
import { failureOf, waitAfter } from './send-round.ts'
import { Tasks } from './tasks.ts'

const RESCAN_MS = 30_000
/** The interval between periodic scans, per file. It is so long that these scans use less than 0.1% of the time. */
const RESCAN_MS_PER_FILE = 50
const MAX_RESCAN_MS = 300_000
const EVERYTHING_EVERY = 10
const GIT_BUSY_MS = 200
const MAX_GIT_WAITS = 50

/** The options for a scan. `latest` means that the index has just been updated, so no scan is needed. */
type Look = ScanOptions | 'latest'

export class SyncLoop {
  /** Set while this process syncs. */
  project: SyncProject | undefined
  failure: unknown
  contactAt: number | undefined
  readonly clock: Clock
  readonly random: () => number
  /** The files as last processed by sync. During startup, the files at the first reading. */
  readonly files: SeenFiles
  readonly tasks: Tasks
  readonly #git: GitState
  #unfollow: (() => Promise<void>) | undefined
  #isStarted = false
  /** The files that git left with conflict markers. After the user resolves them, they still contain git's texts. */
  readonly #conflicted = new Set<string>()
  #scans = 0
  #sending: Promise<void> | undefined
  #reading: Promise<void> | undefined
  #isSendDue = false
  #sendAgainAt = 0
  #failures = 0

  constructor(
    private readonly options: SyncEngineOptions,
    private readonly lock: SyncLock,
  ) {
    const { config, logger, clock = systemClock, random = Math.random } = options
    this.clock = clock
    this.random = random
    this.files = { ...options.files }
    this.tasks = new Tasks(clock, (error) => logger.error(`sync: ${messageOf(error)}`))
    this.#git = new GitState([config.root, ...this.files.index.patterns.bases])
  }

  /** Starts watching the files. Changes are processed after `run`. */
  async start(): Promise<void> {
    const { index, seen } = this.files
    const { logger, watch } = this.options
    const scanned = () => `the files are scanned every ${Math.round(this.#rescanMs / 1_000)} s`
    await this.#git.start()
    await this.#scan()
    this.#unfollow = index.follow({
      onSnapshot: (snapshot) => snapshot !== this.files.seen && this.tasks.after(0, () => this.rescan('latest')),
      onTrouble: (error) => logger.warn(`the system no longer reports file changes; ${scanned()}. ${messageOf(error)}`),
    })
    if (watch === false) logger.warn(`the dev server is not watching files; ${scanned()}`)
    else {
      await index.watch()
      // A file may have been saved while the watch was starting.
      await this.#scan()
    }
    // Used if the plugin has not read the files yet. Otherwise, every text would look like an edit.
    if (seen.files.size === 0) this.files.seen = index.snapshot
  }

  /** Scans at intervals, to find changes whose events were lost. */
  run(): void {
    this.#isStarted = true
    this.tasks.after(this.#rescanMs, async () => {
      this.run()
      await this.rescan({ everything: ++this.#scans % EVERYTHING_EVERY === 0, isPeriodic: true })
    })
  }

  /**
   * Compares both sides, using the files at the first reading. Edits during startup are then treated like later ones.
   */
  open(project: SyncProject, remote: Catalog | undefined): Promise<void> {
    return this.tasks.exclusive(async () => {
      // The first comparison reads every text, so the files are parsed before it, in small steps that let other work
      // run.
      const parsed = await this.files.seen.parseAll()
      await project.open()
      // After the last dev server exited, a command may have replaced texts whose edits were still queued.
      await project.store.followFiles(this.files.seen, true)
      await project.settleAll(remote)
      if (remote) this.contactAt = this.clock.wallNow()
      parsed.length = 0
      this.project = project
      // Git may have run before the engine read git's records, so all of them count as new.
      await this.scanInTurn('latest', new GitState([]))
    })
  }

  /** Reports texts that need a decision, and sends queued texts. */
  async changed(): Promise<void> {
    await this.project?.report.update()
    this.#sendSoon()
    this.options.onStatus?.()
  }

  async rescan(look: Look = {}): Promise<void> {
    if (this.tasks.signal.aborted) return
    const { files } = await this.#scan(look)
    if (files.length > 0) await this.project?.writeBack()
    await this.changed()
  }

  /** Scans the files and processes the changes. The caller must already be in an exclusive task. */
  async scanInTurn(look: Look = {}, git = this.#git): Promise<FilesChange> {
    const { project } = this
    // A git command may have brought in other people's records of translation sources.
    await project?.store.sources.load()
    const change = await this.#readSettled(look)
    if (project || this.#isStarted) this.files.seen = change.after
    if (project && change.files.length > 0) await project.acceptChange(change, await this.#writtenByGit(change, git))
    return change
  }

  async edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]> {
    const outcomes = await this.tasks.exclusive(async () => {
      await this.scanInTurn()
      return editFiles(this.files, edits, this.project)
    })
    await this.changed()
    return outcomes
  }

  /** Sends the outbox. Resolves to the number of unsent texts. */
  async send(): Promise<number> {
    if (this.options.config.push !== false) {
      this.#sending ??= this.#betweenPauses((project) => this.#sendNow(project)).finally(() => {
        this.#sending = undefined
        this.#sendSoon()
        this.options.onStatus?.()
      })
      await this.#sending
    }
    return this.project?.outbox.size ?? 0
  }

  /** Reads the service at least once, to find texts that already differ. Repeats this only if `pull` is on. */
  readForEver(waitMs: number): void {
    const { tasks } = this
    const { pull } = this.options.config
    tasks.after(waitMs, async () => {
      let nextMs = pull === false ? undefined : pull.intervalMs
      try {
        await this.#read(false)
        if (nextMs !== undefined) nextMs = Math.max(nextMs, this.project?.reader.restMs ?? 0)
      } catch (error) {
        if (tasks.signal.aborted) return
        nextMs = Math.max(nextMs ?? 0, this.#noteFailure(error, "cannot read the service's texts"))
      }
      if (nextMs !== undefined) this.readForEver(nextMs)
    })
  }

  /** Reads everything. First waits for a reading in progress, which may have started before the last change. */
  async readAll(): Promise<void> {
    await this.#reading?.catch(() => undefined)
    await this.#read(true).catch((error: unknown) => {
      if (!this.tasks.signal.aborted) this.failure = error
      throw error
    })
  }

  async close(): Promise<void> {
    await this.tasks.close(new Error('sync is closed'))
    await Promise.allSettled([this.#sending, this.#reading])
    await this.#unfollow?.()
    await this.project?.close()
  }

  get #rescanMs(): number {
    const ownMs = this.files.index.snapshot.files.size * RESCAN_MS_PER_FILE
    return Math.min(Math.max(ownMs, RESCAN_MS), MAX_RESCAN_MS)
  }

  #scan(look: Look = {}): Promise<FilesChange> {
    return this.tasks.exclusive(() => this.scanInTurn(look))
  }

  /** Scans again while git is changing files: a half-finished branch switch would look like edits. */
  async #readSettled(look: Look): Promise<FilesChange> {
    const { files, clock, project } = this
    const { index, seen } = files
    const { signal } = this.tasks
    const scan = async (options?: ScanOptions) => compareSnapshots(seen, await index.scan({ ...options, signal }))
    let change = look === 'latest' ? compareSnapshots(seen, index.snapshot) : await scan(look)
    for (let waits = 0; project && change.files.length > 0 && waits < MAX_GIT_WAITS; waits++) {
      if (!(await this.#git.isBusy(change.files))) break
      await clock.sleep(GIT_BUSY_MS, signal)
      change = await scan()
    }
    // A git command's events arrive one by one, but its files must be processed together.
    const isMoved = project && change.files.length > 0 && (await this.#git.hasMoved(change.files))
    return isMoved ? scan() : change
  }

  /** The changed files whose texts git wrote, by `partId`. */
  async #writtenByGit({ files, after }: FilesChange, git: GitState): Promise<ReadonlySet<string>> {
    const written = await git.written(files)
    const byGit = new Set<string>()
    for (const path of files) {
      const known = after.files.get(path)
      const isBroken = known !== undefined && known.content.findings.length > 0
      if (known && (written.has(path) || this.#conflicted.has(path))) byGit.add(partId(known.file))
      if (written.has(path) && isBroken) this.#conflicted.add(path)
      else if (!isBroken) this.#conflicted.delete(path)
    }
    return byGit
  }

  async #betweenPauses(work: (project: SyncProject) => Promise<void>): Promise<void> {
    await this.tasks.betweenPauses(async () => {
      if (this.project) await work(this.project)
    })
  }

  get #hasQueued(): boolean {
    return this.project?.outbox.entries().some(({ parked }) => !parked) ?? false
  }

  #sendSoon(): void {
    const { tasks, clock } = this
    const isOff = this.options.config.push === false || tasks.isPaused
    if (isOff || this.#sending || this.#isSendDue || !this.#hasQueued) return
    this.#isSendDue = true
    tasks.after(Math.max(0, this.#sendAgainAt - clock.now()), async () => {
      this.#isSendDue = false
      // Timers may fire slightly early.
      if (clock.now() < this.#sendAgainAt) this.#sendSoon()
      else if (this.#hasQueued) await this.send()
    })
  }

  async #sendNow(project: SyncProject): Promise<void> {
    const { tasks, clock } = this
    const sendLater = (error: unknown, what: string) => {
      if (!tasks.isPaused) this.#sendAgainAt = clock.now() + this.#noteFailure(error, what)
    }
    try {
      await this.#prepare()
      const startedAt = clock.now()
      const { sent, refused, failure } = await sendOutbox(project, tasks.signals())
      const tookS = ((clock.now() - startedAt) / 1000).toFixed(1)
      if (sent.length > 0) this.options.logger.info(`pushed ${describeTexts(sent)} in ${tookS} s`)
      for (const { ref, reason } of refused) await project.report.refuse(ref, reason)
      await project.report.update()
      if (tasks.isPaused) return
      if (failure !== undefined && failureOf(failure) !== 'ended')
        sendLater(failure, `cannot send ${count(project.outbox.size, 'text')}`)
      else if (!tasks.signal.aborted) this.#noteSuccess()
      await project.writeBack()
    } catch (error) {
      sendLater(error, 'cannot send texts')
    }
  }

  #read(whole: boolean): Promise<void> {
    this.#reading ??= this.#betweenPauses(async (project) => {
      await this.#prepare()
      await project.pull(this.tasks.signals().signal, whole)
      this.#noteSuccess()
      await project.report.update()
      this.#sendSoon()
    }).finally(() => {
      this.#reading = undefined
      this.options.onStatus?.()
    })
    return this.#reading
  }

  /** Checks the lock and scans the files, because the machine may have been asleep since the last task. */
  async #prepare(): Promise<void> {
    if (!this.lock.held) throw new Error('lost the lock on this folder')
    await this.#scan({ changed: [], isHasty: true })
  }

  #noteFailure(error: unknown, what: string): number {
    if (this.failure === undefined) this.options.logger.warn(`${what}; retrying automatically. ${messageOf(error)}`)
    this.failure = error
    return waitAfter(++this.#failures, error, this.random)
  }

  #noteSuccess(): void {
    if (this.failure !== undefined) this.options.logger.info('the service is responding again')
    this.failure = undefined
    this.contactAt = this.clock.wallNow()
    this.#failures = 0
  }
}
