/** The records: a text's state follows from its three values and from what waits to be sent. */
import type { ChangedText } from '../catalog/merge.ts'
import { createTextIds, parseTextId, type TextRef, textId, textIdsOf, textOrGap, textRef } from '../catalog/text-id.ts'
import type { SeenFiles, TextChange } from '../files/file-index.ts'
import { ACTIONS, type Action, baseOf, decide, type TextState, theirsOf, type Values } from './decide.ts'
import type { Outbox, OutboxEdit, OutboxEntry } from './outbox.ts'
import type { BaseStore, HoldReason } from './store.ts'

/** One text that is not simply equal on both sides. A text without a record is equal, as far as is known. */
export interface TextRecord extends Values {
  readonly id: string
  readonly ref: TextRef
  state: TextState
  base: string | undefined
  ours: string | undefined
  theirs: string | undefined
  /** When the service's text was modified, in milliseconds since 1970, as far as the service says. */
  modifiedAt: number | undefined
  hold: HoldReason | undefined
  /** The service's text, where the page shows it instead of the file's. */
  shown: string | undefined
  /** The counter when this text was last sent or became the base; `UNDER_WAY`, above all, while a request sets it. */
  touched: number
}

const UNDER_WAY = 2 ** 31 - 1 // Not Infinity, which would take an object in each record.

export interface HeldText extends TextRecord {
  hold: HoldReason
  ours: string
}

export interface ServiceText {
  readonly ref: TextRef
  readonly text: string
}

export interface ReadText extends ServiceText {
  readonly id: string
  readonly modifiedAt?: number | undefined
}

export interface Reading {
  readonly texts: readonly ReadText[]
  readonly mark: number
  /** The ids of everything that the service has. Not given: only what changed was read. */
  readonly seen?: ReadonlySet<string>
  /** The page has these texts already: they fill the files' gaps there. */
  readonly shown?: boolean
}

/** Both values as a person saw them when deciding; `undefined`: no text. */
export type SeenValues = Pick<Values, 'ours' | 'theirs'>

interface SettleOptions {
  readonly shown?: boolean
  /** The service's text was read just now, with no request for it under way. */
  readonly fresh?: boolean
  /** The service says that its text is newer than the one known before. */
  readonly newer?: boolean
  readonly hold?: HoldReason | undefined
}

/** Changes are made immediately and in memory; `SyncStore.commit` writes them to the disk. */
export class TextRecords {
  /** The number of readings with older texts than the known ones: a cache in front of the service causes them. */
  staleReads = 0
  /** The service's texts are known. */
  hasRead = false
  #counter = 0
  readonly #records = new Map<string, TextRecord>()
  #shownChanges = new Map<string, TextRef>()
  readonly #changedThere = new Map<string, TextRef>()

  constructor(
    private readonly files: SeenFiles,
    private readonly base: BaseStore,
    private readonly outbox: Outbox,
    private readonly push: boolean,
  ) {}

  get(id: string): TextRecord | undefined {
    return this.#records.get(id)
  }

