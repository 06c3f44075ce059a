/**
 * Both sides of a project: its files, what the service has, what they last agreed on, and what waits to be sent. The dev server works on it
 * for as long as it runs, a command for one go.
 */
import { type Clock, systemClock } from '../api/clock.ts'
import type { Catalog } from '../catalog/model.ts'
import { type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { TextEdit } from '../files/edit.ts'
import type { FileIndex, TextChange } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import { sweepTemporaries } from '../shared/atomic-write.ts'
import { count } from '../shared/figures.ts'
import { type KnownAgreement, readAgreed, removeAgreed, sweepAgreed } from './agreed.ts'
import { type BaseStore, createBaseStore } from './base.ts'
import { ACTIONS } from './decide.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { type HoldReason, TextRecords } from './records.ts'
import { createRemote, type Remote, type RemoteText, type SyncClient } from './remote.ts'
import { describeTexts } from './report.ts'
import { type Resolution, type ResolutionOutcome, resolveConflicts } from './resolve.ts'
import { createSender } from './send.ts'
import type { SendOptions, SendResult } from './send-round.ts'
import { createWaiting } from './waiting.ts'
import { type FileWrite, type FileWriteOptions, type FileWriteResult, writeFiles } from './write-files.ts'

export interface SyncProject {
  readonly records: TextRecords
  readonly outbox: Outbox
  readonly base: BaseStore
  readonly remote: Remote
  /** Reads what the disk keeps, and works out what differs now. */
  open(options?: OpenOptions): Promise<void>
  /** Takes in what a scan found, while nobody else scans. */
  accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void>
  /** Takes in what a person edited through us. An edit of a text that the service has newer, and that the person saw, replaces it. */
  acceptEdits(changes: readonly TextChange[], edits: readonly TextEdit[]): Promise<void>
  /** Whether the service has what the person saw, as far as is known. */
  isSeen(edit: TextEdit): boolean
  /** What a command agreed on, by its name; nothing where the command has ended since, or it cannot be used. */
  readAgreed(name: string): Promise<readonly KnownAgreement[]>
  /** Decides these texts anew, and puts what came of it on the disk. */
  settle(refs: readonly TextRef[]): Promise<void>
  /** Queues what is held for sending; without names, all of it. */
  release(refs: readonly TextRef[] | undefined): Promise<number>
  resolve(resolutions: readonly Resolution[], options: ResolveOptions): Promise<readonly ResolutionOutcome[]>
  /** What the service has, as far as it was read. */
  serviceText(ref: TextRef): ServiceSide
  /** Puts texts of the service into files, where the options ask for it. What the disk or the file refuses stays in the page only. */
  writeBack(): Promise<void>
  /** Writes these texts into files. Errors: FILE_WRITE, FILE_KEY_COLLISION and the like. */
  write(writes: Iterable<FileWrite>, options: Pick<FileWriteOptions, 'signal' | 'onProgress'>): Promise<FileWriteResult>
  /** One go at the outbox. */
  send(options: SendOptions): Promise<SendResult>
  /** Asks the service what changed; `whole`: reads everything. */
  pull(signal: AbortSignal, whole: boolean): Promise<void>
  /** Reads everything, and gives it. */
  readAll(signal: AbortSignal): Promise<{ readonly texts: readonly RemoteText[]; readonly requests: number }>
  /** How long the service is to be left alone from now, because all that it can give is everything. 0: it tells what changed. */
  readonly restMs: number
  /** After a long sleep, or anything else that may have gone on without this process. */
  verify(): Promise<void>
  /** Conflicts, held texts and refusals to the log and to the disk, where they changed. */
  report(): Promise<void>
  /** Likewise, to the disk alone. */
  saveState(): Promise<void>
  /** Tells that the service refused a text. */
  refuse(ref: TextRef, reason: string): Promise<void>
  close(): Promise<void>
}

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
  /** Remembers what of the base changes, for another process that keeps it. Default false. */
  readonly trackBase?: boolean
  /** A file is not what was scanned last. */
  readonly onStale?: (() => void) | undefined
}

