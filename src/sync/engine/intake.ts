/** Processes changes of the files: edits go into the outbox; changes that may not be edits are held. */
import { partId } from '../../catalog/text-id.ts'
import { messageOf } from '../../errors.ts'
import { applyEdits, type TextEdit } from '../../files/edit.ts'
import type { FilesChange, FilesSnapshot, ScanOptions, WriteOutcome } from '../../files/file-index.ts'
import { compareSnapshots } from '../../files/snapshot.ts'
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

/** `latest`: the index has just looked at the files. */
type Look = ScanOptions | 'latest'

export class Intake {
  readonly #git: GitState
  #gitWaits = 0
  /** The files that git left with conflicts: what a person makes of them has git's texts too. */
  readonly #conflicted = new Set<string>()
  #scans = 0
  #unfollow: (() => Promise<void>) | undefined

  constructor(private readonly state: EngineState) {
    this.#git = new GitState([state.config.root, ...state.files.index.patterns.bases])
  }

  /** Scans the files now, and after each change. */
  async start(): Promise<void> {
    const { files, tasks, options, logger } = this.state
    const scanned = () => `they are scanned every ${Math.round(this.#rescanMs / 1_000)} s`
    await this.#git.start()
    await this.scan()
    this.#unfollow = files.index.follow({
      onSnapshot: (snapshot) => snapshot !== files.seen && tasks.after(0, () => this.rescan('latest')),
      onTrouble: (error) =>
        logger.warn(`the system no longer reports changes of files; ${scanned()}. ${messageOf(error)}`),
    })
    if (options.watch === false) return logger.warn(`the dev server does not watch files; ${scanned()}`)
    await files.index.watch()
    // A file may have been saved while the watch was set up.
    await this.scan()
  }

  async stop(): Promise<void> {
    await this.#unfollow?.()
  }

  /** Finds changes whose events got lost. */
  rescanForEver(): void {
    this.state.tasks.after(this.#rescanMs, async () => {
      this.rescanForEver()
      await this.rescan({ everything: ++this.#scans % EVERYTHING_EVERY === 0, isPeriodic: true })
    })
  }

  get #rescanMs(): number {
    const ownMs = this.state.files.index.snapshot.listing.fileCount * RESCAN_MS_PER_FILE
    return Math.min(Math.max(ownMs, RESCAN_MS), LONGEST_RESCAN_MS)
  }

  scan(options: Look = {}): Promise<FilesChange> {
    return this.state.tasks.exclusive(() => this.#scanInTurn(options))
  }

  /** Scans the files in a turn that the caller has. */
  scanInTurn(): Promise<FilesChange> {
    return this.#scanInTurn({})
  }

  /** Scans the files when git has finished, and processes the changes. */
  async rescan(options: Look = {}): Promise<void> {
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

  async #scanInTurn(options: Look): Promise<FilesChange> {
    const { files, role, writer } = this.state
    // Git may have brought records of other people.
    await writer?.store.made.load()
    const change = await this.#readSettled(options)
    if (writer || role !== 'starting') files.seen = change.after
    if (!writer) return change
    await this.#accept(change, writer)
    if (change.found.length > 0) await writer.accept(change.found, 'start')
    return change
  }

  /** What was edited while the engine started. */
  takeEarly(): FilesChange {
    const { files } = this.state
    const early = compareSnapshots(files.seen, files.index.snapshot)
    files.seen = early.after
    return early
  }

  /**
   * Treats what was edited while the engine started like every later edit. Otherwise, in a project without a base, the
   * first reading of the service would make each of these texts a conflict.
   */
  async acceptEarly(early: FilesChange, project: SyncProject): Promise<void> {
    // If the plugin had read nothing before, every text would count as changed.
    if (early.before.files.size === 0) return
    // Git may have run before the engine knew its records.
    await this.#accept(early, project, new GitState([]))
  }

  /** Scans again as long as git changes files meanwhile: half a branch switch would look like edits. */
  async #readSettled(options: Look): Promise<FilesChange> {
    const { files, clock, tasks, writer } = this.state
    const { index, seen } = files
    const { signal } = tasks
    const since = (snapshot: FilesSnapshot) => compareSnapshots(seen, snapshot)
    let change = since(options === 'latest' ? index.snapshot : await index.scan({ ...options, signal }))
    for (let waits = 0; writer && change.files.length > 0 && waits < MOST_GIT_WAITS; waits++) {
      if (!(await this.#git.isBusy(change.files))) break
      await clock.sleep(GIT_BUSY_MS, signal)
      change = since(await index.scan({ signal }))
    }
    if (!writer || change.files.length === 0 || !(await this.#git.hasMoved(change.files))) return change
    // The events of a command come one by one: its files must count together.
    return since(await index.scan({ signal }))
  }

  /** Holds what git wrote, and more than a person edits at once. */
  async #accept({ changes, files, after }: FilesChange, writer: SyncProject, git = this.#git): Promise<void> {
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
    const sendable = edited.filter((change) => writer.records.isSendable(change)).length
    const isBatch = push !== false && sendable > push.holdAbove
    if (edited.length > 0) await writer.accept(edited, isBatch ? 'batch' : 'live')
  }
}
