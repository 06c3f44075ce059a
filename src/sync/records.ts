/** What happens to texts: edits, readings, sending and decisions. Each moves their records. */
import { createTextIds, parseTextId, type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import type { TextChange } from '../files/file-index.ts'
import { ACTIONS, type TextState, type Values } from './decide.ts'
import type { OutboxEdit, OutboxEntry } from './outbox.ts'
import { SettledRecords } from './settled-records.ts'
import { type HoldReason, type ServiceText, UNDER_WAY } from './text-record.ts'

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

export class TextRecords extends SettledRecords {
  #counter = 0

  mark(): number {
    return this.#counter
  }

  movedSince(id: string, mark: number): boolean {
    return (this.records.get(id)?.touched ?? 0) > mark
  }

  /** Whether this change would have to be sent: it is neither a gap nor what the base or the service has. */
  wouldTravel({ ref, after }: TextChange): boolean {
    const id = textId(ref)
    const text = textOrGap(after)
    return text !== undefined && text !== this.base.get(id) && text !== this.theirs(id)
  }

  keyIsGone({ namespace, key, customer }: TextRef): void {
    // The texts of a customer say nothing about everybody's.
    if (customer !== undefined) return
    for (const language of this.languagesOf({ language: '', namespace, key })) {
      const other = { language, namespace, key }
      if (this.theirs(textId(other)) !== undefined) this.applyRead(other, undefined, undefined)
    }
  }

  /** Puts `live` changes into the outbox and holds others. Resolves when the outbox is on the disk. */
  async accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void> {
    this.filesChanged()
    const hold = as === 'live' ? undefined : as
    const written = hold ? undefined : this.outbox.put(changes.flatMap((change) => this.#acceptLive(change)))
    for (const { ref } of changes) this.settleOne(ref, { hold })
    await written
  }

  /** Queues the files' texts, held ones too. Returns how many, when the outbox is on the disk. */
  queue(ids: Iterable<string> = this.records.keys()): Promise<number> {
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

  /** A person has seen the service's text, and replaces it knowingly. */
  see(id: string): void {
    const record = this.records.get(id)
    if (record) this.rebaseTo(id, record.theirs)
  }

  isConflict(id: string, seen: SeenValues): boolean {
    const record = this.records.get(id)
    const isSeen = record?.ours === textOrGap(seen.ours) && record?.theirs === textOrGap(seen.theirs)
    return record?.state === 'conflict' && isSeen
  }

  /** A person has decided for the file's text: nothing happens where the sides are not what the person saw. */
  async keepOurs(id: string, seen: SeenValues): Promise<void> {
    const record = this.records.get(id)
    if (!record || !this.isConflict(id, seen)) return
    const { ref, ours, theirs } = record
    this.rebaseTo(id, theirs)
    // Without a text in the file the decision is to leave it deleted there: deletions are never sent.
    if (ours === undefined) this.outbox.remove(this.outbox.get(id))
    const isSent = this.push && ours !== undefined
    const written = isSent ? this.outbox.put([{ ref, text: ours, assumedBase: undefined }]) : undefined
    this.settleOne(ref)
    await written
  }

  /** Whether this text of a reading is not known yet, or may not be believed. Others need not be kept. */
  isNews({ id, text }: ReadText, mark: number): boolean {
    return this.theirs(id) !== textOrGap(text) || this.records.has(id) || this.movedSince(id, mark)
  }

  /** Takes in what the service has. False: some texts were being sent meanwhile, and are as they were. */
  applyReading({ texts, mark, seen, shown = false }: Reading): boolean {
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
      if (theirs !== undefined && !record && !this.outbox.get(id) && this.files.seen.text(ref) === theirs) {
        this.base.set(id, theirs)
        continue
      }
      const newer = this.setTheirs(ref, theirs, modifiedAt, id)
      if (newer !== undefined) this.settleOne(ref, { shown, newer }, id)
    }
    if (seen) this.#applyMissing(seen, mark, shown)
    this.#forgetEqual(mark)
    return isWhole
  }

  /** Applies one text that was read just now. `false`: it is older than the known text, and is ignored. */
  applyRead(ref: TextRef, text: string | undefined, modifiedAt: number | undefined): TextState | false {
    const newer = this.setTheirs(ref, textOrGap(text), modifiedAt)
    return newer === undefined ? false : this.settleOne(ref, { fresh: true, newer })
  }

  isQueued({ id, order }: OutboxEntry): boolean {
    const now = this.outbox.get(id)
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
    this.outbox.sending(id)
  }

  sent(id: string): void {
    const record = this.records.get(id)
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
    this.setBase(id, text)
    this.settleOne(ref, {}, id)
  }

  /** Takes the bases that another process wrote. Gives the texts to settle when the files are read. */
  rebase(ids: readonly string[]): readonly TextRef[] {
    return ids.map((id) => {
      const ref = parseTextId(id)
      this.#touch(ref, id)
      this.followBase(id)
      return ref
    })
  }

  /** These texts of the service stand in the files now: both sides had them, whatever the service has since. */
  wrote(texts: Iterable<{ readonly ref: TextRef; readonly text: string | undefined }>): void {
    this.filesChanged()
    const idOf = createTextIds()
    for (const { ref, text } of texts) {
      const id = idOf(ref)
      // A person who saved the file right after this write may not have seen the text.
      if (textOrGap(this.files.seen.text(ref)) === textOrGap(text)) {
        const theirs = this.theirs(id)
        const modifiedAt = this.records.get(id)?.modifiedAt
        this.outbox.remove(this.outbox.get(id))
        this.setBase(id, textOrGap(text))
        this.setTheirs(ref, theirs, modifiedAt, id)
      }
      this.settleOne(ref, {}, id)
    }
  }

  #touch(ref: TextRef, id: string): void {
    this.record(ref, id).touched = ++this.#counter
  }

  *#editsOf(ids: Iterable<string>): Generator<OutboxEdit> {
    for (const id of ids) {
      const record = this.records.get(id)
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
    for (const ids of [this.base.ids(), this.records.keys()]) {
      for (const id of [...filter(ids, missing)]) {
        const ref = parseTextId(id)
        this.setTheirs(ref, undefined, undefined, id)
        this.settleOne(ref, { shown }, id)
      }
    }
    if (this.hasRead) return
    this.hasRead = true
    this.settleAll()
  }

  /**
   * Equal texts need no record, unless a reading that began before they became equal may still come in. While a file
   * cannot be read, its texts keep their state: only the record knows then that the service has other texts.
   */
  #forgetEqual(mark: number): void {
    for (const { id, state, theirs, touched } of this.records.values()) {
      const isEqual = state === 'equal' && textOrGap(theirs) === this.base.get(id)
      if (isEqual && touched <= mark && !this.outbox.get(id)) this.records.delete(id)
    }
  }
}

function* filter<T>(items: Iterable<T>, test: (item: T) => boolean): Generator<T> {
  for (const item of items) if (test(item)) yield item
}
