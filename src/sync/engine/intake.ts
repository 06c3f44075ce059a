/** Processes changes of the files: edits go into the outbox; changes that may not be edits are held. */
import { partId } from '../../catalog/text-id.ts'
import { messageOf } from '../../errors.ts'
import { applyEdits, type TextEdit } from '../../files/edit.ts'
import type { ScanOptions, ScanResult, WriteOutcome } from '../../files/file-index.ts'
import { compareStates, type FilesState } from '../../files/snapshot.ts'
import { split } from '../../shared/split.ts'
import type { SyncProject } from '../project.ts'
import { GitState } from './git.ts'
import type { EngineState } from './state.ts'

const RESCAN_MS = 30_000
/** In a large project, scans without an event take less than a thousandth of the time. */
const RESCAN_MS_PER_FILE = 50
const LONGEST_RESCAN_MS = 300_000
const EVERYTHING_EVERY = 10
const GIT_BUSY_MS = 200
const MOST_GIT_WAITS = 50
/** A scan that is not older than this still counts as one just before a call to the service. */
const FRESH_SCAN_MS = 500

export class Intake {
  readonly #git: GitState
  #gitWaits = 0
  /** The files that git left with conflicts: what a person makes of them has git's texts too. */
  readonly #conflicted = new Set<string>()
  #scans = 0
  #scannedAt = Number.NEGATIVE_INFINITY
  /** The files as the plugin read them first. `undefined`: later changes are those of another process. */
  #first: FilesState | undefined

  constructor(private readonly state: EngineState) {
    this.#first = state.files.snapshot
    this.#git = new GitState([state.config.root, ...state.files.patterns.bases])
  }

  /** Scans the files now, and after each change. */
  async start(): Promise<void> {
    const { files, tasks, options, logger } = this.state
    await this.#git.start()
    await this.scan()
    files.onChange(() => tasks.after(0, () => this.rescan({ changed: [] })))
    const scanned = `they are scanned every ${Math.round(this.#rescanMs / 1_000)} s`
    if (options.watch === false) return logger.warn(`the dev server does not watch files; ${scanned}`)
    const onTrouble = (error: unknown) =>
      logger.warn(`the system no longer reports changes of files; ${scanned}. ${messageOf(error)}`)
    await files.watch({ onTrouble })
    // A file may have been saved while the watch was set up.
    await this.scan()
  }

  /** Finds changes whose events got lost. */
  rescanForEver(): void {
    this.state.tasks.after(this.#rescanMs, async () => {
      this.rescanForEver()
      await this.rescan({ everything: ++this.#scans % EVERYTHING_EVERY === 0, isPeriodic: true })
    })
  }

  get #rescanMs(): number {
    const ownMs = this.state.files.listing().fileCount * RESCAN_MS_PER_FILE
    return Math.min(Math.max(ownMs, RESCAN_MS), LONGEST_RESCAN_MS)
  }

  scan(options: ScanOptions = {}): Promise<ScanResult> {
    return this.state.tasks.exclusive(() => this.#scanInTurn(options))
  }

  /** Scans the files, unless the last scan is recent. */
  async freshen(): Promise<void> {
    const isFresh = this.state.clock.now() - this.#scannedAt <= FRESH_SCAN_MS
    if (!isFresh) await this.scan({ changed: [] })
  }

  /** Scans the files in a turn that the caller has. */
  scanInTurn(): Promise<ScanResult> {
    return this.#scanInTurn({})
  }

  /** Scans the files when git has finished, and processes the changes. */
  async rescan(options: ScanOptions = {}): Promise<void> {
    const { tasks } = this.state
    if (tasks.signal.aborted) return
    // Waiting here keeps nobody else from scanning.
    if ((await this.#git.isBusy()) && this.#gitWaits++ < MOST_GIT_WAITS)
      return tasks.after(GIT_BUSY_MS, () => this.rescan(options))
    this.#gitWaits = 0
    const { files } = await this.scan(options)
    const { writer } = this.state
    if (writer && files.length > 0) await writer.writeBack()
    await this.state.changed()
  }

  async edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]> {
    const { tasks, files } = this.state
    const { outcomes } = await tasks.exclusive(async () => {
      await this.#scanInTurn({})
      const { writer } = this.state
      const isCurrent = (edit: TextEdit) => writer?.isSeen(edit) ?? true
      const result = await applyEdits(files, edits, { isCurrent, isUntrusted: true })
      if (result.changes.length > 0) await writer?.acceptEdits(result.changes, edits)
      return result
    })
    await this.state.changed()
    return outcomes.map((outcome = 'changed') => outcome)
  }

  async #scanInTurn(options: ScanOptions): Promise<ScanResult> {
    const { clock, writer } = this.state
    // Git may have brought records of other people.
    await writer?.store.made.load()
    const result = await this.#readSettled(options)
    this.#scannedAt = clock.now()
    if (!writer) return result
    await this.#accept(result, writer)
    if (result.found.length > 0) await writer.accept(result.found, 'start')
    return result
  }

  /**
   * Treats what was edited while the engine started like every later edit. Otherwise, in a project without a base, the
   * first reading of the service would make each of these texts a conflict.
   */
  async acceptEarly(project: SyncProject): Promise<void> {
    // If the plugin had read nothing before, every text would count as changed.
    if (!this.#first?.files.size) return
    // Git may have run before the engine knew its records.
    await this.#accept(compareStates(this.#first, this.state.files.snapshot), project, new GitState([]))
  }

  /** The role is known. A process that takes over later must not send these edits: the other process had them. */
  forgetEarly(): void {
    this.#first = undefined
  }

  /** Repeats the scan as long as git changes files meanwhile: half a branch switch would look like edits. */
  async #readSettled(options: ScanOptions): Promise<ScanResult> {
    const { files, clock, tasks, writer } = this.state
    const before = files.snapshot
    const { signal } = tasks
    let result = await files.scan({ ...options, signal })
    for (let waits = 0; writer && result.files.length > 0 && waits < MOST_GIT_WAITS; waits++) {
      if (!(await this.#git.isBusy(result.files))) break
      await clock.sleep(GIT_BUSY_MS, signal)
      await files.scan({ signal })
      result = compareStates(before, files.snapshot)
    }
    if (!writer || result.files.length === 0 || !(await this.#git.hasMoved(result.files))) return result
    // The events of a command come one by one: its files must count together.
    await files.scan({ signal })
    return compareStates(before, files.snapshot)
  }

  /** Holds what git wrote, and more than a person edits at once. */
  async #accept({ changes, files, after }: ScanResult, writer: SyncProject, git = this.#git): Promise<void> {
    if (files.length === 0) return
    const { push } = this.state.config
    const byGit = new Set<string>()
    const written = await git.written(files)
    for (const path of files) {
      const known = after.files.get(path)
      const isBroken = known !== undefined && known.findings.length > 0
      if (known && (written.has(path) || this.#conflicted.has(path))) byGit.add(partId(known.file))
      if (written.has(path) && isBroken) this.#conflicted.add(path)
      else if (!isBroken) this.#conflicted.delete(path)
    }
    const [held, edited] = split(changes, ({ ref }) => byGit.has(partId(ref)))
    if (held.length > 0) await writer.accept(held, 'git')
    const sendable = edited.filter((change) => writer.records.wouldTravel(change)).length
    const isBatch = push !== false && sendable > push.holdAbove
    if (edited.length > 0) await writer.accept(edited, isBatch ? 'batch' : 'live')
  }
}
