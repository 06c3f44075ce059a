/** The one place where the state of a text moves. Changes are made at once and in memory; `commit` puts them on the disk. */
import { parseTextId, type TextRef, textId, textOrGap, textRef } from '../catalog/text-id.ts'
import type { FileIndex, TextChange } from '../files/file-index.ts'
import type { KnownAgreement } from './agreed.ts'
import type { BaseStore } from './base.ts'
import { ACTIONS, decide, type TextState } from './decide.ts'
import type { Outbox, OutboxEdit, OutboxEntry } from './outbox.ts'
import { type HoldReason, RecordTable, type ServiceText, type TextRecord, UNDER_WAY } from './text-record.ts'

export interface ReadText extends ServiceText {
  readonly id: string
  readonly modifiedAt?: number | undefined
}

export interface Reading {
  /** Those that are news are enough. */
  readonly texts: Iterable<ReadText>
  /** What `mark()` returned when the reading began. */
  readonly mark: number
  /** The page has these texts already: they fill the files' gaps there. */
  readonly shown?: boolean
  /** The ids of everything that the service has. Not given: only what changed was read. */
  readonly seen?: ReadonlySet<string>
}

/** Both values as a person saw them when deciding; `undefined`: no text. */
export interface SeenValues {
  readonly ours: string | undefined
  readonly theirs: string | undefined
}

export interface TextRecordsOptions {
  readonly files: FileIndex
  readonly base: BaseStore
  readonly outbox: Outbox
  /** Changes of files are sent at all. */
  readonly push: boolean
}

interface SettleOptions {
  /** See `Reading.shown`. */
  readonly shown?: boolean
  /** The service's text was read just now, with no request for it under way. */
  readonly fresh?: boolean
  /** The service says that its text is newer than the one known before. */
  readonly newer?: boolean
}

export class TextRecords extends RecordTable {
  /** Whether everything that the service has was read once. */
  hasRead = false
  /** Texts of readings that were older than what was known: something between here and the service answers with old texts. */
  staleReads = 0
  readonly #outbox: Outbox
  readonly #push: boolean
  /** Why changes of files that have not been settled yet are held. */
  readonly #reasons = new Map<string, HoldReason>()
  #counter = 0
  #shownChanges = new Map<string, TextRef>()

  constructor({ files, base, outbox, push }: TextRecordsOptions) {
    super(files, base)
    this.#outbox = outbox
    this.#push = push
  }

  mark(): number {
    return this.#counter
  }

  /** The service's text may be another one than it was when `mark` was given. */
  movedSince(id: string, mark: number): boolean {
    return (this.records.get(id)?.touched ?? 0) > mark
  }

  /** Whether this change would have to be sent: it is neither a gap nor what the base or the service has. */
  wouldTravel({ ref, after }: TextChange): boolean {
    const id = textId(ref)
    const text = textOrGap(after)
    return text !== undefined && text !== this.base.get(id) && text !== this.theirs(id)
  }

  /** The service has no text of this key in any language. */
  keyIsGone(ref: TextRef): void {
    // The texts of a customer say nothing about everybody's.
    if (ref.customer !== undefined) return
    for (const language of this.languagesOf(ref)) {
      const other = { language, namespace: ref.namespace, key: ref.key }
      if (this.theirs(textId(other)) !== undefined) this.applyRead(textId(other), other, undefined, undefined)
    }
  }

