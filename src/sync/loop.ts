/** The loop of a dev server's sync: edits go into the outbox and to the service, and the service's texts come back. */

import type { Catalog } from '../catalog/model.ts'
import { partId, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import { applyEdits, type TextEdit } from '../files/edit.ts'
import {
  createFileIndex,
  type FilesChange,
  type ScanOptions,
  type SeenFiles,
  type WriteOutcome,
} from '../files/file-index.ts'
import { compareSnapshots, FilesSnapshot } from '../files/snapshot.ts'
import type { Logger } from '../logger.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { count } from '../shared/figures.ts'
import { GitState } from './git.ts'
import type { SyncLock } from './lock.ts'
import { describeTexts, type SyncProject } from './project.ts'
import type { SyncClient } from './remote.ts'
import { sendOutbox } from './send.ts'
import { failureOf, waitAfter } from './send-round.ts'
import { Tasks } from './tasks.ts'
import { Waiting } from './waiting.ts'

const RESCAN_MS = 30_000
/** In a large project, scans without an event take less than a thousandth of the time. */
const RESCAN_MS_PER_FILE = 50
const LONGEST_RESCAN_MS = 300_000
const EVERYTHING_EVERY = 10
const GIT_BUSY_MS = 200
const MOST_GIT_WAITS = 50

/** `latest`: the index has just looked at the files. */
type Look = ScanOptions | 'latest'

export interface SyncEngineOptions {
  readonly config: ResolvedConfig
  /** Called when this process begins to sync: given where `isSynced`. The engine closes the client. */
  readonly openClient: (() => SyncClient) | undefined
  readonly logger: Logger
  /**
   * The project's files, where others use them too, and what they had when they were first read. Later changes are
   * edits. Default: an index of its own.
   */
  readonly files?: SeenFiles | undefined
  /** The service's texts, read just now: saves the first reading. Never a snapshot, and never reviewed texts only. */
  readonly remote?: Catalog | undefined
  /** Called when other texts of the service must appear in the page. */
  readonly onShown?: ((refs: readonly TextRef[]) => void) | undefined
  /** Called after anything that `status` may show. */
  readonly onStatus?: (() => void) | undefined
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
  /** Default true. False: only `rescan` and the timer look at the files. */
  readonly watch?: boolean | undefined
}

export class SyncLoop {
  /** Both sides, while this process syncs. */
  project: SyncProject | undefined
  failure: unknown
  readonly clock: Clock
  readonly random: () => number
  /** The files as sync has processed them. While it starts: as they were first read. */
  readonly files: SeenFiles
  readonly tasks: Tasks
  readonly #git: GitState
  #waiting: Waiting | undefined
  #unfollow: (() => Promise<void>) | undefined
  #isStarted = false
  #gitWaits = 0
  /** The files that git left with conflicts: what a person makes of them has git's texts too. */
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
    const { index, seen } = options.files ?? { index: createFileIndex(config, { clock }), seen: new FilesSnapshot() }
    this.files = { index, seen }
    this.tasks = new Tasks(clock, (error) => logger.error(`sync: ${messageOf(error)}`))
    this.#git = new GitState([config.root, ...index.patterns.bases])
  }

  /** Follows the files. Until `run`, what they had when they were first read stays what sync has seen. */
  async start(): Promise<void> {
    const { index, seen } = this.files
    const { logger, watch } = this.options
    const scanned = () => `they are scanned every ${Math.round(this.#rescanMs / 1_000)} s`
    await this.#git.start()
    await this.#scan()
    this.#unfollow = index.follow({
      onSnapshot: (snapshot) => snapshot !== this.files.seen && this.tasks.after(0, () => this.rescan('latest')),
      onTrouble: (error) =>
        logger.warn(`the system no longer reports changes of files; ${scanned()}. ${messageOf(error)}`),
    })
    if (watch === false) logger.warn(`the dev server does not watch files; ${scanned()}`)
    else {
      await index.watch()
      // A file may have been saved while the watch was set up.
      await this.#scan()
    }
    // If the plugin had read nothing before, every text would count as an edit.
    if (seen.files.size === 0) this.files.seen = index.snapshot
  }

  /** Finds changes whose events got lost. */
  run(): void {
    this.#isStarted = true
    this.tasks.after(this.#rescanMs, async () => {
      this.run()
      await this.rescan({ everything: ++this.#scans % EVERYTHING_EVERY === 0, isPeriodic: true })
    })
  }

  /**
   * Compares both sides with the files as they were first read. What was edited while the engine started counts like
   * every later edit.
   */
  open(project: SyncProject, remote: Catalog | undefined): Promise<void> {
    return this.tasks.exclusive(async () => {
      // The first comparison reads every text at once. The files are parsed before, in turns with other work.
      const parsed = await this.files.seen.parseAll()
      await project.open()
      // A command may have replaced a text whose edit was still queued when the last server ended.
      await project.records.followFiles(true)
      await project.settleAll(remote)
      parsed.length = 0
      this.#waiting = new Waiting(project)
      this.project = project
      // Git may have run before the engine knew its records.
      await this.scanInTurn('latest', new GitState([]))
    })
  }

  /** Reports what waits, and sends what is queued. */
  async changed(): Promise<void> {
    if (this.project) await this.#waiting?.report()
    this.#sendSoon()
    this.options.onStatus?.()
  }

  /** Scans the files when git has finished, and processes the changes. */
  async rescan(look: Look = {}): Promise<void> {
    const { tasks } = this
    if (tasks.signal.aborted) return
    // Waiting here does not block other scans.
    if ((await this.#git.isBusy()) && this.#gitWaits++ < MOST_GIT_WAITS)
      return tasks.after(GIT_BUSY_MS, () => this.rescan(look))
    this.#gitWaits = 0
    const { files } = await this.#scan(look)
    if (files.length > 0) await this.project?.writeBack()
    await this.changed()
  }

  /** Scans the files in a turn that the caller has. */
  async scanInTurn(look: Look = {}, git = this.#git): Promise<FilesChange> {
    const { project } = this
    // Git may have brought records of other people.
    await project?.store.made.load()
    const change = await this.#readSettled(look)
    if (project || this.#isStarted) this.files.seen = change.after
    if (project && change.files.length > 0) await project.acceptChange(change, await this.#writtenByGit(change, git))
    return change
  }

  async edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]> {
    const { outcomes } = await this.tasks.exclusive(async () => {
      await this.scanInTurn()
      const { project } = this
      const isCurrent = (edit: TextEdit) => project?.isSeen(edit) ?? true
      const result = await applyEdits(this.files, edits, { isCurrent, isUntrusted: true })
      if (result.changes.length > 0) await project?.acceptEdits(result.changes, edits)
      return result
    })
    await this.changed()
    return outcomes.map((outcome = 'changed') => outcome)
  }

  resume(): void {
    this.tasks.resume()
    this.#sendSoon()
  }

  /** Sends the outbox. Resolves to the number of texts that are left. */
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

  /** Reads once in any case, to find texts that already differ. Repeats the reading only with the option `pull`. */
  readForEver(waitMs: number): void {
    const { tasks } = this
    const { pull } = this.options.config
    tasks.after(waitMs, async () => {
      let nextMs = pull === false ? undefined : pull.intervalMs
      try {
        await this.#read(false)
        this.#noteSuccess()
        if (nextMs !== undefined) nextMs = Math.max(nextMs, this.project?.restMs ?? 0)
      } catch (error) {
        if (tasks.signal.aborted) return
        nextMs = Math.max(nextMs ?? 0, this.#noteFailure(error, 'the texts of the service cannot be read'))
      }
      if (nextMs !== undefined) this.readForEver(nextMs)
    })
  }

  /** Reads everything. A reading that is under way may have begun before the last change. */
  async readAll(): Promise<void> {
    await this.#reading?.catch(() => undefined)
    await this.#read(true)
  }

  async close(): Promise<void> {
    await this.tasks.close(new Error('sync is closed'))
    await Promise.allSettled([this.#sending, this.#reading])
    await this.#unfollow?.()
    await this.project?.close()
  }

  get #rescanMs(): number {
    const ownMs = this.files.index.snapshot.listing.fileCount * RESCAN_MS_PER_FILE
    return Math.min(Math.max(ownMs, RESCAN_MS), LONGEST_RESCAN_MS)
  }

  #scan(look: Look = {}): Promise<FilesChange> {
    return this.tasks.exclusive(() => this.scanInTurn(look))
  }

  /** Scans again as long as git changes files in the meantime: half a branch switch would look like edits. */
  async #readSettled(look: Look): Promise<FilesChange> {
    const { files, clock, project } = this
    const { index, seen } = files
    const { signal } = this.tasks
    const scan = async (options?: ScanOptions) => compareSnapshots(seen, await index.scan({ ...options, signal }))
    let change = look === 'latest' ? compareSnapshots(seen, index.snapshot) : await scan(look)
    for (let waits = 0; project && change.files.length > 0 && waits < MOST_GIT_WAITS; waits++) {
      if (!(await this.#git.isBusy(change.files))) break
      await clock.sleep(GIT_BUSY_MS, signal)
      change = await scan()
    }
    if (!project || change.files.length === 0 || !(await this.#git.hasMoved(change.files))) return change
    // The events of a command come one by one: its files must count together.
    return scan()
  }

  /** The changed files that contain texts of git, by `partId`. */
  async #writtenByGit({ files, after }: FilesChange, git: GitState): Promise<ReadonlySet<string>> {
    const written = await git.written(files)
    const byGit = new Set<string>()
    for (const path of files) {
      const known = after.files.get(path)
      const isBroken = known !== undefined && known.findings.length > 0
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
      // Timers may come a little early.
      if (clock.now() < this.#sendAgainAt) this.#sendSoon()
      else if (this.#hasQueued) await this.send()
    })
  }

  async #sendNow(project: SyncProject): Promise<void> {
    const { tasks } = this
    try {
      await this.#prepare()
      const error = await this.#sendOutbox(project)
      if (tasks.isPaused) return
      if (error !== undefined) this.#sendLater(error, `the service does not take ${count(project.outbox.size, 'text')}`)
      else if (!tasks.signal.aborted) this.#noteSuccess()
      await project.writeBack()
    } catch (error) {
      if (!tasks.isPaused) this.#sendLater(error, 'nothing can be sent')
    }
  }

  /** Resolves to the error after which to try again later, if there was one. */
  async #sendOutbox(project: SyncProject): Promise<unknown> {
    const { clock } = this
    const startedAt = clock.now()
    const { sent, refused, failure } = await sendOutbox(project, this.tasks.signals())
    const tookS = ((clock.now() - startedAt) / 1000).toFixed(1)
    if (sent.length > 0) this.options.logger.info(`pushed ${describeTexts(sent)} in ${tookS} s`)
    for (const { ref, reason } of refused) await this.#waiting?.refuse(ref, reason)
    await this.#waiting?.report()
    return failure !== undefined && failureOf(failure) === 'ended' ? undefined : failure
  }

  #sendLater(error: unknown, what: string): void {
    this.#sendAgainAt = this.clock.now() + this.#noteFailure(error, what)
  }

  #read(whole: boolean): Promise<void> {
    this.#reading ??= this.#betweenPauses(async (project) => {
      await this.#prepare()
      await project.pull(this.tasks.signals().signal, whole)
      await this.#waiting?.report()
      this.#sendSoon()
    }).finally(() => {
      this.#reading = undefined
      this.options.onStatus?.()
    })
    return this.#reading
  }

  /** The machine may have slept since the last call: files and base may have changed. */
  async #prepare(): Promise<void> {
    if (!this.lock.held) throw new Error('the lock of this folder is lost')
    await this.#scan({ changed: [], isHasty: true })
  }

  #noteFailure(error: unknown, what: string): number {
    if (this.failure === undefined) this.options.logger.warn(`${what}; sync tries again by itself. ${messageOf(error)}`)
    this.failure = error
    return waitAfter(++this.#failures, error, this.random)
  }

  #noteSuccess(): void {
    if (this.failure !== undefined) this.options.logger.info('the service answers again')
    this.failure = undefined
    this.#failures = 0
  }
}