  /** The texts that are not equal on both sides; given an action, those for which it is due. */
  *differences(action?: Action): Generator<TextRecord> {
    for (const record of this.#records.values())
      if (action ? ACTIONS[record.state] === action : record.state !== 'equal') yield record
  }

  *holds(): Generator<HeldText> {
    for (const record of this.#records.values()) if (record.hold !== undefined) yield record as HeldText
  }

  *shown(): Generator<ServiceText> {
    for (const { ref, shown } of this.#records.values()) if (shown !== undefined) yield { ref, text: shown }
  }

  /** The texts of the service that were others, or none, when it was first read. */
  *changedThere(): Generator<ChangedText> {
    for (const [id, ref] of this.#changedThere) yield { ref, text: this.theirs(id) }
  }

  theirs(id: string): string | undefined {
    const record = this.#records.get(id)
    return textOrGap(record ? record.theirs : theirsOf(this.base.common(id)))
  }

  knowsKey(ref: TextRef): boolean {
    return [...this.files.seen.languages(ref.namespace)].some(
      (language) => this.theirs(textId({ ...ref, language, customer: undefined })) !== undefined,
    )
  }

  settleAll(): void {
    const inFiles = new Set<string>()
    for (const part of this.files.seen.parts()) {
      const idOf = textIdsOf(part)
      for (const [key, text] of part.messages) {
        const id = idOf(key)
        inFiles.add(id)
        if (!this.#isSettled(id, text)) this.#settleOne(textRef(part, key), {}, id)
      }
    }
    for (const { ref, id } of this.outbox.entries()) this.#settleOne(ref, {}, id)
    for (const id of this.base.values.keys()) if (!inFiles.has(id)) this.#settleOne(parseTextId(id), {}, id)
  }

  settle(refs: Iterable<TextRef>): void {
    for (const ref of refs) this.#settleOne(ref)
  }

  /** The texts that change in the page, since the last call. */
  takeShown(): readonly TextRef[] {
    const shown = this.#shownChanges
    this.#shownChanges = new Map()
    return [...shown.values()]
  }

  mark(): number {
    return this.#counter
  }

  movedSince(id: string, mark: number): boolean {
    return (this.#records.get(id)?.touched ?? 0) > mark
  }

  /** True if this change has to be sent: it is neither a gap nor what the base or the service has. */
  isSendable({ ref, after }: TextChange): boolean {
    const id = textId(ref)
    const text = textOrGap(after)
    return text !== undefined && text !== this.base.get(id) && text !== this.theirs(id)
  }

  keyIsGone({ namespace, key, customer }: TextRef): void {
    // The texts of a customer say nothing about everybody's.
    if (customer !== undefined) return
    for (const language of this.files.seen.languages(namespace)) {
      const other = { language, namespace, key }
      if (this.theirs(textId(other)) !== undefined) this.applyRead(other, undefined, undefined)
    }
  }

  /** Puts `live` changes into the outbox and holds others. Resolves when the outbox is on the disk. */
  async accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void> {
    const hold = as === 'live' ? undefined : as
    const written = hold ? undefined : this.outbox.put(changes.flatMap((change) => this.#acceptLive(change)))
    for (const { ref } of changes) this.#settleOne(ref, { hold })
    await written
  }

  /** Queues the files' texts, held ones too. Returns how many, when the outbox is on the disk. */
  queue(ids: Iterable<string> = this.#records.keys()): Promise<number> {
    return this.outbox.put(this.#editsOf(ids))
  }

  /** Corrects an outbox that is older than the files. `onlyBase`: only texts whose file has the base now. */
  async followFiles(onlyBase = false): Promise<void> {
    const edits = []
    for (const entry of this.outbox.entries()) {
      const ours = textOrGap(this.files.seen.text(entry.ref))
      const isBase = ours !== undefined && ours === this.base.get(entry.id)
      if (this.files.seen.isUnknown(entry.ref) || ours === entry.text || (onlyBase && !isBase)) continue
      if (ours === undefined || (isBase && entry.sent.length === 0)) this.outbox.remove(entry)
      else edits.push({ ref: entry.ref, text: ours, assumedBase: undefined })
    }
    await this.outbox.put(edits)
  }

  /** A person has seen the service's text and replaces it: the next difference is an edit of that text. */
  see(id: string): void {
    this.base.set(id, textOrGap(this.#records.get(id)?.theirs))
    this.#followBase(id)
  }

  isConflict(id: string, seen: SeenValues): boolean {
    const record = this.#records.get(id)
    const isSeen = record?.ours === textOrGap(seen.ours) && record?.theirs === textOrGap(seen.theirs)
    return record?.state === 'conflict' && isSeen
  }

  /** A person has decided for the file's text: nothing happens where the sides are not what the person saw. */
  async keepOurs(id: string, seen: SeenValues): Promise<void> {
    const record = this.#records.get(id)
    if (!record || !this.isConflict(id, seen)) return
    const { ref, ours } = record
    this.see(id)
    // Without a text in the file the decision is to leave it deleted there: deletions are never sent.
    if (ours === undefined) this.outbox.remove(this.outbox.get(id))
    const isSent = this.push && ours !== undefined
    const written = isSent ? this.outbox.put([{ ref, text: ours, assumedBase: undefined }]) : undefined
    this.#settleOne(ref)
    await written
  }

  /** True if this text of a reading is not known yet, or may not be believed. Others need not be kept. */
  isNews({ id, text }: ReadText, mark: number): boolean {
    return this.theirs(id) !== textOrGap(text) || this.#records.has(id) || this.movedSince(id, mark)
  }

  /** Takes in what the service has. False: some texts were being sent in the meantime, and stay as they were. */
  applyReading({ texts, mark, seen, shown = false }: Reading): boolean {
    let isWhole = true
    for (const { id, ref, text, modifiedAt } of texts) {
      if (this.movedSince(id, mark)) {
        isWhole = false
        continue
      }
      const theirs = textOrGap(text)
      const record = this.#records.get(id)
      if (theirs === this.theirs(id)) {
        if (record && modifiedAt !== undefined) record.modifiedAt = Math.max(record.modifiedAt ?? 0, modifiedAt)
        continue
      }
      // Equal on both sides, and news to the base alone. That a file has no text may mean that it could not be read.
      if (theirs !== undefined && !record && !this.outbox.get(id) && this.files.seen.text(ref) === theirs) {
        this.base.set(id, theirs)
        continue
      }
      this.#take(ref, theirs, modifiedAt, { shown }, id)
    }
    if (seen) this.#applyMissing(seen, mark, shown)
    this.#forgetEqual(mark)
    return isWhole
  }

  /** Applies one text that was read just now. `false`: it is older than the known text, and is ignored. */
  applyRead(ref: TextRef, text: string | undefined, modifiedAt: number | undefined): TextState | false {
    return this.#take(ref, textOrGap(text), modifiedAt, { fresh: true })
  }

  isQueued({ id, order }: OutboxEntry): boolean {
    const now = this.outbox.get(id)
    return now !== undefined && now.order === order && now.parked === undefined
  }

  /** True if this entry may be sent over what the service has, as far as is known. */
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
    const { id, ref, text } = entry
    this.#touch(ref, id)
    this.outbox.remove(entry)
    this.setEqual(ref, text, id)
  }

  /** Both sides have this text; `undefined`: neither has one. */
  setEqual(ref: TextRef, text: string | undefined, id = textId(ref)): void {
    this.#setBase(id, text)
    this.#settleOne(ref, {}, id)
  }

  /** Takes the bases that another process wrote. Gives the texts to settle when the files are read. */
  rebase(ids: readonly string[]): readonly TextRef[] {
    return ids.map((id) => {
      const ref = parseTextId(id)
      this.#touch(ref, id)
      this.#followBase(id)
      return ref
    })
  }

  /** These texts of the service stand in the files now: both sides had them, whatever the service has since. */
  wrote(texts: Iterable<{ readonly ref: TextRef; readonly text: string | undefined }>): void {
    const idOf = createTextIds()
    for (const { ref, text } of texts) {
      const id = idOf(ref)
      // A person who saved the file right after this write may not have seen the text.
      if (textOrGap(this.files.seen.text(ref)) === textOrGap(text)) {
        const theirs = this.theirs(id)
        const modifiedAt = this.#records.get(id)?.modifiedAt
        this.outbox.remove(this.outbox.get(id))
        this.#setBase(id, textOrGap(text))
        this.#setTheirs(ref, theirs, modifiedAt, id)
      }
      this.#settleOne(ref, {}, id)
    }
  }

  /** The file's text is the base, and nothing else is known of it. */
  #isSettled(id: string, text: string): boolean {
    return this.base.get(id) === textOrGap(text) && !this.#records.has(id) && !this.outbox.get(id)
  }

  #record(ref: TextRef, id = textId(ref)): TextRecord {
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
      shown: undefined,
      touched: 0,
    }
    this.#records.set(id, record)
    return record
  }

  /** Computes the state of one text. While the outbox has an entry of the text, the entry replaces the file's text. */
  #settleOne(ref: TextRef, options: SettleOptions = {}, id = textId(ref)): TextState {
    const entry = this.outbox.get(id)
    if (!entry) return this.#settleFile(id, ref, options)
    const record = this.#record(ref, id)
    const theirs = textOrGap(record.theirs)
    const common = this.base.common(id) ?? (theirs === entry.assumedBase ? theirs : undefined)
    // A text that we sent, and whose response was lost, is ours and not a remote edit.
    const isOurOwn = theirs !== undefined && theirs !== entry.text && entry.sent.includes(theirs)
    const values = { base: baseOf(common), ours: entry.text, theirs }
    const state = this.#checked(record, decide(isOurOwn ? theirs : common, values), options)
    if (state === 'conflict') this.base.meet(id, values)
    record.hold = undefined
    this.#setShown(record, undefined)
    // Another text may be on its way: that the service still has this one proves nothing until it is read.
    const isUncertain = options.fresh !== true && entry.sent.some((text) => text !== entry.text)
    if (state === 'conflict' || ACTIONS[state] === 'send' || isUncertain) {
      // The file has taken over what the service has: the next edit begins from that.
      const isTakenOver = state === 'equal'
      if (isTakenOver) this.base.set(id, entry.text)
      Object.assign(record, values, { state, base: isTakenOver ? entry.text : values.base })
      if (state === 'conflict') this.outbox.park(id, { kind: 'conflict', reason: 'both sides changed' })
      else if (entry.parked?.kind === 'conflict') this.outbox.park(id, undefined)
      return state
    }
    if (state === 'equal') this.#setBase(id, entry.text)
    this.outbox.remove(entry)
    return this.#settleFile(id, ref, options)
  }

  /** The service has this text. `false`: it is older than the known text, and is ignored. */
  #take(
    ref: TextRef,
    theirs: string | undefined,
    modifiedAt: number | undefined,
    options: SettleOptions,
    id = textId(ref),
  ): TextState | false {
    const newer = this.#setTheirs(ref, theirs, modifiedAt, id)
    return newer === undefined ? false : this.#settleOne(ref, { ...options, newer }, id)
  }

  /** `undefined`: older than the known text, and ignored. Otherwise true if the service reports it as newer. */
  #setTheirs(
    ref: TextRef,
    theirs: string | undefined,
    modifiedAt: number | undefined,
    id = textId(ref),
  ): boolean | undefined {
    const record = this.#record(ref, id)
    const known = record.modifiedAt
    if (known !== undefined && modifiedAt !== undefined && modifiedAt < known && theirs !== textOrGap(record.theirs)) {
      this.staleReads++
      return undefined
    }
    if (theirs !== textOrGap(record.theirs)) this.#noteChangeThere(record)
    record.theirs = theirs
    record.modifiedAt = modifiedAt ?? (theirs === undefined ? undefined : known)
    return modifiedAt !== undefined && modifiedAt > (known ?? Number.NEGATIVE_INFINITY)
  }

  /** Both sides have this text; `undefined`: neither has one. */
  #setBase(id: string, text: string | undefined): void {
    this.base.meet(id, { ours: text, theirs: text })
    this.#noteTheirs(id, text)
  }

  /** The record takes the service's text from the stored base. */
  #followBase(id: string): void {
    this.#noteTheirs(id, theirsOf(this.base.common(id)))
  }

  #noteTheirs(id: string, text: string | undefined): void {
    const record = this.#records.get(id)
    if (!record) return
    if (textOrGap(text) !== textOrGap(record.theirs)) this.#noteChangeThere(record)
    Object.assign(record, { theirs: text, modifiedAt: undefined, state: 'equal' })
  }

  /** The page shows the service's text where the file has none. */
  #noteChangeThere({ id, ref }: TextRecord): void {
    if (!this.hasRead) return
    this.#changedThere.set(id, ref)
    if (textOrGap(this.files.seen.text(ref)) === undefined) this.#shownChanges.set(id, ref)
  }

