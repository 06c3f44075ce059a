/** The half of sync that only one process of a project may do: base, outbox, calls to the service, and the service's texts into files. */

import type { Clock } from '../api/clock.ts'
import type { Catalog } from '../catalog/model.ts'
import { type PartRef, partId, type TextRef, textId } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatFinding, formatPlace, messageOf } from '../errors.ts'
import type { FileIndex, TextChange } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import { sweepTemporaries } from '../shared/atomic-write.ts'
import { count } from '../shared/figures.ts'
import { type KnownAgreement, readAgreed, removeAgreed, sweepAgreed } from './agreed.ts'
import { type BaseStore, createBaseStore } from './base.ts'
import { failureOf } from './failure.ts'
import { createLedger } from './ledger.ts'
import type { Conflict, Hold, HoldReason, Ledger, ServiceText } from './ledger-types.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createPusher } from './push.ts'
import { createRemote, type RemoteText, type SyncClient } from './remote.ts'
import { describeConflict, describeHolds, describeTexts } from './report.ts'
import { type SyncState, syncFolder, writeSyncState } from './state-file.ts'

export interface Writer {
  readonly ledger: Ledger
  readonly outbox: Outbox
  /** What the disk keeps, and what stands different now. */
  open(remote: Catalog | undefined): Promise<void>
  /** Takes in what a scan found, while nobody else scans. */
  accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void>
  /** What a command agreed on, by its name; nothing where the command has ended since, or it cannot be used. */
  readAgreed(name: string): Promise<readonly KnownAgreement[]>
  /** Looks at these texts again, and puts what came of it on the disk. */
  settle(refs: readonly TextRef[]): Promise<void>
  /** Accepts what is held for sending; without names, all of it. */
  release(refs: readonly TextRef[] | undefined): Promise<number>
  /** Decides a conflict for the file's text, as long as both sides are what the person saw. */
  keepOurs(ref: TextRef, seen: SeenSides): Promise<boolean>
  serviceText(ref: TextRef): ServiceSide
  /** Puts service texts that are to be in files there. */
  writeBack(): Promise<void>
  /** One go at the outbox. The error after which it is to be tried later, if there was one. */
  push(signal: AbortSignal): Promise<unknown>
  /** Asks the service what changed; `whole`: reads everything. */
  pull(signal: AbortSignal, whole: boolean): Promise<void>
  /** How long the service is to be left alone from now, because all that it can give is everything. 0: it tells what changed. */
  readonly restMs: number
  /** After a long sleep, or anything else that may have gone on without this process. */
  verify(): Promise<void>
  /** Conflicts, holds and refusals to the log and to the disk, where they changed. */
  report(): Promise<void>
  close(): Promise<void>
}

export interface SeenSides {
  readonly ours: string
  readonly theirs: string | undefined
}

export interface ServiceSide {
  /** As far as the service was read; a gap is `undefined`. */
  readonly text: string | undefined
  /** `undefined`: nobody has asked yet. */
  readonly isReviewed: boolean | undefined
}

export interface WriterOptions {
  readonly config: ResolvedConfig
  readonly files: FileIndex
  readonly client: SyncClient
  readonly clock: Clock
  readonly logger: Logger
  /** Files are scanned and written by one at a time. */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>
  /** The page is to show these texts otherwise. */
  readonly onShown: (refs: readonly TextRef[]) => void
  /** A file is not what was scanned last. */
  readonly onStale: () => void
}

/** A reading of what changed may miss a deletion, or an edit by a clock that went back: so often everything is read. */
const WHOLE_EVERY = 20
/** The most that readings of everything may take of the service: one request a second. */
const REQUEST_MS = 1_000
/** Places are looked up for so many; of more the text's name has to do. */
const MOST_PLACES = 50

