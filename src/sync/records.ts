/** The state of each text, derived from its three values and its entry in the outbox. */
import type { ChangedText } from '../catalog/merge.ts'
import { parseTextId, type TextRef, textId, textOrGap, textRef } from '../catalog/text-id.ts'
import type { SeenFiles, TextChange } from '../files/file-index.ts'
import { ACTIONS, type Action, baseOf, decide, type TextState, theirsOf, type Values } from './decide.ts'
import type { Outbox, OutboxEdit, OutboxEntry } from './outbox.ts'
import { PageTexts } from './page-texts.ts'
import type { BaseStore, HoldReason } from './store.ts'

type Named = Pick<OutboxEntry, 'id' | 'ref'>

/** A text that may differ between the sides. A text without a record is the same on both sides. */
export interface TextRecord extends Named, Values {
  state: TextState
  base: string | undefined
  ours: string | undefined
  theirs: string | undefined
  /** When the service's text was modified, in milliseconds since 1970; `undefined` if the service does not say. */
  modifiedAt: number | undefined
  hold: HoldReason | undefined
  /** The value of `#counter` when this text was last sent or became the base; `UNDER_WAY` during a request. */
  touched: number
}

const UNDER_WAY = 2 ** 31 - 1 // `Infinity` would need a heap object in each record.

export type HeldText = TextRecord & { readonly hold: HoldReason; readonly ours: string }

interface SettleOptions {
  /** True if the page already shows this text because the file has none. */
  readonly shown?: boolean
  /** True if the service's text has just been read, and no new text was being sent during the reading. */
  readonly fresh?: boolean
  /** True if the service reports that its text is newer than the known one. */
  readonly newer?: boolean
  readonly hold?: HoldReason | undefined
}

/** All records. Changes are made in memory; `SyncStore.commit` saves them. */
export class TextRecords {
  /** The number of times that the service returned an older version of a text, as a cache may do. */
  staleReads = 0
  /** True after the first full reading of the service. */
  hasRead = false
  readonly page = new PageTexts()
  #counter = 0
  readonly #records = new Map<string, TextRecord>()

  constructor(
    readonly files: SeenFiles,
    readonly base: BaseStore,
    readonly outbox: Outbox,
    readonly push: boolean,
  ) {}

  get(id: string): TextRecord | undefined {
    return this.#records.get(id)
  }

  ids(): Iterable<string> {
    return this.#records.keys()
  }