  #settleFile(id: string, ref: TextRef, options: SettleOptions): TextState {
    const known = this.#records.get(id)
    // A file that cannot be read has no values: its records do not change.
    if (this.files.seen.isUnknown(ref)) return known?.state ?? 'equal'
    const base = this.base.get(id)
    const ours = textOrGap(this.files.seen.text(ref))
    const theirs = this.theirs(id)
    if (!known && ours === theirs) {
      this.base.meet(id, { ours, theirs })
      return 'equal'
    }
    const record = known ?? this.#record(ref, id)
    const state = this.#checked(record, decide(this.base.common(id), { ours, theirs }), options)
    if (state === 'conflict' || (state === 'equal' && ours === undefined))
      this.base.meet(id, { ours, theirs }, record.ours)
    const action = ACTIONS[state]
    const hold = action === 'send' && this.push ? (options.hold ?? record.hold ?? 'start') : undefined
    // The file may have been parsed again: equal texts are to be one string.
    Object.assign(record, { state, base, ours: ours === base ? base : ours, theirs, hold })
    if (state === 'equal') this.#setBase(id, record.ours)
    const isFillingGap = options.shown === true && state === 'new-there'
    if (action !== 'write') this.#setShown(record, undefined)
    else if (!isFillingGap) this.#setShown(record, theirs)
    return state
  }

  /** A conflict ends where both sides agree or the service has newer text, never by an older answer of a cache. */
  #checked(record: TextRecord, state: TextState, { newer = false }: SettleOptions): TextState {
    return record.state === 'conflict' && ACTIONS[state] === 'send' && !newer ? 'conflict' : state
  }

  #setShown(record: TextRecord, text: string | undefined): void {
    if (record.shown === text) return
    record.shown = text
    this.#shownChanges.set(record.id, record.ref)
  }

  #touch(ref: TextRef, id: string): void {
    this.#record(ref, id).touched = ++this.#counter
  }

  *#editsOf(ids: Iterable<string>): Generator<OutboxEdit> {
    for (const id of ids) {
      const record = this.#records.get(id)
      if (!record || record.ours === undefined || ACTIONS[record.state] !== 'send' || this.outbox.get(id)) continue
      record.hold = undefined
      yield { id, ref: record.ref, text: record.ours, assumedBase: undefined }
    }
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

  #applyMissing(seen: ReadonlySet<string>, mark: number, shown: boolean): void {
    const missing = (id: string) => !seen.has(id) && !this.movedSince(id, mark) && this.theirs(id) !== undefined
    for (const ids of [this.base.values.keys(), this.#records.keys()])
      for (const id of [...ids].filter(missing)) this.#take(parseTextId(id), undefined, undefined, { shown }, id)
    if (this.hasRead) return
    this.hasRead = true
    this.settleAll()
  }

  /**
   * Equal texts need no record, unless a reading that began before they became equal may still come in. While a file
   * cannot be read, its texts keep their state: only the record knows then that the service has other texts.
   */
  #forgetEqual(mark: number): void {
    for (const { id, state, theirs, touched } of this.#records.values()) {
      const isEqual = state === 'equal' && textOrGap(theirs) === this.base.get(id)
      if (isEqual && touched <= mark && !this.outbox.get(id)) this.#records.delete(id)
    }
  }
}
