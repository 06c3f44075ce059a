/** Reports the texts that wait for a person when they change: in the log, and on the disk for the command line. */
import { showText, type TextRef } from '../catalog/text-id.ts'
import { formatFinding, formatPlace } from '../errors.ts'
import { describeTexts, type SyncProject } from './project.ts'
import type { HeldText, TextRecord } from './records.ts'
import type { HoldReason } from './store.ts'

const MOST_LINES = 5
const HOW_TO_DECIDE = 'Nothing is overwritten; decide with: localization resolve --ours | --theirs'

export class Waiting {
  #reportedHolds = ''
  #reportedConflicts = new Set<string>()
  #hasReportedStale = false

  constructor(private readonly project: SyncProject) {}

  async report(): Promise<void> {
    this.#reportHolds()
    await this.#reportConflicts()
    const { records, logger } = this.project
    if (records.staleReads > 0 && !this.#hasReportedStale) {
      this.#hasReportedStale = true
      logger.warn(
        'the service answered with older texts than before, as a cache does: these texts are left as they are',
      )
    }
    await this.project.store.hold(records.holds())
  }

  async refuse(ref: TextRef, reason: string): Promise<void> {
    const { files, logger } = this.project
    const place = await files.index.placeOf(ref)
    const message = `the service refused ${JSON.stringify(ref.key)}: ${reason}`
    logger.error(formatFinding({ message, place, hint: 'It is sent again when it changes.' }))
  }

  #reportHolds(): void {
    const { records, logger } = this.project
    const holds = [...records.holds()]
    // The texts that already differ are known after the first reading of the service.
    if (!records.hasRead && holds.every(({ hold }) => hold === 'start')) return
    const key = holds.map(({ hold }) => hold).join()
    if (key !== '' && key !== this.#reportedHolds) logger.warn(describeHolds(holds))
    this.#reportedHolds = key
  }

  async #reportConflicts(): Promise<void> {
    const { files, records, logger } = this.project
    const conflicts = [...records.differences('ask')]
    const fresh = conflicts.filter((conflict) => !this.#reportedConflicts.has(digestOf(conflict)))
    this.#reportedConflicts = new Set(conflicts.map(digestOf))
    if (fresh.length > MOST_LINES) {
      const texts = describeTexts(fresh.map(({ ref }) => ref))
      logger.warn(`${texts} differ from the service with no way to tell which is newer. ${HOW_TO_DECIDE}`)
    } else for (const one of fresh) logger.warn(describeConflict(one, formatPlace(await files.index.placeOf(one.ref))))
  }
}

function digestOf({ id, ours, theirs }: TextRecord): string {
  return JSON.stringify([id, ours, theirs])
}

const WHY: Record<HoldReason, string> = {
  start: 'already different when the server started',
  batch: 'more at once than push.holdAbove',
  git: 'written by git (checkout, merge, pull, reset, rebase, stash)',
}

function describeHolds(holds: readonly HeldText[]): string {
  const reasons = [...new Set(holds.map(({ hold }) => WHY[hold]))].join('; ')
  return `held, not pushed: ${describeTexts(holds.map(({ ref }) => ref))}, ${reasons}. To send them: localization push`
}

function describeConflict({ ref, base, ours, theirs }: TextRecord, where: string): string {
  const show = (text: string | undefined) => (text === undefined ? 'nothing' : shorten(JSON.stringify(text)))
  const sides = `base ${show(base)}, file ${show(ours)}, service ${show(theirs)}`
  return `${where}: conflict over ${showText(ref)}: ${sides}. ${HOW_TO_DECIDE}`
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}..."` : text
}
