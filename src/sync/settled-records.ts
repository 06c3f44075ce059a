/** The records, and how a text's state follows from its three values and from what waits to be sent. */
import type { ChangedText } from '../catalog/merge.ts'
import { parseTextId, type TextRef, textId, textIdsOf, textOrGap, textRef } from '../catalog/text-id.ts'
import type { SeenFiles } from '../files/file-index.ts'
import type { BaseStore } from './base.ts'
import { ACTIONS, baseOf, decide, type TextState, theirsOf } from './decide.ts'
import type { Outbox } from './outbox.ts'
import type { HeldText, HoldReason, ServiceText, TextRecord } from './text-record.ts'

interface SettleOptions {
  readonly shown?: boolean
  /** The service's text was read just now, with no request for it under way. */
  readonly fresh?: boolean
  /** The service says that its text is newer than the one known before. */
  readonly newer?: boolean
  readonly hold?: HoldReason | undefined
}

/** Changes are made at once and in memory; `commit` writes them to the disk. */
export class SettledRecords {
  /** The number of readings with older texts than the known ones: a cache in front of the service causes them. */
  staleReads = 0
  /** The service's texts are known. */
  hasRead = false
  protected readonly records = new Map<string, TextRecord>()
  #languagesOf: Map<string, string[]> | undefined
  #languages: readonly string[] | undefined
  #shownChanges = new Map<string, TextRef>()
  readonly #changedThere = new Map<string, TextRef>()

  constructor(
    protected readonly files: SeenFiles,
    protected readonly base: BaseStore,
    protected readonly outbox: Outbox,
    protected readonly push: boolean,
  ) {}

  get(id: string): TextRecord | undefined {
    return this.records.get(id)
  }

  differences(): Iterable<TextRecord> {
    return this.#where(({ state }) => state !== 'equal')
  }

  holds(): Iterable<HeldText> {
    return this.#where(({ hold }) => hold !== undefined) as Iterable<HeldText>
  }

  conflicts(): Iterable<TextRecord> {
    return this.#where(({ state }) => state === 'conflict')
  }

  *deletions(): Generator<{ readonly ref: TextRef; readonly state: 'deleted-here' | 'deleted-there' }> {
    for (const { ref, state } of this.records.values())
      if (state === 'deleted-here' || state === 'deleted-there') yield { ref, state }
  }

  writable(): Iterable<TextRecord> {
    return this.#where(({ state }) => ACTIONS[state] === 'write')
  }

  *shown(): Generator<ServiceText> {
    for (const { ref, shown } of this.records.values()) if (shown !== undefined) yield { ref, text: shown }
  }

