/** Processes changes of the files: edits go into the outbox; changes that may not be edits are held. */
import { messageOf } from '../../errors.ts'
import { applyEdits, type TextEdit } from '../../files/edit.ts'
import { joinScans, type ScanResult, type TextChange, type WriteOutcome } from '../../files/file-index.ts'
import type { SharedScanOptions } from '../../files/project-files.ts'
import type { SyncProject } from '../project.ts'
import { GitState, type Head } from './git.ts'
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
  #head: string | undefined
  /** At the last scan; see `GitState.quiet`. */
  #gitState: string | undefined
  #gitWaits = 0
  #scans = 0
  #scannedAt = Number.NEGATIVE_INFINITY
  /** What changed between the plugin's first reading of the files and the moment when the role is known. */
  #early: ScanResult | undefined

  constructor(private readonly state: EngineState) {
    this.#git = new GitState(state.config.root)
  }

  /** Scans the files now, and after each change. */
  async start(): Promise<void> {
    const { files, tasks, options, logger } = this.state
    this.#head = (await this.#git.head())?.text
    await this.scan()
    files.onChange(() => tasks.after(0, () => this.rescan({ changed: [] })))
    if (options.watch === false) return
    const onTrouble = (error: unknown) =>
      logger.warn(`the system no longer reports changes of files; they are scanned every 30 s. ${messageOf(error)}`)
    await files.watch({ onTrouble })
    // A file may have been saved while the watch was set up.
    await this.scan()
  }

  /** Finds changes whose events got lost. */
  rescanForEver(): void {
    const { tasks, files } = this.state
    const ownMs = files.listing().fileCount * RESCAN_MS_PER_FILE
    tasks.after(Math.min(Math.max(ownMs, RESCAN_MS), LONGEST_RESCAN_MS), async () => {
      this.rescanForEver()
      await this.rescan({ everything: ++this.#scans % EVERYTHING_EVERY === 0, isPeriodic: true })
    })
  }

  scan(options: SharedScanOptions = {}): Promise<ScanResult> {
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
  async rescan(options: SharedScanOptions = {}): Promise<void> {
    const { tasks } = this.state
    if (tasks.signal.aborted) return
    // Waiting here keeps nobody else from scanning.
    if ((await this.#git.quiet()) === undefined && this.#gitWaits++ < MOST_GIT_WAITS)
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

  async #scanInTurn(options: SharedScanOptions): Promise<ScanResult> {
    const { clock, writer } = this.state
    // Git may have brought records of other people.
    await writer?.store.made.load()
    const { result, head } = await this.#readSettled(options)
    const { changes, found } = result
    this.#scannedAt = clock.now()
    if (!writer) {
      if (this.state.role === 'starting') this.#early = this.#early ? joinScans(this.#early, result) : result
      return result
    }
    if (changes.length > 0) await writer.accept(changes, this.#judge(changes, head, writer))
    if (found.length > 0) await writer.accept(found, 'start')
    return result
  }

  /**
   * Treats what was edited while the engine started like every later edit. Otherwise, in a project without a base, the
   * first reading of the service would make each of these texts a conflict.
   */
  async acceptEarly(project: SyncProject): Promise<void> {
    const early = this.#early
    // If the plugin had read nothing before, every text counts as changed.
    if (!early || early.before.files.size === 0 || early.changes.length === 0) return
    await project.accept(early.changes, this.#judge(early.changes, await this.#git.head(), project))
  }

  /** The role is known. A process that takes over later must not send these edits: the other process had them. */
  forgetEarly(): void {
    this.#early = undefined
  }

  /** Repeats the scan as long as git changes files meanwhile: half a branch switch would look like edits. */
  async #readSettled(options: SharedScanOptions) {
    const { files, clock, tasks, writer } = this.state
    let before = await this.#git.quiet()
    // The events of a branch switch come one by one: the files of one switch must count together.
    const isGitUnchanged = before !== undefined && before === this.#gitState
    this.#gitState = before
    let result = await files.scan(isGitUnchanged ? options : { ...options, changed: undefined })
    for (let waits = 0; writer && result.changes.length > 0 && waits < MOST_GIT_WAITS; waits++) {
      if (before !== undefined && before === (await this.#git.quiet())) break
      await clock.sleep(GIT_BUSY_MS, tasks.signal)
      before = await this.#git.quiet()
      result = joinScans(result, await files.scan())
    }
    return { result, head: await this.#git.head() }
  }

  #judge(changes: readonly TextChange[], head: Head | undefined, { records }: SyncProject) {
    const { push } = this.state.config
    const isSwitched = this.#head !== undefined && head !== undefined && head.text !== this.#head && head.isRecent
    this.#head = head?.text
    if (isSwitched) return 'switch'
    const travelling = changes.filter((change) => records.wouldTravel(change)).length
    return push !== false && travelling > push.holdAbove ? 'batch' : 'live'
  }
}
