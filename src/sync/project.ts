/**
 * Both sides of a project: its files, what the service has, the base, and what waits to be sent. The dev server works
 * on it for as long as it runs, a command for one go.
 */
import { type Clock, systemClock } from '../api/clock.ts'
import type { Catalog } from '../catalog/model.ts'
import { type TextRef, textId, textOrGap, textRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { EditOptions, TextEdit } from '../files/edit.ts'
import type { FileIndex, TextChange } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import { sweepTemporaries } from '../shared/atomic-write.ts'
import { count } from '../shared/figures.ts'
import { BaseStore } from './base.ts'
import { ACTIONS } from './decide.ts'
import type { JournalAccess } from './journal.ts'
import { Outbox } from './outbox.ts'
import { type ReadText, TextRecords } from './records.ts'
import { Remote, type RemoteText, type SyncClient } from './remote.ts'
import { describeTexts } from './report.ts'
import { type Resolution, type ResolutionOutcome, resolveConflicts } from './resolve.ts'
import { createSender, type Sender } from './send.ts'
import type { SendOptions, SendResult } from './send-round.ts'
import type { HoldReason } from './text-record.ts'
import { Waiting } from './waiting.ts'
import { type FileWriteResult, writeFiles } from './write-files.ts'

export interface OpenOptions {
  /** What the service has, read just now. */
  readonly remote?: Catalog | undefined
  /** Everything is read at once behind it: nothing is worked out before. Default false. */
  readonly isReadNext?: boolean
}

export interface ServiceSide {
  /** As far as the service was read; an empty text is `undefined`. */
  readonly text: string | undefined
  /** `undefined`: nobody has asked yet. */
  readonly isReviewed: boolean | undefined
}

export interface ResolveOptions {
  readonly signal: AbortSignal
  /** Takes in what was saved in files meanwhile. */
  readonly scan: () => Promise<void>
  /** See `SendOptions`. */
  readonly finish?: boolean
}

export interface SyncProjectOptions {
  readonly config: ResolvedConfig
  /** Where base and outbox are. */
  readonly folder: string
  readonly files: FileIndex
  readonly client: SyncClient
  readonly logger: Logger
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
  /** Files are scanned and written by one at a time. */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>
  /** The page is to show these texts otherwise. */
  readonly onShown?: ((refs: readonly TextRef[]) => void) | undefined
  /** Whether the folder is this process's. Default `own`. */
  readonly access?: JournalAccess | undefined
  /** A file is not what was scanned last. */
  readonly onStale?: (() => void) | undefined
}

/** A reading of what changed may miss a deletion, or an edit by a clock that went back: so often everything is read. */
const WHOLE_EVERY = 20
/** The most that readings of everything may take of the service: one request a second. */
const REQUEST_MS = 1_000

export class SyncProject {
  readonly records: TextRecords
  readonly outbox: Outbox
  readonly base: BaseStore
  readonly remote: Remote
  /** Tells people what waits for them. */
  readonly waiting: Waiting
  readonly #options: SyncProjectOptions
  readonly #clock: Clock
  readonly #sender: Sender
  /** Texts that a file did not take, with what the service had then. */
  readonly #unwritable = new Map<string, string | undefined>()
  readonly #reviewed = new Set<string>()
  /** The service says which texts are reviewed. */
  #tellsReviews = false
  #troubles = 0
  #readings = 0
  /** From then on everything may be read again. */
  #wholeFrom = Number.NEGATIVE_INFINITY
  #tellsChanges = true

  constructor(options: SyncProjectOptions) {
    const { config, folder, files, client, logger, clock = systemClock, random = Math.random } = options
    this.#options = options
    this.#clock = clock
    const stores = {
      folder,
      access: options.access,
      onProblem: (message: string) => logger.warn(message),
      onTrouble: (error: unknown) => this.#noteTrouble(error),
    }
    this.base = new BaseStore(stores)
    this.outbox = new Outbox(stores)
    const { base, outbox } = this
    this.records = new TextRecords({ files, base, outbox, push: config.push !== false })
    this.remote = new Remote(client, config)
    const { records, remote } = this
    this.waiting = new Waiting({ folder, files, records, outbox, logger })
    const concurrency = config.push === false ? 1 : config.push.concurrency
    const commit = async () => void (await this.#commit())
    const sizeOf = files.size
    this.#sender = createSender({ config, records, outbox, remote, clock, random, concurrency, sizeOf, commit })
  }

  /** Reads what the disk keeps, and works out what differs now. */
  async open({ remote, isReadNext = false }: OpenOptions = {}): Promise<void> {
    const { folder, logger, access = 'own' } = this.#options
    if (access === 'own') await sweepTemporaries(folder)
    await this.base.load()
    await this.outbox.load()
    if (this.outbox.size > 0) logger.info(`${count(this.outbox.size, 'text')} from the last run wait to be sent`)
    if (remote) {
      const texts = textsOf(remote)
      const seen = new Set(texts.map(({ id }) => id))
      this.records.applyReading({ texts, seen, mark: this.records.mark(), shown: true })
    } else if (!isReadNext) this.records.settleAll()
    await this.#commit()
  }

  /** Takes in what a scan found, while nobody else scans. */
  async accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void> {
    await this.records.accept(changes, as)
    await this.#commit()
  }

  /** Whether the service has what the person saw, as far as is known. */
  isSeen({ ref, theirs, expected }: TextEdit): boolean {
    const now = this.records.theirs(textId(ref))
    return theirs === undefined || now === textOrGap(theirs) || now === textOrGap(expected)
  }

  /**
   * Takes in what a person edited through us. An edit of a text that the service has newer, and that the person saw,
   * replaces it.
   */
  async acceptEdits(changes: readonly TextChange[], edits: readonly TextEdit[]): Promise<void> {
    const seen = new Map(edits.map((edit) => [textId(edit.ref), edit.theirs]))
    for (const { ref } of changes) {
      const record = this.records.get(textId(ref))
      if (record && ACTIONS[record.state] === 'write' && seen.get(record.id) === record.theirs)
        this.records.see(record.id)
    }
    await this.accept(changes, 'live')
  }

  /** Decides these texts anew, and puts what came of it on the disk. */
  async settle(refs: readonly TextRef[]): Promise<void> {
    this.records.settle(refs)
    await this.#commit()
  }

  /** Queues what is held for sending; without names, all of it. */
  async release(refs: readonly TextRef[] | undefined): Promise<number> {
    const released = await this.records.queue(refs?.map(textId) ?? Array.from(this.records.holds(), ({ id }) => id))
    await this.#commit()
    return released
  }

  async resolve(resolutions: readonly Resolution[], options: ResolveOptions): Promise<readonly ResolutionOutcome[]> {
    const { signal, scan, finish = false } = options
    const { records, remote } = this
    const outcomes = await resolveConflicts(resolutions, {
      records,
      remote,
      scan,
      signal,
      sizeOf: this.#options.files.size,
      write: (edits) => this.write(edits, { signal }),
      send: (only) => this.send({ signal, finish, only }),
    })
    await this.#commit()
    return outcomes
  }

  /** What the service has, as far as it was read. */
  serviceText(ref: TextRef): ServiceSide {
    const id = textId(ref)
    const text = this.records.theirs(id)
    return { text, isReviewed: text !== undefined && this.#tellsReviews ? this.#reviewed.has(id) : undefined }
  }

  /** Writes texts of the service into files. Errors: see `applyEdits`. */
  write(edits: readonly TextEdit[], options: EditOptions): Promise<FileWriteResult> {
    const { config, files, exclusive } = this.#options
    return exclusive(async () => {
      const result = await writeFiles(edits, config.root, files, options)
      this.records.wrote(result.written)
      await this.#commit()
      return result
    })
  }

  /**
   * Puts texts of the service into files, where the options ask for it. What the disk or the file refuses stays in the
   * page only.
   */
  async writeBack(): Promise<void> {
    const { config, logger, onStale } = this.#options
    if (config.pull === false || !config.pull.write) return
    const edits: TextEdit[] = []
    for (const { id, ref, ours, theirs } of this.records.writable())
      if (!this.#unwritable.has(id) || this.#unwritable.get(id) !== theirs)
        edits.push({ ref, text: theirs, expected: ours })
    if (edits.length === 0) return
    const onError = (refs: readonly TextRef[], error: unknown) => {
      for (const ref of refs) this.#unwritable.set(textId(ref), this.records.get(textId(ref))?.theirs)
      logger.warn(`${describeTexts(refs)} of the service stay out of the file: ${messageOf(error)}`)
    }
    const { written, skipped } = await this.write(edits, { onError })
    if (skipped.length > 0) onStale?.()
    if (written.length > 0) logger.info(`pulled into files: ${describeTexts(written.map(({ ref }) => ref))}`)
  }

  /** One go at the outbox. */
  async send(options: SendOptions): Promise<SendResult> {
    const result = await this.#sender.round(options)
    await this.#commit()
    for (const ref of result.sent) this.#reviewed.delete(textId(ref))
    return result
  }

  /** Reads everything; `take` is called with the texts of each page. Resolves with the number of requests. */
  async readAll(signal: AbortSignal, take: (texts: readonly RemoteText[]) => void): Promise<number> {
    const requests = await this.#readAll(signal, take)
    await this.#commit()
    return requests
  }

  async #readAll(signal: AbortSignal, take?: (texts: readonly RemoteText[]) => void): Promise<number> {
    const { records } = this
    const [mark, shown] = [records.mark(), !records.hasRead]
    const news: RemoteText[] = []
    const seen = new Set<string>()
    const requests = await this.remote.readAll(signal, (texts) => {
      this.#noteReviews(texts)
      for (const text of texts) {
        seen.add(text.id)
        if (records.isNews(text, mark)) news.push(text)
      }
      take?.(texts)
    })
    this.#wholeFrom = this.#clock.now() + requests * REQUEST_MS
    // The service's order jumps between the files: without this each would be parsed again and again.
    const parsed = news.length > 0 ? await this.#options.files.parseAll() : []
    const isWhole = records.applyReading({ texts: news, seen, mark, shown })
    parsed.length = 0
    // A reading that met texts on their way is taken up again from the start.
    this.#readings = isWhole ? 0 : WHOLE_EVERY - 1
    return requests
  }

  /** Asks the service what changed; `whole`: reads everything. */
  async pull(signal: AbortSignal, whole: boolean): Promise<void> {
    const { records } = this
    const mayReadAll = this.#clock.now() >= this.#wholeFrom
    const isWhole = whole || !records.hasRead || (mayReadAll && this.#readings >= WHOLE_EVERY - 1)
    const mark = records.mark()
    const changes = isWhole ? undefined : await this.remote.readChanges(signal)
    this.#tellsChanges = isWhole || changes !== undefined
    if (!changes && !isWhole && !mayReadAll) return
    if (changes) {
      this.#noteReviews(changes)
      this.#readings = records.applyReading({ texts: changes, mark }) ? this.#readings + 1 : WHOLE_EVERY - 1
    } else await this.#readAll(signal)
    const shown = (await this.#commit()).filter((ref) => records.get(textId(ref))?.shown !== undefined)
    if (shown.length > 0) this.#options.logger.info(`the service changed ${describeTexts(shown)}`)
    await this.writeBack()
    await this.waiting.report()
  }

  /**
   * How long the service is to be left alone from now, because all that it can return is everything. 0: it tells what
   * changed.
   */
  get restMs(): number {
    return this.#tellsChanges ? 0 : Math.max(0, this.#wholeFrom - this.#clock.now())
  }

  /** Takes in what commands appended to the base. Resolves with the texts that are to be settled. */
  async takeAppended(): Promise<readonly TextRef[]> {
    await this.outbox.restore()
    return this.records.rebase(await this.base.takeAppended())
  }

  async close(): Promise<void> {
    await this.#commit()
    await this.base.close()
    await this.outbox.close()
  }

  /** Puts what changed on the disk. Resolves with the texts that the page has to show otherwise. */
  async #commit(): Promise<readonly TextRef[]> {
    const shown = await this.records.commit()
    if (shown.length > 0) this.#options.onShown?.(shown)
    return shown
  }

  #noteReviews(texts: readonly RemoteText[]): void {
    for (const { id, reviewStatus } of texts) {
      if (reviewStatus !== undefined) this.#tellsReviews = true
      if (reviewStatus === 'REVIEWED') this.#reviewed.add(id)
      else this.#reviewed.delete(id)
    }
  }

  #noteTrouble(error: unknown): void {
    if (error === undefined) this.#troubles--
    else if (this.#troubles++ === 0) {
      this.#options.logger.warn(
        `cannot write to ${this.#options.folder}: ${messageOf(error)}. Edits are sent all the same; what is not sent when this process ends is not remembered`,
      )
    }
  }
}

function textsOf(catalog: Catalog): readonly ReadText[] {
  return catalog.parts.flatMap((part) =>
    Array.from(part.messages, ([key, text]) => {
      const ref = textRef(part, key)
      return { id: textId(ref), ref, text }
    }),
  )
}