  /** The texts of the service that were others, or none, when it was first read. */
  *changedThere(): Generator<ChangedText> {
    for (const [id, ref] of this.#changedThere) yield { ref, text: this.theirs(id) }
  }

  theirs(id: string): string | undefined {
    const record = this.records.get(id)
    return textOrGap(record ? record.theirs : theirsOf(this.base.common(id)))
  }

  knowsKey(ref: TextRef): boolean {
    return this.languagesOf(ref).some(
      (language) => this.theirs(textId({ ...ref, language, customer: undefined })) !== undefined,
    )
  }

  settleAll(): void {
    this.filesChanged()
    const inFiles = new Set<string>()
    for (const part of this.files.seen.parts()) {
      const idOf = textIdsOf(part)
      for (const [key, text] of part.messages) {
        const id = idOf(key)
        inFiles.add(id)
        if (!this.#isSettled(id, text)) this.settleOne(textRef(part, key), {}, id)
      }
    }
    for (const { ref, id } of this.outbox.entries()) this.settleOne(ref, {}, id)
    for (const id of this.base.ids()) if (!inFiles.has(id)) this.settleOne(parseTextId(id), {}, id)
  }

  /** Whether the file's text is the base, and nothing else is known of it. */
  #isSettled(id: string, text: string): boolean {
    return this.base.get(id) === textOrGap(text) && !this.records.has(id) && !this.outbox.get(id)
  }

  settle(refs: Iterable<TextRef>): void {
    this.filesChanged()
    for (const ref of refs) this.settleOne(ref)
  }

  /** The texts that change in the page, since the last call. */
  takeShown(): readonly TextRef[] {
    const shown = this.#shownChanges
    this.#shownChanges = new Map()
    return [...shown.values()]
  }

  /** Of the files. */
  languages(): readonly string[] {
    this.#languages ??= [...new Set(Array.from(this.files.seen.parts(), ({ language }) => language))]
    return this.#languages
  }

  protected languagesOf({ namespace }: TextRef): readonly string[] {
    if (!this.#languagesOf) {
      this.#languagesOf = new Map()
      for (const { namespace, language, customer } of this.files.seen.parts())
        if (customer === undefined)
          this.#languagesOf.set(namespace, [...(this.#languagesOf.get(namespace) ?? []), language])
    }
    return this.#languagesOf.get(namespace) ?? []
  }

  protected filesChanged(): void {
    this.#languagesOf = undefined
    this.#languages = undefined
  }

  protected record(ref: TextRef, id = textId(ref)): TextRecord {
    const known = this.records.get(id)
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
    this.records.set(id, record)
    return record
  }

  /** Computes the state of one text. While the outbox has an entry of the text, the entry replaces the file's text. */
  protected settleOne(ref: TextRef, options: SettleOptions = {}, id = textId(ref)): TextState {
    const entry = this.outbox.get(id)
    if (!entry) return this.#settleFile(id, ref, options)
    const record = this.record(ref, id)
    const theirs = textOrGap(record.theirs)
    const common = this.base.common(id) ?? (theirs === entry.assumedBase ? theirs : undefined)
    // An earlier text of ours that arrived without our knowing is nobody else's edit.
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
    if (state === 'equal') this.setBase(id, entry.text)
    this.outbox.remove(entry)
    return this.#settleFile(id, ref, options)
  }

  /** `undefined`: older than the known text, and ignored. Otherwise whether the service reports it as newer. */
  protected setTheirs(
    ref: TextRef,
    theirs: string | undefined,
    modifiedAt: number | undefined,
    id = textId(ref),
  ): boolean | undefined {
    const record = this.record(ref, id)
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
  protected setBase(id: string, text: string | undefined): void {
    this.base.meet(id, { ours: text, theirs: text })
    this.#noteTheirs(id, text)
  }

  /** A person decided with the service's text before them, so the next difference is an edit of that text. */
  protected rebaseTo(id: string, theirs: string | undefined): void {
    this.base.set(id, textOrGap(theirs))
    this.followBase(id)
  }

  /** The record takes the service's text from the stored base. */
  protected followBase(id: string): void {
    this.#noteTheirs(id, theirsOf(this.base.common(id)))
  }

  #noteTheirs(id: string, text: string | undefined): void {
    const record = this.records.get(id)
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
    const known = this.records.get(id)
    // A file that cannot be read has no values: its records do not change.
    if (this.files.seen.isUnknown(ref)) return known?.state ?? 'equal'
    const base = this.base.get(id)
    const ours = textOrGap(this.files.seen.text(ref))
    const theirs = this.theirs(id)
    if (!known && ours === theirs) {
      this.base.meet(id, { ours, theirs })
      return 'equal'
    }
    const record = known ?? this.record(ref, id)
    const state = this.#checked(record, decide(this.base.common(id), { ours, theirs }), options)
    if (state === 'conflict' || (state === 'equal' && ours === undefined))
      this.base.meet(id, { ours, theirs }, record.ours)
    const action = ACTIONS[state]
    const hold = action === 'send' && this.push ? (options.hold ?? record.hold ?? 'start') : undefined
    // The file may have been parsed again: equal texts are to be one string.
    Object.assign(record, { state, base, ours: ours === base ? base : ours, theirs, hold })
    if (state === 'equal') this.setBase(id, record.ours)
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

  *#where(test: (record: TextRecord) => boolean): Generator<TextRecord> {
    for (const record of this.records.values()) if (test(record)) yield record
  }
}
