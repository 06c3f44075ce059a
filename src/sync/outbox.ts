/** Edits not yet acknowledged: on the disk before they are sent, one entry for each text. */
import { join } from 'node:path'
import { parseTextId, type TextRef, textId } from '../catalog/text-id.ts'
import type { StoreOptions } from './base.ts'
import { Journal } from './journal.ts'

export interface OutboxEntry {
  readonly id: string
  readonly ref: TextRef
  readonly text: string
  /** The file's text before the edit: replaces the base if there is none. */
  readonly assumedBase: string | undefined
  /** Texts of this entry that were sent without an answer, so the service may have them. */
  readonly sent: readonly string[]
  readonly order: number
  /** Why it waits: it was refused (and is not sent again as it is), or both sides changed. */
  readonly parked: { readonly kind: 'refused' | 'conflict'; readonly reason: string } | undefined
}

export type OutboxEdit = Pick<OutboxEntry, 'ref' | 'text' | 'assumedBase'> & { readonly id?: string }

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

const SLACK_LINES = 500
const NONE: readonly string[] = []
/** Requests for one text that may still be under way are few; more are history. */
const MOST_SENT = 8

export class Outbox {
  /** In place: a copy of each of a hundred thousand entries would be garbage. */
  readonly #entries = new Map<string, Writable<OutboxEntry>>()
  #orders = 0
  #removals: Pick<OutboxEntry, 'id' | 'order'>[] = []
  readonly #journal: Journal

  constructor(private readonly options: StoreOptions) {
    const path = join(options.folder, 'outbox.jsonl')
    const snapshot = () => Array.from(this.#entries.values(), lineOf)
    // Beside another process, whose outbox it is, entries are in memory alone.
    const access = options.access === 'own' ? 'own' : 'read'
    const { onTrouble } = options
    this.#journal = new Journal({ path, format: 'localization-outbox', version: 1, access, snapshot, onTrouble })
  }

  async load(): Promise<void> {
    const { access, onProblem } = this.options
    if (access !== 'own') return
    const { lines, damagedLines, cutBytes, setAside } = await this.#journal.load((value) => {
      try {
        this.#replay(value)
      } catch {
        // A line about nothing that could be a text: there is nothing to send.
      }
    })
    if (lines > this.#entries.size * 4 + SLACK_LINES) await this.#journal.rewrite()
    // Anything that was on the disk may have been sent.
    for (const entry of this.#entries.values()) entry.sent = recent([...entry.sent, entry.text])
    if (setAside !== undefined) onProblem(`${setAside} was written by another version and is not sent`)
    if (damagedLines > 0) onProblem(`${damagedLines} entries of the outbox are damaged and were left out`)
    if (cutBytes > 0) onProblem(`the last entry of the outbox was cut short and is dropped (${cutBytes} bytes)`)
  }

  get size(): number {
    return this.#entries.size
  }

  get(id: string): OutboxEntry | undefined {
    return this.#entries.get(id)
  }

  entries(): readonly OutboxEntry[] {
    return [...this.#entries.values()].sort((a, b) => a.order - b.order)
  }

  /** Adds or replaces entries. Resolves to their number when they are on the disk. Send nothing before that. */
  async put(edits: Iterable<OutboxEdit>): Promise<number> {
    const changed: OutboxEntry[] = []
    for (const { ref, text, assumedBase, id = textId(ref) } of edits) {
      const before = this.#entries.get(id)
      if (before?.text === text) before.parked = undefined
      else {
        const order = ++this.#orders
        changed.push(this.#replace({ id, ref, text, assumedBase, sent: NONE, order, parked: undefined }))
      }
    }
    await this.#journal.append(changed, lineOf)
    return changed.length
  }

  /** A request with this entry's text goes out now: until it is acknowledged nobody knows whether it arrived. */
  sending(id: string): void {
    const entry = this.#entries.get(id)
    if (entry && !entry.sent.includes(entry.text)) entry.sent = recent(entry.sent.concat(entry.text))
  }

  /** Parks an entry, or with `undefined` lets it go on. In memory: after a restart it is tried once again. */
  park(id: string, parked: OutboxEntry['parked']): void {
    const entry = this.#entries.get(id)
    if (entry) entry.parked = parked
  }

  /** Removes an entry up to that order in memory; a newer edit stays, with nothing sent before it. */
  remove(entry: Pick<OutboxEntry, 'id' | 'order'> | undefined): void {
    if (entry && this.#removeUpTo(entry.id, entry.order)) this.#removals.push(entry)
  }

  /** Returns a function that writes the removals to the disk. Call it when the base of these texts is on the disk. */
  takeRemovals(): () => Promise<void> {
    const taken = this.#removals
    this.#removals = []
    return () => this.#journal.append(taken, ({ id, order }) => ['done', id, order])
  }

  written(): Promise<void> {
    return this.#journal.idle()
  }

  /** Writes the file again if somebody removed it. */
  async restore(): Promise<void> {
    await this.#journal.isChanged()
  }

  async close(): Promise<void> {
    await this.takeRemovals()()
    // An empty file means the same as many lines of finished entries.
    if (this.#entries.size === 0 && this.#orders > 0) await this.#journal.rewrite()
    await this.#journal.close()
  }

  #replay(value: unknown): void {
    if (!Array.isArray(value)) return
    const [what, id, order, text, assumedBase, sent] = value as readonly unknown[]
    if (typeof id !== 'string' || typeof order !== 'number') return
    if (what === 'done') this.#removeUpTo(id, order)
    if (what !== 'put' || typeof text !== 'string' || !Array.isArray(sent)) return
    if (typeof assumedBase !== 'string' && assumedBase !== null) return
    const before = this.#entries.get(id)
    const earlier = [...(before ? [...before.sent, before.text] : []), ...sent.filter((one) => typeof one === 'string')]
    const entry = { id, ref: parseTextId(id), text, assumedBase: assumedBase ?? undefined, order, parked: undefined }
    this.#replace({ ...entry, sent: NONE }).sent = recent(earlier.filter((one) => one !== text))
    this.#orders = Math.max(this.#orders, order)
  }

  /** What was sent before, and what the file had before all edits, goes on to count. */
  #replace(entry: OutboxEntry): Writable<OutboxEntry> {
    const before = this.#entries.get(entry.id)
    const next = before ? { ...entry, assumedBase: before.assumedBase, sent: before.sent } : entry
    this.#entries.set(entry.id, next)
    return next
  }

  #removeUpTo(id: string, order: number): boolean {
    const entry = this.#entries.get(id)
    if (!entry) return false
    if (entry.order <= order) return this.#entries.delete(id)
    // Whatever was sent before the acknowledged text has been overwritten by it.
    this.#entries.set(id, { ...entry, sent: NONE, assumedBase: undefined })
    return true
  }
}

function lineOf({ id, order, text, assumedBase, sent }: OutboxEntry) {
  return ['put', id, order, text, assumedBase ?? null, sent]
}

function recent(texts: readonly string[]): readonly string[] {
  return texts.length < 2 ? texts : [...new Set(texts)].slice(-MOST_SENT)
}
