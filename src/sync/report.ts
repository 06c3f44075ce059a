/** Reports texts that need the user's decision: in the log, and on disk for the command line. */
import { showText, type TextRef } from '../catalog/text-id.ts'
import { formatFinding, formatPlace } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { count } from '../shared/figures.ts'
import type { HeldText, TextRecord, TextRecords } from './records.ts'
import type { HoldReason, SyncStore } from './store.ts'

const MAX_LINES = 5
const HOW_TO_DECIDE = 'Nothing is overwritten; decide with: localization resolve'
const WHY: Record<HoldReason, string> = {
  start: 'already different when the server started',
  batch: 'more texts than push.holdAbove',
  git: 'written by git (checkout, merge, pull, reset, rebase, stash)',
}

export class SyncReport {
  #holds = ''
  #conflicts: ReadonlySet<string> = new Set()
  #hasReportedStale = false

  constructor(
    private readonly records: TextRecords,
    private readonly store: SyncStore,
    private readonly logger: Logger,
  ) {}

  async update(): Promise<void> {
    const { records, store, logger } = this
    this.#reportHolds()
    await this.#reportConflicts()
    if (records.staleReads > 0 && !this.#hasReportedStale) {
      this.#hasReportedStale = true
      logger.warn('the service returned older texts than before, probably from a cache: they are ignored')
    }
    await store.hold(records.holds())
  }

  async refuse(ref: TextRef, reason: string): Promise<void> {
    const place = await this.records.files.index.placeOf(ref)
    const message = `the service refused ${JSON.stringify(ref.key)}: ${reason}`
    this.logger.error(formatFinding({ message, place, hint: 'The text will be sent again when it changes.' }))
  }

  #reportHolds(): void {
    const { records, logger } = this
    const holds = [...records.holds()]
    // Before the first reading of the service, it is unknown which texts differ.
    if (!records.hasRead && holds.every(({ hold }) => hold === 'start')) return
    const key = holds.map(({ hold }) => hold).join()
    if (key !== '' && key !== this.#holds) logger.warn(describeHolds(holds))
    this.#holds = key
  }

  async #reportConflicts(): Promise<void> {
    const { records, logger } = this
    const digestOf = ({ id, ours, theirs }: TextRecord) => JSON.stringify([id, ours, theirs])
    const conflicts = [...records.differences('ask')]
    const fresh = conflicts.filter((conflict) => !this.#conflicts.has(digestOf(conflict)))
    this.#conflicts = new Set(conflicts.map(digestOf))
    if (fresh.length > MAX_LINES) {
      const texts = describeTexts(fresh.map(({ ref }) => ref))
      logger.warn(`${texts} differ from the service, and it is unknown which side is newer. ${HOW_TO_DECIDE}`)
    } else
      for (const one of fresh)
        logger.warn(describeConflict(one, formatPlace(await records.files.index.placeOf(one.ref))))
  }
}

function describeHolds(holds: readonly HeldText[]): string {
  const reasons = [...new Set(holds.map(({ hold }) => WHY[hold]))].join('; ')
  return `held, not pushed: ${describeTexts(holds.map(({ ref }) => ref))}, ${reasons}. To send them: localization push`
}

function describeConflict({ ref, base, ours, theirs }: TextRecord, where: string): string {
  const show = (text: string | undefined) => (text === undefined ? 'nothing' : shorten(JSON.stringify(text)))
  const sides = `base ${show(base)}, file ${show(ours)}, service ${show(theirs)}`
  return `${where}: conflict in ${showText(ref)}: ${sides}. ${HOW_TO_DECIDE}`
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/**
 * The number of texts and their files, such as `3 texts (en/common, pl/common)`. Of more than three files, only two are
 * named.
 */
export function describeTexts(refs: readonly TextRef[]): string {
  const parts = [...new Set(refs.map(({ language, namespace }) => `${language}/${namespace}`))].sort()
  const where = parts.length > 3 ? `${parts.slice(0, 2).join(', ')} and ${parts.length - 2} more` : parts.join(', ')
  return `${count(refs.length, 'text')} (${where})`
}