  /** Decides every text of the files, the outbox and the base anew. */
  settleAll(): void {
    this.filesChanged()
    for (const part of this.files.parts()) {
      for (const key of part.messages.keys()) {
        const ref = textRef(part, key)
        this.#settle(textId(ref), ref)
      }
    }
    for (const { id, ref } of this.#outbox.entries()) this.#settle(id, ref)
    for (const id of this.base.ids()) {
      const ref = parseTextId(id)
      if (this.files.text(ref) === undefined) this.#settle(id, ref)
    }
  }

  settle(refs: Iterable<TextRef>): void {
    this.filesChanged()
    for (const ref of refs) this.#settle(textId(ref), ref)
  }

  /** Takes in changes of files. `live` ones are put into the outbox, others are held. Resolves when the outbox is on the disk. */
  async accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void> {
    this.filesChanged()
    const edits = []
    for (const change of changes) {
      if (as !== 'live') this.#reasons.set(textId(change.ref), as)
      else {
        const edit = this.#acceptLive(change)
        if (edit) edits.push(edit)
      }
    }
    const written = this.#outbox.put(edits)
    for (const { ref } of changes) this.#settle(textId(ref), ref)
    await written
  }

  /** Queues the files' texts for sending, released from where they are held. Returns how many. Resolves when the outbox is on the disk. */
  async queue(ids: Iterable<string> = [...this.records.keys()]): Promise<number> {
    const edits: OutboxEdit[] = []
    for (const id of ids) {
      const record = this.records.get(id)
      if (!record || record.ours === undefined || ACTIONS[record.state] !== 'send' || this.#outbox.get(id)) continue
      edits.push({ id, ref: record.ref, text: record.ours, assumedBase: undefined })
      record.hold = undefined
    }
    await this.#outbox.put(edits)
    return edits.length
  }

  /** The outbox of another process may be older than the files: the files' texts count. */
  async followFiles(): Promise<void> {
    const edits = []
    for (const entry of this.#outbox.entries()) {
      const ours = textOrGap(this.files.text(entry.ref))
      if (this.files.isUnknown(entry.ref) || ours === entry.text) continue
      if (ours === undefined || (ours === this.base.get(entry.id) && entry.sent.length === 0)) this.#drop(entry)
      else edits.push({ ref: entry.ref, text: ours, assumedBase: undefined })
    }
    await this.#outbox.put(edits)
  }

  /** A person has seen the service's text, and replaces it knowingly. */
  see(id: string): void {
    const record = this.records.get(id)
    if (record) this.#agree(id, record.theirs)
  }

  /** A person has decided for the file's text. False: the sides are not what the person saw. */
  async keepOurs(id: string, seen: SeenValues): Promise<boolean> {
    const record = this.records.get(id)
    const isSeen = record?.ours === textOrGap(seen.ours) && record?.theirs === textOrGap(seen.theirs)
    if (record?.state !== 'conflict' || !isSeen) return false
    const { ref, ours, theirs } = record
    this.#agree(id, theirs)
    // Without a text in the file the decision is to leave it deleted there: deletions are never sent.
    const entry = this.#outbox.get(id)
    if (ours === undefined) this.#drop(entry)
    const written =
      this.#push && ours !== undefined ? this.#outbox.put([{ ref, text: ours, assumedBase: undefined }]) : undefined
    this.#settle(id, ref)
    await written
    return true
  }

  /** Whether this text of a reading is not known yet, or may not be believed. */
  isNews({ id, text }: ReadText, mark: number): boolean {
    return this.theirs(id) !== textOrGap(text) || this.records.has(id) || this.movedSince(id, mark)
  }

  /** Takes in what the service has. False: some texts were being sent meanwhile, and are as they were. */
  applyReading({ texts, seen, mark, shown = false }: Reading): boolean {
    let isWhole = true
    for (const { id, ref, text, modifiedAt } of texts) {
      if (this.movedSince(id, mark)) {
        isWhole = false
        continue
      }
      const theirs = textOrGap(text)
      const record = this.records.get(id)
      if (theirs === this.theirs(id)) {
        if (record && modifiedAt !== undefined) record.modifiedAt = Math.max(record.modifiedAt ?? 0, modifiedAt)
        continue
      }
      // Equal on both sides, and news to the base alone. That a file has no text may mean that it could not be read.
      if (theirs !== undefined && !record && !this.#outbox.get(id) && this.files.text(ref) === theirs) {
        this.base.set(id, theirs)
        continue
      }
      const newer = this.#setTheirs(id, ref, theirs, modifiedAt)
      if (newer !== undefined) this.#settle(id, ref, { shown, newer })
    }
    for (const id of seen ? [...this.base.ids(), ...this.records.keys()] : []) {
      if (seen?.has(id) || this.movedSince(id, mark) || this.theirs(id) === undefined) continue
      const ref = parseTextId(id)
      this.#setTheirs(id, ref, undefined, undefined)
      this.#settle(id, ref, { shown })
    }
    if (seen && !this.hasRead) {
      this.hasRead = true
      this.settleAll()
    }
    this.#forgetEqual(mark)
    return isWhole
  }

  /** Takes in what the service has for one text, read just now. `false`: that is older than what is known. */
  applyRead(id: string, ref: TextRef, text: string | undefined, modifiedAt: number | undefined): TextState | false {
    const newer = this.#setTheirs(id, ref, textOrGap(text), modifiedAt)
    if (newer === undefined) return false
    return this.#settle(id, ref, { fresh: true, newer })
  }

  /** Whether this entry is still in the outbox, and waits for nobody. */
  isQueued({ id, order }: OutboxEntry): boolean {
    const now = this.#outbox.get(id)
    return now !== undefined && now.order === order && now.parked === undefined
  }

  /** Whether this entry may be sent over what the service has, as far as is known. */
  mayTravel(entry: OutboxEntry): boolean {
    const record = this.records.get(entry.id)
    return this.isQueued(entry) && record !== undefined && ACTIONS[record.state] === 'send'
  }

  sending(id: string): void {
    const record = this.records.get(id)
    if (record) record.touched = UNDER_WAY
    this.#outbox.sending(id)
  }

  sent(id: string): void {
    const record = this.records.get(id)
    if (record) record.touched = ++this.#counter
  }

  /** The service has this text now. */
  acknowledge(entry: OutboxEntry): void {
    const { id, ref, text } = entry
    this.#touch(id, ref)
    this.#outbox.remove(entry)
    this.agree(id, ref, text)
  }

  /** Both sides have this text; `undefined`: neither has one. */
  agree(id: string, ref: TextRef, text: string | undefined): void {
    this.#agree(id, text)
    this.#settle(id, ref)
  }

  /**
   * Takes in what another process found both sides to have. Gives the texts whose base that is now; they are to be settled once the changes
   * of the files are accepted. Left out is what is being sent, and what this process has agreed on itself since the other one began.
   */
  takeIn(agreements: readonly KnownAgreement[]): readonly TextRef[] {
    // A reading that began before may bring what the service had before that.
    this.#counter++
    const taken: TextRef[] = []
    for (const { id, ref, before, text } of agreements) {
      if (this.records.get(id)?.touched === UNDER_WAY || textOrGap(this.base.get(id)) !== textOrGap(before)) continue
      this.#touch(id, ref)
      this.#agree(id, textOrGap(text))
      taken.push(ref)
    }
    return taken
  }

  /** These texts of the service stand in the files now: both sides had them, whatever the service has since. */
  wrote(texts: Iterable<{ readonly ref: TextRef; readonly text: string | undefined }>): void {
    for (const { ref, text } of texts) {
      const id = textId(ref)
      // Somebody who saved right behind it may not have seen it.
      if (textOrGap(this.files.text(ref)) === textOrGap(text)) {
        const theirs = this.theirs(id)
        const modifiedAt = this.records.get(id)?.modifiedAt
        this.#drop(this.#outbox.get(id))
        this.#agree(id, textOrGap(text))
        this.#setTheirs(id, ref, theirs, modifiedAt)
      }
      this.#settle(id, ref)
    }
  }

  /** Puts what changed on the disk, the base before the outbox. Gives the texts that the page has to show otherwise. */
  async commit(): Promise<readonly TextRef[]> {
    const shown = this.#shownChanges
    this.#shownChanges = new Map()
    // An entry of the outbox may be forgotten only when its base is on the disk.
    const forget = this.#outbox.takeRemovals()
    await this.base.flush()
    await forget()
    return [...shown.values()]
  }

  #touch(id: string, ref: TextRef): void {
    this.record(id, ref).touched = ++this.#counter
  }

  /** `undefined`: the reading is older than what is known, and is not believed. Otherwise whether the service says that it is newer. */
  #setTheirs(id: string, ref: TextRef, theirs: string | undefined, modifiedAt: number | undefined) {
    const known = this.records.get(id)?.modifiedAt
    if (known !== undefined && modifiedAt !== undefined && modifiedAt < known && theirs !== this.theirs(id)) {
      this.staleReads++
      return undefined
    }
    const record = this.record(id, ref)
    record.theirs = theirs
    record.modifiedAt = modifiedAt ?? (theirs === undefined ? undefined : record.modifiedAt)
    return modifiedAt !== undefined && modifiedAt > (known ?? Number.NEGATIVE_INFINITY)
  }

