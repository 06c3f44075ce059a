/**
 * What waits for a person, reported when it changes: conflicts, held texts and refusals, in the log and on the disk for
 * the command line.
 */
import { type TextRef, textId } from '../catalog/text-id.ts'
import { formatFinding, formatPlace, type Place } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from './outbox.ts'
import type { TextRecords } from './records.ts'
import { describeConflict, describeHolds, describeTexts } from './report.ts'
import { type SyncState, writeSyncState } from './state-file.ts'
import type { TextRecord } from './text-record.ts'

export interface WaitingOptions {
  readonly folder: string
  readonly files: FileIndex
  readonly records: TextRecords
  readonly outbox: Outbox
  readonly logger: Logger
}

/** Places are looked up for so many; of more the text's name has to do. */
const MOST_PLACES = 50
const MOST_LINES = 5

export class Waiting {
  readonly #options: WaitingOptions
  #refused: SyncState['refused'] = []
  #savedDigest = ''
  #reportedHolds = ''
  #reportedConflicts = new Set<string>()
  #hasReportedStale = false

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  /** Reports conflicts and held texts to the log and to the disk, where they changed. */
  async report(): Promise<void> {
    const { files, records, logger } = this.#options
    const holds = [...records.holds()]
    const key = holds.length === 0 ? '' : `${holds.length} ${holds.map(({ hold }) => hold).join()}`
    if (records.hasRead || holds.some(({ hold }) => hold !== 'start')) {
      if (key !== '' && key !== this.#reportedHolds) logger.warn(describeHolds(holds))
      this.#reportedHolds = key
    }
    const conflicts = [...records.conflicts()]
    const fresh = conflicts.filter((conflict) => !this.#reportedConflicts.has(digestOf(conflict)))
    this.#reportedConflicts = new Set(conflicts.map(digestOf))
    if (fresh.length > MOST_LINES) {
      const texts = describeTexts(fresh.map(({ ref }) => ref))
      logger.warn(
        `${texts} differ from the service with no way to tell which is newer: nothing is overwritten; decide with: localization resolve --ours | --theirs`,
      )
    } else for (const one of fresh) logger.warn(describeConflict(one, formatPlace(await files.placeOf(one.ref))))
    if (records.staleReads > 0 && !this.#hasReportedStale) {
      this.#hasReportedStale = true
      logger.warn(
        'the service answered with older texts than before, as a cache in front of it does: these texts are left as they are',
      )
    }
    await this.save()
  }

  /** Puts what waits on the disk. Without places, where nobody can go to them. */
  async save(): Promise<void> {
    const { folder, files, records, outbox } = this.#options
    this.#refused = this.#refused.filter((one) => outbox.get(textId(one))?.parked?.kind === 'refused')
    const conflicts = Array.from(records.conflicts(), ({ ref, base = null, ours = null, theirs = null }) => ({
      ...ref,
      base,
      ours,
      theirs,
    }))
    const holds = Array.from(records.holds(), ({ ref, ours, hold }) => ({ ...ref, text: ours, reason: hold }))
    const digest = JSON.stringify([conflicts, holds.length, holds[0], this.#refused])
    if (digest === this.#savedDigest) return
    this.#savedDigest = digest
    const placed = conflicts.map(async (conflict, i) =>
      i < MOST_PLACES ? { ...conflict, ...placeIn(await files.placeOf(conflict)) } : conflict,
    )
    const state = { version: 1, conflicts: await Promise.all(placed), holds, refused: this.#refused } as const
    await writeSyncState(folder, state).catch(() => undefined)
  }

  /** Reports a text that the service refused. */
  async refuse(ref: TextRef, reason: string): Promise<void> {
    const { files, outbox, logger } = this.#options
    const place = await files.placeOf(ref)
    const message = `the service refused ${JSON.stringify(ref.key)}: ${reason}`
    logger.error(formatFinding({ message, place, hint: 'It is sent again when it changes.' }))
    this.#refused.push({ ...ref, ...placeIn(place), text: outbox.get(textId(ref))?.text ?? '', reason })
  }
}

function digestOf({ id, ours, theirs }: TextRecord): string {
  return JSON.stringify([id, ours, theirs])
}

function placeIn({ file, line, column }: Place) {
  return {
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  }
}
