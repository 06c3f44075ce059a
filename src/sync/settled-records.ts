/** Works out how a text stands from its three values, and from what waits to be sent. */
import { parseTextId, type TextRef, textId, textOrGap, textRef } from '../catalog/text-id.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { BaseStore } from './base.ts'
import { ACTIONS, decide, type TextState } from './decide.ts'
import type { Outbox, OutboxEntry } from './outbox.ts'
import { type HoldReason, RecordTable, type TextRecord } from './text-record.ts'

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

/** Changes are made at once and in memory; `commit` puts them on the disk. */
export class SettledRecords extends RecordTable {
  /**
   * Texts of readings that were older than what was known: something between here and the service answers with old
   * texts.
   */
  staleReads = 0
  protected readonly outbox: Outbox
  protected readonly push: boolean
  /** Why changes of files that have not been settled yet are held. */
  protected readonly reasons = new Map<string, HoldReason>()
  #shownChanges = new Map<string, TextRef>()

  constructor({ files, base, outbox, push }: TextRecordsOptions) {
    super(files, base)
    this.outbox = outbox
    this.push = push
  }

  /** Decides every text of the files, the outbox and the base anew. */
  settleAll(): void {
    this.filesChanged()
    for (const part of this.files.parts()) {
      for (const key of part.messages.keys()) {
        const ref = textRef(part, key)
        this.settleOne(textId(ref), ref)
      }
    }
    for (const { id, ref } of this.outbox.entries()) this.settleOne(id, ref)
    for (const id of this.base.ids()) {
      const ref = parseTextId(id)
      if (this.files.text(ref) === undefined) this.settleOne(id, ref)
    }
  }

  settle(refs: Iterable<TextRef>): void {
    this.filesChanged()
    for (const ref of refs) this.settleOne(textId(ref), ref)
  }

  /** Puts what changed on the disk, the base before the outbox. Gives the texts that the page has to show otherwise. */
  async commit(): Promise<readonly TextRef[]> {
    const shown = this.#shownChanges
    this.#shownChanges = new Map()
    // An entry of the outbox may be forgotten only when its base is on the disk.
    const forget = this.outbox.takeRemovals()
    await this.base.flush()
    await forget()
    return [...shown.values()]
  }

  /** Works out what one text is now. An entry of the outbox speaks for the file as long as there is one. */
  protected settleOne(id: string, ref: TextRef, options: SettleOptions = {}): TextState {
    const entry = this.outbox.get(id)
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
      if (state === 'conflict') this.outbox.park(id, { kind: 'conflict', reason: 'both sides changed' })
      else if (entry.parked?.kind === 'conflict') this.outbox.park(id, undefined)
      return state
    }
    if (state === 'equal') this.setBase(id, entry.text)
    this.drop(entry)
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
      this.reasons.delete(id)
      return 'equal'
    }
    const record = known ?? this.record(id, ref)
    const state = this.#checked(record, decide({ base, ours, theirs }), options)
    if (ours !== undefined) record.heldBefore = undefined
    else if (record.hold !== undefined && record.ours !== undefined)
      record.heldBefore = { text: record.ours, reason: record.hold }
    Object.assign(record, { state, base, ours, theirs })
    const action = ACTIONS[state]
    record.hold = action === 'send' && this.push ? (this.reasons.get(id) ?? record.hold ?? 'start') : undefined
    if (action !== 'send') this.reasons.delete(id)
    if (state === 'equal') this.setBase(id, ours)
    const isFillingGap = options.shown === true && state === 'new-there'
    if (action !== 'write') this.#setShown(record, undefined)
    else if (!isFillingGap) this.#setShown(record, theirs)
    return state
  }

  /**
   * A conflict ends where both sides agree, or the service says that its text is newer: an older answer of a cache must
   * not end it.
   */
  #checked(record: TextRecord, state: TextState, { newer = false }: SettleOptions): TextState {
    return record.state === 'conflict' && ACTIONS[state] === 'send' && !newer ? 'conflict' : state
  }

  /**
   * `undefined`: the reading is older than what is known, and is not believed. Otherwise whether the service says that
   * it is newer.
   */
  protected setTheirs(id: string, ref: TextRef, theirs: string | undefined, modifiedAt: number | undefined) {
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

  protected setBase(id: string, text: string | undefined): void {
    this.base.set(id, text)
    const record = this.records.get(id)
    if (!record) return
    record.theirs = text
    record.modifiedAt = undefined
    record.state = 'equal'
  }

  protected drop(entry: OutboxEntry | undefined): void {
    if (entry) this.outbox.remove(entry)
  }

  #setShown(record: TextRecord, text: string | undefined): void {
    if (record.shown === text) return
    record.shown = text
    this.#shownChanges.set(record.id, record.ref)
  }
}
