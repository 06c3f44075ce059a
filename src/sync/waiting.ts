/**
 * What waits for a person: conflicts, held texts and refusals, in the log and on the disk for the command line,
 * whenever it changes.
 */
import { type TextRef, textId } from '../catalog/text-id.ts'
import { formatFinding, formatPlace } from '../errors.ts'
import type { SyncContext } from './context.ts'
import { describeConflict, describeHolds, describeTexts } from './report.ts'
import { type SyncState, writeSyncState } from './state-file.ts'
import type { TextRecord } from './text-record.ts'

/** Places are looked up for so many; of more the text's name has to do. */
const MOST_PLACES = 50
const MOST_LINES = 5

export class Waiting {
  readonly #context: SyncContext
  #refused: SyncState['refused'] = []
  #savedDigest = ''
  #reportedHolds = ''
  #reportedConflicts = new Set<string>()
  #hasReportedStale = false

  constructor(context: SyncContext) {
    this.#context = context
  }

  /** Reports what changed to the log and to the disk. */
  async report(): Promise<void> {
    this.#reportHolds()
    await this.#reportConflicts()
    const { records, logger } = this.#context
    if (records.staleReads > 0 && !this.#hasReportedStale) {
      this.#hasReportedStale = true
      logger.warn(
        'the service answered with older texts than before, as a cache in front of it does: these texts are left as they are',
      )
    }
    await this.save()
  }

  /** Writes what waits to the disk. */
  async save(): Promise<void> {
    const { folder, files, records, outbox } = this.#context
    this.#refused = this.#refused.filter((one) => outbox.get(textId(one))?.parked?.kind === 'refused')
    const conflicts = Array.from(records.conflicts(), ({ ref, base = null, ours = null, theirs = null }) => {
      return { ...ref, base, ours, theirs }
    })
    const holds = Array.from(records.holds(), ({ ref, ours, hold }) => ({ ...ref, text: ours, reason: hold }))
    const digest = JSON.stringify([conflicts, holds.length, holds[0], this.#refused])
    if (digest === this.#savedDigest) return
    this.#savedDigest = digest
    const placed = conflicts.map(async (conflict, i) =>
      i < MOST_PLACES ? { ...(await files.placeOf(conflict)), ...conflict } : conflict,
    )
    const state = { version: 1, conflicts: await Promise.all(placed), holds, refused: this.#refused } as const
    await writeSyncState(folder, state).catch(() => undefined)
  }

  /** Reports a text that the service refused. */
  async refuse(ref: TextRef, reason: string): Promise<void> {
    const { files, outbox, logger } = this.#context
    const place = await files.placeOf(ref)
    const message = `the service refused ${JSON.stringify(ref.key)}: ${reason}`
    logger.error(formatFinding({ message, place, hint: 'It is sent again when it changes.' }))
    this.#refused.push({ ...place, ...ref, text: outbox.get(textId(ref))?.text ?? '', reason })
  }

  #reportHolds(): void {
    const { records, logger } = this.#context
    const holds = [...records.holds()]
    // What stood different at the start is known once the service was read.
    if (!records.hasRead && holds.every(({ hold }) => hold === 'start')) return
    const key = holds.map(({ hold }) => hold).join()
    if (key !== '' && key !== this.#reportedHolds) logger.warn(describeHolds(holds))
    this.#reportedHolds = key
  }

  async #reportConflicts(): Promise<void> {
    const { files, records, logger } = this.#context
    const conflicts = [...records.conflicts()]
    const fresh = conflicts.filter((conflict) => !this.#reportedConflicts.has(digestOf(conflict)))
    this.#reportedConflicts = new Set(conflicts.map(digestOf))
    if (fresh.length > MOST_LINES) {
      const texts = describeTexts(fresh.map(({ ref }) => ref))
      logger.warn(
        `${texts} differ from the service with no way to tell which is newer: nothing is overwritten; decide with: localization resolve --ours | --theirs`,
      )
    } else for (const one of fresh) logger.warn(describeConflict(one, formatPlace(await files.placeOf(one.ref))))
  }
}

function digestOf({ id, ours, theirs }: TextRecord): string {
  return JSON.stringify([id, ours, theirs])
}
