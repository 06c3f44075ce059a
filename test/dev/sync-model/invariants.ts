/**
 * What must hold in the model of sync, whatever the order. Each invariant looks at one write, one deletion, one change
 * of a file, or at one text at rest, and gives what is wrong with it.
 */
import type { SyncStatus } from '../../../src/sync/engine.ts'
import type { StaleText } from '../../../src/sync/stale.ts'
import type { FakeWrite } from './fake-service.ts'
import { type CommandName, keyOf, nameOf, type TextPlace } from './steps.ts'

/** For each text's place (language, namespace, key), every value that it had. Empty values are left out. */
class TextSets {
  readonly #sets = new Map<string, Set<string>>()

  add(id: TextPlace, text: string | undefined): void {
    const known = this.#sets.get(nameOf(id)) ?? new Set()
    this.#sets.set(nameOf(id), known)
    if (text) known.add(text)
  }

  has(id: TextPlace, text: string): boolean {
    return this.#sets.get(nameOf(id))?.has(text) ?? false
  }

  first(id: TextPlace): string | undefined {
    return [...(this.#sets.get(nameOf(id)) ?? [])].at(0)
  }
}

/** The texts that both sides had at the same time, with a scan and a reading of everything behind it. */
interface Meeting {
  readonly ours: string
  readonly theirs: string
  /** The side had no text at some time since. */
  readonly gone: { ours: boolean; theirs: boolean }
}

/** Sync reads one side after the other, so it may have seen both without a text. */
const isGone = ({ gone }: Meeting) => gone.ours && gone.theirs

/** Who wrote and who saw which text. */
export class Facts {
  readonly conditional: boolean
  /** Every text that the file ever had, and the service. */
  readonly inFile = new TextSets()
  readonly onService = new TextSets()
  /** Texts of the service while the file had one too: their conflict was reported. */
  readonly besideOurs = new TextSets()
  /** What the user typed or decided for, and what translators wrote. */
  readonly typed = new TextSets()
  readonly translated = new TextSets()
  /** What the user was shown, or decided over. */
  readonly shown = new TextSets()
  /** The user's last text of each, once a running engine has taken it in. */
  readonly accepted = new Map<string, string>()
  /** Texts that the user emptied or deleted at some time. */
  readonly emptied = new Set<string>()
  /** Texts that have a base, which a person has not decided against. */
  based = new Set<string>()
  /** By text, as long as no person decided. */
  readonly met = new Map<string, Meeting>()
  /** What each translation was written beside, on the same side, as long as nobody edits either of the two. */
  readonly beside = new Map<string, { readonly text: string; readonly source: string }>()
  /** Keys that were made in this step. */
  readonly madeKeys = new Set<string>()
  /** The command that runs. */
  command: CommandName | undefined

  constructor(conditional: boolean) {
    this.conditional = conditional
  }

  isKnownHere(id: TextPlace, text: string): boolean {
    return this.inFile.has(id, text) || this.shown.has(id, text)
  }

  /** Both sides have these texts, and sync knows it. */
  meet(id: TextPlace, ours: string, theirs: string): void {
    const known = this.met.get(nameOf(id))
    if (ours === theirs || !known || isGone(known))
      this.met.set(nameOf(id), { ours, theirs, gone: { ours: false, theirs: false } })
  }

  /** Writing this text on a side that has none now would undo a deletion. `side`: where it comes from. */
  isDeleted(id: TextPlace, text: string, side: 'ours' | 'theirs'): boolean {
    const known = this.met.get(nameOf(id))
    return known !== undefined && (!isGone(known) || known[side] === text)
  }

  /** Somebody wrote while our request was under way, which only a condition could have noticed. */
  isInFlight({ before, read, isFresh }: FakeWrite): boolean {
    return !this.conditional && isFresh && (read || undefined) !== (before || undefined)
  }
}

type Check<Input> = (input: Input, facts: Facts) => string | undefined | false

const WRITES: Readonly<Record<string, Check<FakeWrite>>> = {
  empties: ({ text }) => text === '' && 'with nothing',
  'was not read just before': ({ isFresh, before, text }, { conditional }) =>
    !conditional && !isFresh && `${before} by ${text}`,
  'is sent twice': (write, facts) => !facts.isInFlight(write) && write.text === write.before && write.text,
  'is overwritten unseen': (write, facts) => {
    const { id, before, read, text } = write
    const isDecided = facts.command === 'ours' && read === before
    const isSeen = !before || facts.isKnownHere(id, before) || isDecided
    return !facts.isInFlight(write) && !isSeen && `${before} by ${text}`
  },
  'is an echo of the service': ({ id, text }, { typed }) => !typed.has(id, text) && text,
  // An import makes the keys of its texts: without conditions it cannot notice one that was deleted while it was sent.
  'is brought back, though the service deleted it': (write, facts) => {
    const { id, before } = write
    const isMade = before === undefined && facts.madeKeys.has(keyOf(id)) && !facts.isInFlight(write)
    return isMade && facts.based.has(nameOf(id)) && 'a key was made'
  },
  'is sent, though the service deleted it': (write, facts) => {
    const isNew = !write.before && !facts.isInFlight(write) && write.text !== ''
    return isNew && facts.isDeleted(write.id, write.text, 'ours') && write.text
  },
}

const DELETIONS: Readonly<Record<string, Check<FakeWrite & { readonly ours: string | undefined }>>> = {
  'is deleted, though nobody asked': (_, { command }) => command !== 'prune' && `by ${command}`,
  'was not read just before its deletion': ({ isFresh, before }) => !isFresh && `it was ${before}`,
  'is deleted unseen': ({ id, before, read, isFresh }, { inFile, besideOurs, shown }) => {
    const isSeen = !before || [inFile, besideOurs, shown].some((texts) => texts.has(id, before))
    return isFresh && read === before && !isSeen && before
  },
  'is deleted, though it is in its file': ({ ours }) => ours,
}

/** A change of a file that the user did not make. */
interface FileChange {
  readonly id: TextPlace
  readonly before: string | undefined
  readonly now: string | undefined
}

const isFileDecision = ({ command }: Facts) => command === 'theirs' || command === 'ask'
const FILE_CHANGES: Readonly<Record<string, Check<FileChange>>> = {
  'is deleted from its file': ({ now, before }, facts) => !now && !isFileDecision(facts) && `it was ${before}`,
  'comes back, though the user deleted it': ({ id, before, now }, facts) =>
    !before && now && !isFileDecision(facts) && facts.isDeleted(id, now, 'theirs') && now,
  'got a text that the service never had': ({ id, now }, { onService }) => now && !onService.has(id, now) && now,
  'is overwritten in its file': ({ id, before, now }, facts) =>
    before && !facts.onService.has(id, before) && !isFileDecision(facts) && `${before} by ${now}`,
}

/** One text when everybody has gone home. */
interface TextAtRest {
  readonly id: TextPlace
  readonly ours: string | undefined
  readonly theirs: string | undefined
  readonly status: SyncStatus
  /** What the page shows instead of the file's text. */
  readonly shown: string | undefined
  readonly stale: StaleText | undefined
  /** The id of the default language's text, and that text in the file. */
  readonly source: { readonly id: TextPlace; readonly text: string | undefined }
  /** Texts of the service are written into files. */
  readonly writes: boolean
}

const conflictOf = ({ id, status }: TextAtRest) => status.conflicts.find(({ ref }) => nameOf(ref) === nameOf(id))
const holdOf = ({ id, status }: TextAtRest) => status.holds.find(({ ref }) => nameOf(ref) === nameOf(id))

const REST: Readonly<Record<string, Check<TextAtRest>>> = {
  'waits in the outbox': ({ id, status }) =>
    status.outbox.find(({ ref, parked }) => nameOf(ref) === nameOf(id) && parked?.kind !== 'conflict')?.text,
  'shows other sides of its conflict than there are': (text) => {
    const conflict = conflictOf(text)
    if (!conflict) return false
    const isQueued = text.status.outbox.some((entry) => entry.text === conflict.ours)
    const isOurs = conflict.ours === text.ours || holdOf(text) !== undefined || isQueued
    return (!isOurs || conflict.theirs !== text.theirs) && `${conflict.ours} and ${conflict.theirs}`
  },
  // An edit that was withdrawn after it may have been sent is forgotten: what became of it shows as a conflict.
  'is in conflict with a text of its own': (text, { emptied, translated }) => {
    const { theirs } = conflictOf(text) ?? {}
    return theirs && !emptied.has(nameOf(text.id)) && !translated.has(text.id, theirs) && theirs
  },
  'is held though equal': (text) => text.ours === text.theirs && holdOf(text)?.text,
  'is held though its edit was accepted': (text, { accepted }) =>
    text.ours !== text.theirs && holdOf(text) && accepted.get(nameOf(text.id)),
  // Deletions stay where they are; only a text that neither side ever lost may not be missing.
  'never arrived': (text, { onService }) =>
    !text.theirs && !isNamed(text) && onService.first(text.id) === undefined && text.ours,
  'differs, and nothing says so': (text) => {
    const { ours, theirs, shown, writes } = text
    const differs = ours !== undefined && theirs !== undefined && ours !== theirs && !isNamed(text)
    return differs && (writes || shown !== theirs) && `${ours} and ${theirs}, shown ${shown}`
  },
}

const STALE: Readonly<Record<string, Check<TextAtRest>>> = {
  'is stale, though a side has another text': ({ stale, ours, theirs }) =>
    stale && (stale.text !== ours || (theirs ?? ours) !== ours) && `${stale.text}, not ${ours} and ${theirs}`,
  'is stale beside another source than the file has': ({ stale, source }) =>
    stale && stale.source !== source.text && stale.source,
  'is stale, made from a text that the source never was': ({ stale, source: { id } }, { inFile, onService }) =>
    stale && !inFile.has(id, stale.madeFrom) && !onService.has(id, stale.madeFrom) && stale.madeFrom,
  'is stale, though it was written beside this very source': ({ id, stale }, { beside }) => {
    const written = beside.get(nameOf(id))
    return written?.text === stale?.text && written?.source === stale?.source && stale?.source
  },
}

function isNamed(text: TextAtRest): boolean {
  return conflictOf(text) !== undefined || holdOf(text) !== undefined
}

export const INVARIANTS = { WRITES, DELETIONS, FILE_CHANGES, REST, STALE }

/** What does not hold, one line for each invariant. */
export function violations<Input extends { readonly id: TextPlace }>(
  invariants: Readonly<Record<string, Check<Input>>>,
  input: Input,
  facts: Facts,
): string[] {
  return Object.entries(invariants).flatMap(([what, check]) => {
    const found = check(input, facts)
    return found ? [`${nameOf(input.id)} ${what}: ${found}`] : []
  })
}