export function createWriter(options: WriterOptions): Writer {
  const { config, files, client, clock, logger, exclusive, onShown, onStale } = options
  const folder = syncFolder(config)
  let troubles = 0
  const onTrouble = (error: unknown) => {
    if (error === undefined) troubles--
    else if (troubles++ === 0) {
      logger.warn(
        `cannot write to ${folder}: ${messageOf(error)}. Edits are sent all the same; what is not sent when the server ends is not remembered`,
      )
    }
  }
  const base: BaseStore = createBaseStore({ folder, onTrouble })
  const outbox = createOutbox({ folder, onTrouble })
  const ledger = createLedger({ files, base, outbox, push: config.push !== false })
  const remote = createRemote(client, config)
  const pusher = createPusher({ config, ledger, outbox, remote, clock, sizeOf: files.size })
  const unwritable = new Map<string, string>()
  /** The review status of the texts the last readings brought. */
  const reviews = new Map<string, boolean>()
  let readings = 0
  /** From then on everything may be read again. */
  let wholeFrom = Number.NEGATIVE_INFINITY
  let tellsChanges = true
  let refused: SyncState['refused'] = []
  const reported = { holds: '', state: '' }
  const toldConflicts = new Set<string>()

  const commit = async () => {
    const shown = await ledger.commit()
    if (shown.length > 0) onShown(shown)
  }

  /** Puts service texts into their files. What the disk or the file refuses stays in the page only. */
  const writeBack = async () => {
    if (config.pull === false || !config.pull.write) return
    const written: ServiceText[] = []
    await exclusive(async () => {
      const byPart = new Map<string, { part: PartRef; texts: Map<string, string> }>()
      for (const { ref, text } of ledger.writable()) {
        if (unwritable.get(textId(ref)) === text) continue
        const { key, ...part } = ref
        const group = byPart.get(partId(part)) ?? { part, texts: new Map<string, string>() }
        group.texts.set(key, text)
        byPart.set(partId(part), group)
      }
      for (const { part, texts } of byPart.values()) {
        const refs = [...texts.keys()].map((key) => ({ ...part, key }))
        // A reading that came in while another file was written.
        for (const ref of refs) {
          if (ledger.overlay.get(textId(ref))?.text !== texts.get(ref.key)) texts.delete(ref.key)
        }
        if (texts.size === 0) continue
        try {
          const outcome = await files.write(part, texts)
          if (outcome === 'written') for (const [key, text] of texts) written.push({ ref: { ...part, key }, text })
          else if (outcome === 'changed') onStale()
        } catch (error) {
          for (const [key, text] of texts) unwritable.set(textId({ ...part, key }), text)
          logger.warn(`${describeTexts(refs)} of the service stay out of the file: ${messageOf(error)}`)
        }
      }
      ledger.wrote(written)
      await commit()
    })
    if (written.length > 0) logger.info(`pulled into files: ${describeTexts(written.map(({ ref }) => ref))}`)
  }

  const noteReviews = (texts: readonly RemoteText[]) => {
    for (const { id, reviewStatus } of texts) {
      if (reviewStatus !== undefined) reviews.set(id, reviewStatus === 'REVIEWED')
    }
  }

  const report = async () => {
    const holds = [...ledger.holds.values()]
    const key = holds.length === 0 ? '' : `${holds.length} ${holds.map(({ reason }) => reason).join()}`
    if (ledger.hasRead || holds.some(({ reason }) => reason !== 'start')) {
      if (key !== '' && key !== reported.holds) logger.warn(describeHolds(holds))
      reported.holds = key
    }
    const conflicts = [...ledger.conflicts.values()]
    const fresh = conflicts.filter((conflict) => !toldConflicts.has(conflictKey(conflict)))
    toldConflicts.clear()
    for (const conflict of conflicts) toldConflicts.add(conflictKey(conflict))
    if (fresh.length > 5) {
      logger.warn(
        `${describeTexts(fresh.map(({ ref }) => ref))} differ from the service with no way to tell which is newer: nothing is overwritten; decide with: localization resolve --ours | --theirs`,
      )
    } else for (const one of fresh) logger.warn(describeConflict(one, formatPlace(await files.placeOf(one.ref))))
    await save(conflicts, holds)
  }

  const save = async (conflicts: readonly Conflict[], holds: readonly Hold[]) => {
    const here = refused.filter((one) => outbox.get(textId(one))?.parked?.kind === 'refused')
    refused = here
    const digest = JSON.stringify([conflicts, holds.length, holds[0], here])
    if (digest === reported.state) return
    reported.state = digest
    const state: SyncState = {
      version: 1,
      conflicts: await Promise.all(
        conflicts.map(async ({ ref, base: agreed, ours, theirs }, i) => ({
          ...ref,
          ...(i < MOST_PLACES && placeIn(await files.placeOf(ref))),
          base: agreed ?? null,
          ours,
          theirs: theirs ?? null,
        })),
      ),
      holds: holds.map(({ ref, text, reason }) => ({ ...ref, text, reason })),
      refused: here,
    }
    await writeSyncState(folder, state).catch(() => undefined)
  }

  const verify = async () => {
    for (const text of [await base.verify(), await outbox.verify()]) if (text !== undefined) logger.warn(text)
  }

  return {
    ledger,
    outbox,
    report,
    writeBack,
    get restMs() {
      return tellsChanges ? 0 : Math.max(0, wholeFrom - clock.now())
    },
    async open(known) {
      await sweepTemporaries(folder)
      await sweepAgreed(folder)
      const [baseProblem, { problem }] = [await base.load(), await outbox.load()]
      for (const text of [baseProblem, problem]) if (text !== undefined) logger.warn(text)
      if (outbox.size > 0) logger.info(`${count(outbox.size, 'text')} from the last run wait to be sent`)
      if (known) ledger.applyReading({ texts: textsOf(known), complete: true, mark: ledger.mark(), shown: true })
      else ledger.settleAll()
      await commit()
    },
    async accept(changes, as) {
      await ledger.accept(changes, as)
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
      ledger.settle(refs)
      await commit()
    },
    async release(refs) {
      const released = await ledger.release(refs?.map(textId))
      await commit()
      return released
    },
    async keepOurs(ref, seen) {
      const conflict = ledger.conflicts.get(textId(ref))
      if (!conflict || conflict.ours !== seen.ours || conflict.theirs !== seen.theirs) return false
      const kept = await ledger.keepOurs(textId(ref))
      await commit()
      return kept
    },
    serviceText(ref) {
      const id = textId(ref)
      return { text: ledger.theirs(id), isReviewed: reviews.get(id) }
    },
    async push(signal) {
      const startedAt = clock.now()
      const { sent, refused: no, failure } = await pusher.round(signal)
      await commit()
      for (const ref of sent) reviews.delete(textId(ref))
      if (sent.length > 0) {
        logger.info(`pushed ${describeTexts(sent)} in ${((clock.now() - startedAt) / 1000).toFixed(1)} s`)
      }
      for (const { ref, reason } of no) {
        const place = await files.placeOf(ref)
        logger.error(
          formatFinding({
            message: `the service refused ${JSON.stringify(ref.key)}: ${reason}`,
            place,
            hint: 'It is sent again when it changes.',
          }),
        )
        refused.push({ ...ref, ...placeIn(place), text: outbox.get(textId(ref))?.text ?? '', reason })
      }
      await report()
      return failure !== undefined && failureOf(failure) === 'ended' ? undefined : failure
    },
    async pull(signal, whole) {
      const mark = ledger.mark()
      const mayReadAll = clock.now() >= wholeFrom
      const isWhole = whole || !ledger.hasRead || (mayReadAll && readings >= WHOLE_EVERY - 1)
      const changes = isWhole ? undefined : await remote.readChanges(signal)
      tellsChanges = isWhole || changes !== undefined
      if (!changes && !isWhole && !mayReadAll) return
      const first = !ledger.hasRead
      noteReviews(changes ?? [])
      let complete = true
      if (changes) complete = ledger.applyReading({ texts: changes, complete: false, mark })
      else {
        const all = await remote.readAll(signal)
        wholeFrom = clock.now() + all.requests * REQUEST_MS
        readings = -1
        reviews.clear()
        noteReviews(all.texts)
        complete = ledger.applyReading({ texts: all.texts, complete: true, mark, shown: first })
      }
      // A reading that met texts on their way is taken up again from the start.
      readings = complete ? readings + 1 : WHOLE_EVERY - 1
      const shown = await ledger.commit()
      if (shown.length > 0) {
        onShown(shown)
        const now = shown.filter((ref) => ledger.overlay.has(textId(ref)))
        if (now.length > 0) logger.info(`the service changed ${describeTexts(now)}`)
      }
      await writeBack()
      await report()
    },
    verify,
    async close() {
      await commit()
      await base.close()
      await outbox.close()
      await client.close()
    },
  }
}

function* textsOf(catalog: Catalog) {
  for (const { messages, ...names } of catalog.parts) {
    for (const [key, text] of messages) {
      const ref = { ...names, key }
      yield { id: textId(ref), ref, text }
    }
  }
}

function conflictKey({ ref, ours, theirs }: Conflict): string {
  return JSON.stringify([textId(ref), ours, theirs])
}

function placeIn({
  file,
  line,
  column,
}: {
  file?: string | undefined
  line?: number | undefined
  column?: number | undefined
}) {
  return {
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  }
}
