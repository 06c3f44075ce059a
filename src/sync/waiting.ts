/** What waits for a person, told where it changes: conflicts, held texts and refusals, in the log and on the disk for the command line. */
import { type TextRef, textId } from '../catalog/text-id.ts'
import { formatFinding, formatPlace, type Place } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from './outbox.ts'
import type { TextRecord, TextRecords } from './records.ts'
import { describeConflict, describeHolds, describeTexts } from './report.ts'
import { type SyncState, writeSyncState } from './state-file.ts'

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

export function createWaiting({ folder, files, records, outbox, logger }: WaitingOptions) {
  let refused: SyncState['refused'] = []
  let savedDigest = ''
  let toldHolds = ''
  let staleReads = 0
  let toldConflicts = new Set<string>()

  const tell = async (conflicts: readonly TextRecord[]) => {
    const holds = [...records.holds()]
    const key = holds.length === 0 ? '' : `${holds.length} ${holds.map(({ hold }) => hold).join()}`
    if (records.hasRead || holds.some(({ hold }) => hold !== 'start')) {
      if (key !== '' && key !== toldHolds) logger.warn(describeHolds(holds))
      toldHolds = key
    }
    const fresh = conflicts.filter((conflict) => !toldConflicts.has(digestOf(conflict)))
    toldConflicts = new Set(conflicts.map(digestOf))
    if (fresh.length > MOST_LINES) {
      const texts = describeTexts(fresh.map(({ ref }) => ref))
      logger.warn(
        `${texts} differ from the service with no way to tell which is newer: nothing is overwritten; decide with: localization resolve --ours | --theirs`,
      )
    } else for (const one of fresh) logger.warn(describeConflict(one, formatPlace(await files.placeOf(one.ref))))
    if (records.staleReads > 0 && staleReads === 0) {
      logger.warn(
        'the service answered with older texts than before, as a cache in front of it does: these texts are left as they are',
      )
    }
    staleReads = records.staleReads
  }

  /** Puts it on the disk. Without places, where nobody can go to them. */
  const save = async (): Promise<void> => {
    refused = refused.filter((one) => outbox.get(textId(one))?.parked?.kind === 'refused')
    const conflicts = [...records.conflicts()]
    const holds = [...records.holds()]
    const digest = JSON.stringify([
      conflicts.map(({ ref, base, ours, theirs }) => [ref, base, ours, theirs]),
      holds.length,
      holds[0]?.ref,
      holds[0]?.ours,
      refused,
    ])
    if (digest === savedDigest) return
    savedDigest = digest
    const state: SyncState = {
      version: 1,
      conflicts: await Promise.all(
        conflicts.map(async ({ ref, base, ours, theirs }, i) => ({
          ...ref,
          ...(i < MOST_PLACES && placeIn(await files.placeOf(ref))),
          base: base ?? null,
          ours: ours ?? null,
          theirs: theirs ?? null,
        })),
      ),
      holds: holds.map(({ ref, ours, hold }) => ({ ...ref, text: ours, reason: hold })),
      refused,
    }
    await writeSyncState(folder, state).catch(() => undefined)
  }

  return {
    save,
    async report(): Promise<void> {
      await tell([...records.conflicts()])
      await save()
    },
    async refuse(ref: TextRef, reason: string): Promise<void> {
      const place = await files.placeOf(ref)
      const message = `the service refused ${JSON.stringify(ref.key)}: ${reason}`
      logger.error(formatFinding({ message, place, hint: 'It is sent again when it changes.' }))
      refused.push({ ...ref, ...placeIn(place), text: outbox.get(textId(ref))?.text ?? '', reason })
    },
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