  #agree(id: string, text: string | undefined): void {
    this.base.set(id, text)
    const record = this.records.get(id)
    if (!record) return
    record.theirs = text
    record.modifiedAt = undefined
    record.state = 'equal'
  }

  #drop(entry: OutboxEntry | undefined): void {
    if (entry) this.#outbox.remove(entry)
  }

  #setShown(record: TextRecord, text: string | undefined): void {
    if (record.shown === text) return
    record.shown = text
    this.#shownChanges.set(record.id, record.ref)
  }

  /** What a live change of a file puts into the outbox. */
  #acceptLive({ ref, before, after }: TextChange) {
    const id = textId(ref)
    const text = textOrGap(after)
    const entry = this.#outbox.get(id)
    const heldBefore = this.records.get(id)?.heldBefore
    if (text !== undefined && !entry && heldBefore?.text === text) {
      this.#reasons.set(id, heldBefore.reason)
      return undefined
    }
    const neverSent = !entry?.sent.length
    const isNothingNew = neverSent && (text === this.theirs(id) || text === this.base.get(id))
    if (text === undefined || !this.#push || isNothingNew) {
      this.#drop(entry)
      return undefined
    }
    return { ref, text, assumedBase: this.base.get(id) === undefined ? textOrGap(before) : undefined }
  }

  /** Works out what one text is now. An entry of the outbox speaks for the file as long as there is one. */
  #settle(id: string, ref: TextRef, options: SettleOptions = {}): TextState {
    const entry = this.#outbox.get(id)
    if (!entry) return this.#settleFile(id, ref, options)
    const record = this.record(id, ref)
    const theirs = textOrGap(record.theirs)
    const base = this.base.get(id) ?? (theirs === entry.assumedBase ? theirs : undefined)
    // An earlier text of ours that arrived without our knowing is nobody else's edit.
    const isOurOwn = theirs !== undefined && theirs !== entry.text && entry.sent.includes(theirs)
    const values = { base, ours: entry.text, theirs }
    const state = this.#checked(record, decide(isOurOwn ? { ...values, base: theirs } : values), options)
    record.hold = undefined
    this.#setShown(record, undefined)
    // Another text may be on its way: that the service still has this one proves nothing until it is read.
    const isUncertain = options.fresh !== true && entry.sent.some((text) => text !== entry.text)
    if (state === 'conflict' || ACTIONS[state] === 'send' || isUncertain) {
      Object.assign(record, values, { state })
      if (state === 'conflict') this.#outbox.park(id, { kind: 'conflict', reason: 'both sides changed' })
      else if (entry.parked?.kind === 'conflict') this.#outbox.park(id, undefined)
      return state
    }
    if (state === 'equal') this.#agree(id, entry.text)
    this.#drop(entry)
    return this.#settleFile(id, ref, options)
  }

  #settleFile(id: string, ref: TextRef, options: SettleOptions): TextState {
    const known = this.records.get(id)
    // A file that cannot be read has no values: its records do not change.
    if (this.files.isUnknown(ref)) return known?.state ?? 'equal'
    const base = this.base.get(id)
    const ours = textOrGap(this.files.text(ref))
    const theirs = this.theirs(id)
    if (!known && ours === theirs) {
      this.base.set(id, ours)
      this.#reasons.delete(id)
      return 'equal'
    }
    const record = known ?? this.record(id, ref)
    const state = this.#checked(record, decide({ base, ours, theirs }), options)
    if (ours !== undefined) record.heldBefore = undefined
    else if (record.hold !== undefined && record.ours !== undefined)
      record.heldBefore = { text: record.ours, reason: record.hold }
    Object.assign(record, { state, base, ours, theirs })
    const action = ACTIONS[state]
    record.hold = action === 'send' && this.#push ? (this.#reasons.get(id) ?? record.hold ?? 'start') : undefined
    if (action !== 'send') this.#reasons.delete(id)
    if (state === 'equal') this.#agree(id, ours)
    const isFillingGap = options.shown === true && state === 'new-there'
    if (action !== 'write') this.#setShown(record, undefined)
    else if (!isFillingGap) this.#setShown(record, theirs)
    return state
  }

  /** A conflict ends where both sides agree, or the service says that its text is newer: an older answer of a cache must not end it. */
  #checked(record: TextRecord, state: TextState, { newer = false }: SettleOptions): TextState {
    return record.state === 'conflict' && ACTIONS[state] === 'send' && !newer ? 'conflict' : state
  }

  /** Equal texts need no record, unless a reading that began before they were agreed on may still come in. */
  #forgetEqual(mark: number): void {
    for (const [id, { state, touched, heldBefore }] of this.records)
      if (state === 'equal' && touched <= mark && heldBefore === undefined && !this.#outbox.get(id))
        this.records.delete(id)
  }
}
