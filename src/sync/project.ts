/**
 * The files and the service's texts of a project, and the state that sync stores about them. A dev server keeps one
 * project open. Each command opens its own.
 */

import type { Catalog } from '../catalog/model.ts'
import { partId, type TextRef, textId, textOrGap, textRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import { applyEdits, type EditOptions, type TextEdit, writeEdits } from '../files/edit.ts'
import type { FilesChange, SeenFiles, TextChange, WriteOutcome } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import { sweepTemporaries } from '../shared/atomic-write.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { count } from '../shared/figures.ts'
import { displayPath } from '../shared/paths.ts'
import { split } from '../shared/split.ts'
import { ACTIONS } from './decide.ts'
import type { JournalAccess } from './journal.ts'
import type { Outbox } from './outbox.ts'
import { applyReading, ServiceReader } from './reader.ts'
import { TextRecords } from './records.ts'
import { Remote, type SyncClient, type TakePage } from './remote.ts'
import { describeTexts, SyncReport } from './report.ts'
import { ProjectStale, type StaleText } from './stale.ts'
import { SyncStore } from './store.ts'

const WHY: Readonly<Record<Exclude<WriteOutcome, 'written'>, string>> = {
  changed: 'was changed in the meantime',
  broken: 'cannot be read',
  unmatched: 'matches no pattern in the option "files"',
  unnameable: 'would have a name that is too long',
}

export interface FileWriteResult {
  readonly written: readonly TextEdit[]
  readonly files: readonly string[]
  readonly skipped: readonly { readonly edit: TextEdit; readonly file: string; readonly reason: string }[]
}

export interface SyncEngineOptions {
  readonly config: ResolvedConfig
  /** Opens the client when this process begins to sync. Set if `isSynced`. The engine closes the client. */
  readonly openClient: (() => SyncClient) | undefined
  readonly logger: Logger
  /** The files, and their content at the first reading. Later changes are edits. */
  readonly files: SeenFiles
  /**
   * The service's texts, if they have just been read. They replace the first reading. They must not come from a
   * snapshot, and must include texts that are not reviewed. `stamp` is the journal's stamp before the reading. If a
   * command has written to the journal since, the texts may be older than its records, and are not used.
   */
  readonly remote?: { readonly catalog: Catalog; readonly stamp: string } | undefined
  /** Called with the names of texts that the page must show differently. */
  readonly onShown?: ((refs: readonly TextRef[]) => void) | undefined
  /** Called after any change that `status` may show. */
  readonly onStatus?: (() => void) | undefined
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
  /** Default true: watch the files. If false, only `rescan` and a timer scan them. */
  readonly watch?: boolean | undefined
}

export class SyncProject {
  readonly config: ResolvedConfig
  readonly files: SeenFiles
  readonly logger: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly store: SyncStore
  readonly records: TextRecords
  readonly remote: Remote
  readonly stale: ProjectStale
  readonly report: SyncReport
  /** Keys that the service has, because this process created or found them, by `keyId`. */
  readonly knownKeys = new Set<string>()
  readonly reader: ServiceReader
  /** The texts that the last `writeBack` could not write. It is tried again each time, but reported once. */
  #unwritable: ReadonlySet<string> = new Set()

  /** @param exclusive runs `work` while no other task scans or writes files. By default, there are no other tasks */
  constructor(
    private readonly options: Pick<SyncEngineOptions, 'config' | 'files' | 'logger' | 'clock' | 'random' | 'onShown'>,
    client: SyncClient,
    private readonly access: JournalAccess = 'own',
    private readonly exclusive = <T>(work: () => Promise<T>): Promise<T> => work(),
  ) {
    const { config, files, logger, clock = systemClock, random = Math.random } = options
    this.config = config
    this.files = files
    this.logger = logger
    this.clock = clock
    this.random = random
    this.store = new SyncStore(config, access, (message) => logger.warn(message))
    this.records = new TextRecords(files, this.store.base, this.outbox, config.push !== false)
    this.stale = new ProjectStale(this.store, files, this.records)
    this.report = new SyncReport(this.records, this.store, logger)
    this.remote = new Remote(client, config)
    this.reader = new ServiceReader(this.remote, this.records, clock)
  }

  get outbox(): Outbox {
    return this.store.outbox
  }

  /** Reads the stored state. Call `settleAll` or read the service next. Throws SYNC_VERSION. */
  async open(): Promise<void> {
    if (this.access === 'own') await sweepTemporaries(this.store.folder)
    await this.store.load()
    if (this.outbox.size > 0)
      this.logger.info(`waiting to be sent since the last run: ${count(this.outbox.size, 'text')}`)
  }

  /** Decides the state of every text. `remote` contains the service's texts, if they have just been read. */
  async settleAll(remote: Catalog | undefined): Promise<void> {
    const { records } = this
    if (remote) {
      const texts = remote.parts.flatMap((part) =>
        Array.from(part.messages, ([key, text]) => {
          const ref = textRef(part, key)
          return { id: textId(ref), ref, text }
        }),
      )
      const seen = new Set(texts.map(({ id }) => id))
      applyReading(records, { texts, mark: records.mark(), seen, shown: true })
    } else records.settleAll()
    await this.commit()
  }

  /**
   * Processes changes in the files. Holds texts that git wrote, texts from a batch larger than `push.holdAbove`, and
   * texts in a file that was broken until now.
   */
  async acceptChange({ changes, found }: FilesChange, byGit: ReadonlySet<string>): Promise<void> {
    const { config, records } = this
    const { push } = config
    const [held, edited] = split(changes, ({ ref }) => byGit.has(partId(ref)))
    const isBatch = push !== false && edited.filter((one) => isSendable(records, one)).length > push.holdAbove
    await records.accept(held, 'git')
    await records.accept(edited, isBatch ? 'batch' : 'live')
    await records.accept(found, 'start')
    await this.commit()
  }

  /** True if the service still has the text that the user saw, according to the last reading. */
  isSeen({ ref, theirs, expected }: TextEdit): boolean {
    const now = this.records.theirs(textId(ref))
    return theirs === undefined || now === textOrGap(theirs) || now === textOrGap(expected)
  }

  /**
   * Processes edits that this package wrote into files. They replace a newer text on the service only if the user saw
   * that text.
   */
  async acceptEdits(changes: readonly TextChange[], edits: readonly TextEdit[]): Promise<void> {
    const seen = new Map(edits.map((edit) => [textId(edit.ref), edit.theirs]))
    for (const { ref } of changes) {
      const record = this.records.get(textId(ref))
      if (record && ACTIONS[record.state] === 'write' && seen.get(record.id) === record.theirs)
        this.records.see(record.id)
    }
    await this.records.accept(changes, 'live')
    await this.commit()
  }

  /**
   * Loads the changes that the other process wrote. Loads the base before the files: without its base, a file's text
   * would look edited. `scan` processes the changes in the files.
   */
  async resume(scan: () => Promise<unknown>): Promise<void> {
    const refs = this.records.rebase(await this.store.resume())
    await scan()
    await this.settle(refs)
  }

  async settle(refs: readonly TextRef[] = []): Promise<void> {
    this.records.settle(refs)
    await this.commit()
  }

  /** Queues held texts (by default, all of them) for sending. Resolves to the number of queued texts. */
  async release(refs: readonly TextRef[] | undefined): Promise<number> {
    const released = await this.records.queue(refs?.map(textId) ?? Array.from(this.records.holds(), ({ id }) => id))
    await this.commit()
    return released
  }

  /**
   * Marks translations as correct. Skips those that have changed since the user saw them, and resolves to the skipped
   * ones.
   */
  async confirmStale(seen: readonly StaleText[]): Promise<readonly StaleText[]> {
    const changed = await this.stale.confirm(seen)
    await this.commit()
    return changed
  }

  /** The service's text at the last reading, and whether it is reviewed (`undefined` if unknown). */
  serviceText(ref: TextRef) {
    const id = textId(ref)
    const text = this.records.theirs(id)
    return { text, isReviewed: text === undefined ? undefined : this.reader.isReviewed(id) }
  }

  noteReviews(refs: readonly TextRef[], isReviewed: boolean): void {
    for (const ref of refs) this.reader.setReview(textId(ref), isReviewed)
  }

  /** The file of a text that was not written, and the reason. */
  reasonFor({ language, namespace, customer }: TextRef, outcome: Exclude<WriteOutcome, 'written'>) {
    const path = this.files.index.pathOf({ language, namespace, customer })
    const file = path === undefined ? `${language}/${namespace}` : displayPath(this.config.root, path)
    return { file, reason: `${file} ${WHY[outcome]}` }
  }

  /** Writes the user's texts into files. */
  edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]> {
    return this.exclusive(() => editFiles(this.files, edits, this))
  }

  /** Writes the service's texts into files. Throws the errors of `applyEdits`. */
  write(edits: readonly TextEdit[], options: EditOptions): Promise<FileWriteResult> {
    const { config, files } = this
    return this.exclusive(async () => {
      const { outcomes, files: paths, failure } = await writeEdits(files, edits, options)
      const written = edits.filter((_, i) => outcomes[i] === 'written')
      this.stale.record('ours')
      this.records.wrote(written)
      // The translations were made from the service's texts.
      this.stale.record('theirs')
      await this.commit()
      // Thrown only after the written texts are recorded. Otherwise, they would look edited.
      if (failure) throw failure.error
      const skipped = edits.flatMap((edit, i) => {
        const outcome = outcomes[i]
        if (outcome === undefined || outcome === 'written') return []
        return [{ edit, ...this.reasonFor(edit.ref, outcome) }]
      })
      return { written, files: paths.map((path) => displayPath(config.root, path)), skipped }
    })
  }

  /**
   * Writes the service's new texts into files if `pull.write` is on. A text that cannot be written is shown only on the
   * page.
   */
  async writeBack(): Promise<void> {
    const { config, logger } = this
    if (config.pull === false || !config.pull.write) return
    const edits: TextEdit[] = []
    for (const { ref, ours, theirs } of this.records.differences('write'))
      edits.push({ ref, text: theirs, expected: ours })
    if (edits.length === 0) return
    const failed = new Set<string>()
    const onError = (refs: readonly TextRef[], error: unknown) => {
      const id = refs.map(textId).join()
      failed.add(id)
      if (this.#unwritable.has(id)) return
      logger.warn(`${describeTexts(refs)} from the service cannot be written into the file: ${messageOf(error)}`)
    }
    const { written } = await this.write(edits, { onError })
    this.#unwritable = failed
    if (written.length > 0) logger.info(`pulled into files: ${describeTexts(written.map(({ ref }) => ref))}`)
  }

  async readAll(signal: AbortSignal, take: TakePage): Promise<number> {
    const requests = await this.reader.readAll(signal, take)
    await this.commit()
    return requests
  }

  async pull(signal: AbortSignal, whole: boolean): Promise<void> {
    await this.reader.read(signal, whole)
    const changed = await this.commit()
    const shown = [...changed].flatMap(([id, ref]) => (this.records.page.isShown(id) ? [ref] : []))
    if (shown.length > 0) this.logger.info(`the service changed ${describeTexts(shown)}`)
    await this.writeBack()
  }

  async close(): Promise<void> {
    await this.commit()
    await this.store.close()
  }

  /**
   * Saves all changes. Resolves to the texts that change on the page. If there are more than `mostMade` records of
   * translation sources, these are left to a later call.
   */
  async commit(mostMade?: number): Promise<ReadonlyMap<string, TextRef>> {
    // The source is recorded before the base. Otherwise, after a crash, a current translation could look stale.
    await this.stale.save(mostMade)
    const shown = this.records.page.takeChanges()
    await this.store.commit()
    if (shown.size > 0) this.options.onShown?.([...shown.values()])
    return shown
  }
}

/**
 * Writes the user's texts into files. Resolves to `changed` for a text that was saved in the meantime, or whose text on
 * the service is not the one that the user saw. Throws the errors of `applyEdits`.
 */
export async function editFiles(
  files: SeenFiles,
  edits: readonly TextEdit[],
  project: SyncProject | undefined,
  options: EditOptions = {},
): Promise<readonly WriteOutcome[]> {
  const isCurrent = (edit: TextEdit) => project?.isSeen(edit) ?? true
  const { outcomes, changes } = await applyEdits(files, edits, { ...options, isCurrent })
  if (changes.length > 0) await project?.acceptEdits(changes, edits)
  return outcomes.map((outcome = 'changed') => outcome)
}

/** True if the file's new text must be sent: it exists, and differs from the base and from the service's text. */
export function isSendable(records: TextRecords, { ref, after }: TextChange): boolean {
  const id = textId(ref)
  const text = textOrGap(after)
  return text !== undefined && text !== records.base.get(id) && text !== records.theirs(id)
}
