/**
 * What waits for a person: conflicts, held texts and refusals, in the log and on the disk for the command line,
 * whenever it changes.
 */
import type { TextRef } from '../catalog/text-id.ts'
import { formatFinding, formatPlace } from '../errors.ts'
import type { SyncContext } from './context.ts'
import { describeConflict, describeHolds, describeTexts } from './report.ts'
import { writeSyncState } from './state-file.ts'
import type { TextRecord } from './text-record.ts'

/** Places are looked up for so many; of more the text's name has to do. */
const MOST_PLACES = 50
const MOST_LINES = 5

export class Waiting {
  readonly #context: SyncContext
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
    const conflicts = Array.from(records.conflicts(), ({ ref, base = null, ours = null, theirs = null }) => {
      return { ...ref, base, ours, theirs }
    })
    const holds = Array.from(records.holds(), ({ ref, ours, hold }) => ({ ...ref, text: ours, reason: hold }))
    const refused = outbox.entries().flatMap(({ ref, text, parked }) => {
      return parked?.kind === 'refused' ? [{ ...ref, text, reason: parked.reason }] : []
    })
    const digest = JSON.stringify([conflicts, holds.length, holds[0], refused])
    if (digest === this.#savedDigest) return
    this.#savedDigest = digest
    const withPlaces = <Ref extends TextRef>(texts: readonly Ref[]) =>
      Promise.all(texts.map(async (text, i) => (i < MOST_PLACES ? { ...(await files.placeOf(text)), ...text } : text)))
    const placed = { conflicts: await withPlaces(conflicts), refused: await withPlaces(refused) }
    await writeSyncState(folder, { version: 1, holds, ...placed }).catch(() => undefined)
  }

  /** Reports a text that the service refused. */
  async refuse(ref: TextRef, reason: string): Promise<void> {
    const { files, logger } = this.#context
    const place = await files.placeOf(ref)
    const message = `the service refused ${JSON.stringify(ref.key)}: ${reason}`
    logger.error(formatFinding({ message, place, hint: 'It is sent again when it changes.' }))
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