/** A reading of what changed may miss a deletion, or an edit by a clock that went back: so often everything is read. */
const WHOLE_EVERY = 20
/** The most that readings of everything may take of the service: one request a second. */
const REQUEST_MS = 1_000

export function createSyncProject(options: SyncProjectOptions): SyncProject {
  const { config, folder, files, client, clock = systemClock, logger, exclusive } = options
  const { onShown = () => {}, onStale = () => {} } = options
  let troubles = 0
  const onTrouble = (error: unknown) => {
    if (error === undefined) troubles--
    else if (troubles++ === 0) {
      logger.warn(
        `cannot write to ${folder}: ${messageOf(error)}. Edits are sent all the same; what is not sent when this process ends is not remembered`,
      )
    }
  }
  const base = createBaseStore({ folder, onTrouble, track: options.trackBase })
  const outbox = createOutbox({ folder, onTrouble })
  const records = new TextRecords({ files, base, outbox, push: config.push !== false })
  const remote = createRemote(client, config)
  const waiting = createWaiting({ folder, files, records, outbox, logger })
  const unwritable = new Map<string, string | undefined>()
  /** The review status of the texts the last readings brought. */
  const reviews = new Map<string, boolean>()
  let readings = 0
  /** From then on everything may be read again. */
  let wholeFrom = Number.NEGATIVE_INFINITY
  let tellsChanges = true

  const commit = async () => {
    const shown = await records.commit()
    if (shown.length > 0) onShown(shown)
  }
  const sender = createSender({
    config,
    records,
    outbox,
    remote,
    clock,
    random: options.random ?? Math.random,
    concurrency: config.push === false ? 1 : config.push.concurrency,
    sizeOf: files.size,
    commit,
  })

  const write: SyncProject['write'] = (writes, given) =>
    exclusive(async () => {
      try {
        return await writeFiles(writes, { root: config.root, files, records, ...given })
      } finally {
        await commit()
      }
    })

  const writeBack = async () => {
    if (config.pull === false || !config.pull.write) return
    const { written, skipped } = await exclusive(async () => {
      const writes: FileWrite[] = []
      for (const { id, ref, ours, theirs } of records.writable())
        if (!unwritable.has(id) || unwritable.get(id) !== theirs) writes.push({ ref, text: theirs, basedOn: ours })
      const onError = (refs: readonly TextRef[], error: unknown) => {
        for (const ref of refs) unwritable.set(textId(ref), records.get(textId(ref))?.theirs)
        logger.warn(`${describeTexts(refs)} of the service stay out of the file: ${messageOf(error)}`)
      }
      const result = await writeFiles(writes, { root: config.root, files, records, onError })
      await commit()
      return result
    })
    if (skipped.length > 0) onStale()
    if (written.length > 0) logger.info(`pulled into files: ${describeTexts(written.map(({ ref }) => ref))}`)
  }

  const noteReviews = (texts: readonly RemoteText[]) => {
    for (const { id, reviewStatus } of texts)
      if (reviewStatus !== undefined) reviews.set(id, reviewStatus === 'REVIEWED')
  }

  const send: SyncProject['send'] = async (given) => {
    const result = await sender.round(given)
    await commit()
    for (const ref of result.sent) reviews.delete(textId(ref))
    return result
  }

  const readAll = async (signal: AbortSignal) => {
    const [mark, first] = [records.mark(), !records.hasRead]
    const all = await remote.readAll(signal)
    // The service's order jumps between the files: without this each would be parsed again and again.
    const parsed = await files.parseAll()
    wholeFrom = clock.now() + all.requests * REQUEST_MS
    reviews.clear()
    noteReviews(all.texts)
    const isComplete = records.applyReading({ texts: all.texts, complete: true, mark, shown: first })
    parsed.length = 0
    // A reading that met texts on their way is taken up again from the start.
    readings = isComplete ? 0 : WHOLE_EVERY - 1
    return all
  }

  const verify = async () => {
    for (const text of [await base.verify(), await outbox.verify()]) if (text !== undefined) logger.warn(text)
  }

  return {
    records,
    outbox,
    base,
    remote,
    write,
    writeBack,
    send,
    report: waiting.report,
    saveState: waiting.save,
    refuse: waiting.refuse,
    get restMs() {
      return tellsChanges ? 0 : Math.max(0, wholeFrom - clock.now())
    },
    async open({ remote: known, isReadNext = false } = {}) {
      await sweepTemporaries(folder)
      await sweepAgreed(folder)
      const [baseProblem, { problem }] = [await base.load(), await outbox.load()]
      for (const text of [baseProblem, problem]) if (text !== undefined) logger.warn(text)
      if (outbox.size > 0) logger.info(`${count(outbox.size, 'text')} from the last run wait to be sent`)
      if (known) records.applyReading({ texts: textsOf(known), complete: true, mark: records.mark(), shown: true })
      else if (!isReadNext) records.settleAll()
      await commit()
    },
    async accept(changes, as) {
      await records.accept(changes, as)
      await commit()
    },
    isSeen({ ref, theirs, expected }) {
      const now = records.theirs(textId(ref))
      return theirs === undefined || now === textOrGap(theirs) || now === textOrGap(expected)
    },
    async acceptEdits(changes, edits) {
      const seen = new Map(edits.map((edit) => [textId(edit.ref), edit.theirs]))
      for (const { ref } of changes) {
        const record = records.get(textId(ref))
        if (record && ACTIONS[record.state] === 'write' && seen.get(record.id) === record.theirs) records.see(record.id)
      }
      await records.accept(changes, 'live')
      await commit()
    },
    async readAgreed(name) {
      try {
        await verify()
        return await readAgreed(folder, name)
      } catch (error) {
        logger.warn(
          `what a command agreed on with the service is not used, and the service is read instead: the file in ${folder} cannot be used: ${messageOf(error)}`,
        )
        return []
      } finally {
        await removeAgreed(folder, name)
      }
    },
    async settle(refs) {
      records.settle(refs)
      await commit()
    },
    async release(refs) {
      const ids = refs?.map(textId) ?? Array.from(records.holds(), ({ id }) => id)
      const released = await records.queue(ids)
      await commit()
      return released
    },
    async resolve(resolutions, { signal, scan, finish = false }) {
      const outcomes = await resolveConflicts(resolutions, {
        records,
        remote,
        scan,
        signal,
        sizeOf: files.size,
        writeFiles: (writes) => write(writes, { signal }),
        send: (only) => send({ signal, finish, only }),
      })
      await commit()
      return outcomes
    },
    serviceText(ref) {
      const id = textId(ref)
      return { text: records.theirs(id), isReviewed: reviews.get(id) }
    },
    readAll: async (signal) => {
      const all = await readAll(signal)
      await commit()
      return all
    },
    async pull(signal, whole) {
      const mayReadAll = clock.now() >= wholeFrom
      const isWhole = whole || !records.hasRead || (mayReadAll && readings >= WHOLE_EVERY - 1)
      const mark = records.mark()
      const changes = isWhole ? undefined : await remote.readChanges(signal)
      tellsChanges = isWhole || changes !== undefined
      if (!changes && !isWhole && !mayReadAll) return
      if (changes) {
        noteReviews(changes)
        const isComplete = records.applyReading({ texts: changes, complete: false, mark })
        readings = isComplete ? readings + 1 : WHOLE_EVERY - 1
      } else await readAll(signal)
      const shown = await records.commit()
      if (shown.length > 0) {
        onShown(shown)
        const now = shown.filter((ref) => records.get(textId(ref))?.shown !== undefined)
        if (now.length > 0) logger.info(`the service changed ${describeTexts(now)}`)
      }
      await writeBack()
      await waiting.report()
    },
    verify,
    async close() {
      await commit()
      await base.close()
      await outbox.close()
    },
  }

  function* textsOf(catalog: Catalog) {
    for (const { messages, ...names } of catalog.parts) {
      for (const [key, text] of messages) {
        const ref = { ...names, key }
        yield { id: textId(ref), ref, text }
      }
    }
  }
}