  /** The texts that differ between the sides, or only those that need `action`. */
  *differences(action?: Action): Generator<TextRecord> {
    for (const record of this.#records.values())
      if (action ? ACTIONS[record.state] === action : record.state !== 'equal') yield record
  }

  *holds(): Generator<HeldText> {
    for (const record of this.#records.values()) if (record.hold !== undefined) yield record as HeldText
  }

  *changedThere(): Generator<ChangedText> {
    for (const [id, ref] of this.page.changedThere()) yield { ref, text: this.theirs(id) }
  }

  theirs(id: string): string | undefined {
    const record = this.#records.get(id)
    return textOrGap(record ? record.theirs : theirsOf(this.base.common(id)))
  }

  settleAll(): void {
    const inFiles = new Set<string>()
    for (const part of this.files.seen.parts()) {
      for (const [key, text] of part.messages) {
        const name = named(textRef(part, key))
        const { id } = name
        inFiles.add(id)
        const isSettled = this.base.get(id) === textOrGap(text) && !this.#records.has(id) && !this.outbox.get(id)
        if (!isSettled) this.#settle(name)
      }
    }
    for (const entry of this.outbox.entries()) this.#settle(entry)
    for (const id of this.base.values.keys()) if (!inFiles.has(id)) this.#settle({ id, ref: parseTextId(id) })
  }

  settle(refs: Iterable<TextRef>): void {
    for (const ref of refs) this.#settle(named(ref))
  }

  mark(): number {
    return this.#counter
  }

  movedSince(id: string, mark: number): boolean {
    return (this.#records.get(id)?.touched ?? 0) > mark
  }

  /** Puts `live` changes into the outbox and holds all others. Resolves when the outbox is on disk. */
  async accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void> {
    const hold = as === 'live' ? undefined : as
    const written = hold ? undefined : this.outbox.put(changes.flatMap((change) => this.#acceptLive(change)))
    for (const { ref } of changes) this.#settle(named(ref), { hold })
    await written
  }

  /** Queues the files' texts, including held ones. Resolves to the count when the outbox is on disk. */
  queue(ids: Iterable<string> = this.#records.keys()): Promise<number> {
    const edits: OutboxEdit[] = []
    for (const id of ids) {
      const record = this.#records.get(id)
      if (!record || record.ours === undefined || ACTIONS[record.state] !== 'send' || this.outbox.get(id)) continue
      record.hold = undefined
      edits.push({ id, ref: record.ref, text: record.ours, assumedBase: undefined })
    }
    return this.outbox.put(edits)
  }

  /** Records that the user saw the service's text. The file's text is then an edit and not a conflict. */
  see(id: string): void {
    const theirs = textOrGap(this.#records.get(id)?.theirs)
    this.base.set(id, theirs)
    this.#noteEqual(id, theirs)
  }

  /** Applies a text that has just been read. Ignores the text and returns false if it is older than the known one. */
  applyRead(ref: TextRef, text: string | undefined, modifiedAt: number | undefined): TextState | false {
    return this.take(named(ref), textOrGap(text), modifiedAt, { fresh: true })
  }

  /** Applies the service's text. Ignores the text and returns false if it is older than the known one. */
  take(
    name: Named,
    theirs: string | undefined,
    modifiedAt: number | undefined,
    options: SettleOptions,
  ): TextState | false {
    const record = this.#record(name)
    const known = record.modifiedAt
    const isOther = theirs !== textOrGap(record.theirs)
    if (known !== undefined && modifiedAt !== undefined && modifiedAt < known && isOther) {
      this.staleReads++
      return false
    }
    this.#setTheirs(record, theirs, modifiedAt ?? (theirs === undefined ? undefined : known))
    const newer = modifiedAt !== undefined && modifiedAt > (known ?? Number.NEGATIVE_INFINITY)
    return this.#settle(name, { ...options, newer })
  }

  isQueued(entry: OutboxEntry): boolean {
    return this.outbox.get(entry.id) === entry && entry.parked === undefined
  }

  /** True if this entry may overwrite the service's last known text. */
  maySend(entry: OutboxEntry): boolean {
    const record = this.#records.get(entry.id)
    return this.isQueued(entry) && record !== undefined && ACTIONS[record.state] === 'send'
  }

  sending(id: string): void {
    const record = this.#records.get(id)
    if (record) record.touched = UNDER_WAY
    this.outbox.sending(id)
  }

  sent(id: string): void {
    const record = this.#records.get(id)
    if (record) record.touched = ++this.#counter
  }

  acknowledge(entry: OutboxEntry): void {
    this.#record(entry).touched = ++this.#counter
    this.outbox.remove(entry)
    this.setEqual(entry.ref, entry.text)
  }

  /** Records that both sides have this text; `undefined` means that neither has one. */
  setEqual(ref: TextRef, text: string | undefined): void {
    const name = named(ref)
    this.#setBase(name.id, text)
    this.#settle(name)
  }

  /** Applies the bases that another process wrote. Returns the texts to settle after the files are read. */
  rebase(ids: readonly string[]): readonly TextRef[] {
    return ids.map((id) => {
      const ref = parseTextId(id)
      this.#record({ id, ref }).touched = ++this.#counter
      this.#noteEqual(id, theirsOf(this.base.common(id)))
      return ref
    })
  }

  /** Records that these texts were written into the files. They become the base, even if the service has newer ones. */
  wrote(texts: Iterable<{ readonly ref: TextRef; readonly text: string | undefined }>): void {
    for (const { ref, text } of texts) {
      const id = textId(ref)
      // If another program saved the file right after this write, the user may not have seen this text.
      if (textOrGap(this.files.seen.text(ref)) === textOrGap(text)) {
        const [theirs, modifiedAt] = [this.theirs(id), this.#records.get(id)?.modifiedAt]
        this.outbox.remove(this.outbox.get(id))
        this.#setBase(id, textOrGap(text))
        this.#setTheirs(this.#record({ id, ref }), theirs, modifiedAt)
      }
      this.#settle({ id, ref })
    }
  }

  /**
   * Removes the records of texts that are equal on both sides, unless a reading that started before `mark` may still
   * arrive. Records of unreadable files stay if the service's text differs: nothing else stores that text.
   */
  forgetEqual(mark: number): void {
    for (const { id, state, theirs, touched } of this.#records.values()) {
      const isEqual = state === 'equal' && textOrGap(theirs) === this.base.get(id)
      if (isEqual && touched <= mark && !this.outbox.get(id)) this.#records.delete(id)
    }
  }

  #record({ id, ref }: Named): TextRecord {
    const known = this.#records.get(id)
    if (known) return known
    const base = this.base.get(id)
    const record: TextRecord = {
      id,
      ref,
      state: 'equal',
      base,
      ours: base,
      theirs: theirsOf(this.base.common(id)),
      modifiedAt: undefined,
      hold: undefined,
      touched: 0,
    }
    this.#records.set(id, record)
    return record
  }

  /** Computes the state of a text. An outbox entry replaces the file's text. */
  #settle(name: Named, options: SettleOptions = {}): TextState {
    const { id } = name
    const entry = this.outbox.get(id)
    if (!entry) return this.#settleFile(name, options)
    const record = this.#record(name)
    const theirs = textOrGap(record.theirs)
    const common = this.base.common(id) ?? (theirs === entry.assumedBase ? theirs : undefined)
    // If we sent this text and the response was lost, the text is ours and not a remote edit.
    const isOurOwn = theirs !== undefined && theirs !== entry.text && entry.sent.includes(theirs)
    const values = { base: baseOf(common), ours: entry.text, theirs }
    const state = checked(record, decide(isOurOwn ? theirs : common, values), options)
    if (state === 'conflict') this.base.meet(id, values)
    record.hold = undefined
    this.page.shows(name.ref, id, undefined)
    // A different text may still be in transit. Until this text is read again, seeing it on the service proves nothing.
    const isUncertain = options.fresh !== true && entry.sent.some((text) => text !== entry.text)
    if (state === 'conflict' || ACTIONS[state] === 'send' || isUncertain) {
      // Both sides now have this text, so it is the base of the next edit.
      const isTakenOver = state === 'equal'
      if (isTakenOver) this.base.set(id, entry.text)
      Object.assign(record, values, { state, base: isTakenOver ? entry.text : values.base })
      if (state === 'conflict') this.outbox.park(id, { kind: 'conflict', reason: 'both sides changed' })
      else if (entry.parked?.kind === 'conflict') this.outbox.park(id, undefined)
      return state
    }
    if (state === 'equal') this.#setBase(id, entry.text)
    this.outbox.remove(entry)
    return this.#settleFile(name, options)
  }

  #settleFile(name: Named, options: SettleOptions): TextState {
    const { id, ref } = name
    const known = this.#records.get(id)
    // The texts of an unreadable file are unknown, so its records do not change.
    if (this.files.seen.isUnknown(ref)) return known?.state ?? 'equal'
    const base = this.base.get(id)
    const ours = textOrGap(this.files.seen.text(ref))
    const theirs = this.theirs(id)
    if (!known && ours === theirs) {
      this.base.meet(id, { ours, theirs })
      return 'equal'
    }
    const record = known ?? this.#record(name)
    const state = checked(record, decide(this.base.common(id), { ours, theirs }), options)
    if (state === 'conflict' || (state === 'equal' && ours === undefined))
      this.base.meet(id, { ours, theirs }, record.ours)
    const action = ACTIONS[state]
    const hold = action === 'send' && this.push ? (options.hold ?? record.hold ?? 'start') : undefined
    // If the file was parsed again, its strings are copies. Equal texts should share one string.
    Object.assign(record, { state, base, ours: ours === base ? base : ours, theirs, hold })
    if (state === 'equal') this.#setBase(id, record.ours)
    const isFillingGap = options.shown === true && state === 'new-there'
    if (!isFillingGap) this.page.shows(ref, id, action === 'write' ? theirs : undefined)
    return state
  }

  /** Makes this text the base on both sides; `undefined` means that neither has a text. */
  #setBase(id: string, text: string | undefined): void {
    this.base.meet(id, { ours: text, theirs: text })
    this.#noteEqual(id, text)
  }

  #noteEqual(id: string, text: string | undefined): void {
    const record = this.#records.get(id)
    if (record) this.#setTheirs(Object.assign(record, { state: 'equal' }), text, undefined)
  }

  #setTheirs(record: TextRecord, text: string | undefined, modifiedAt: number | undefined): void {
    const { id, ref } = record
    if (this.hasRead && textOrGap(text) !== textOrGap(record.theirs))
      this.page.noteChange(ref, id, textOrGap(this.files.seen.text(ref)) === undefined)
    record.theirs = text
    record.modifiedAt = modifiedAt
  }

  #acceptLive({ ref, before, after }: TextChange): OutboxEdit[] {
    const id = textId(ref)
    const text = textOrGap(after)
    const entry = this.outbox.get(id)
    const isNothingNew = !entry?.sent.length && (text === this.theirs(id) || text === this.base.get(id))
    if (text === undefined || !this.push || isNothingNew) {
      this.outbox.remove(entry)
      return []
    }
    return [{ ref, text, assumedBase: this.base.get(id) === undefined ? textOrGap(before) : undefined }]
  }
}

function named(ref: TextRef): Named {
  return { id: textId(ref), ref }
}

/** A conflict ends if both sides are equal or the service has a newer text, not if a cache returns an older one. */
function checked(record: TextRecord, state: TextState, { newer = false }: SettleOptions): TextState {
  return record.state === 'conflict' && ACTIONS[state] === 'send' && !newer ? 'conflict' : state
}
