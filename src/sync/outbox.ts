/**
 * Edits that were accepted and not yet acknowledged: on the disk before they are sent, one entry for each text whatever
 * the number of edits, gone when the service has it.
 */
import { join } from 'node:path'
import { parseTextId, type TextRef, textId } from '../catalog/text-id.ts'
import type { StoreOptions } from './base.ts'
import { Journal } from './journal.ts'

export interface OutboxEntry {
  readonly id: string
  readonly ref: TextRef
  /** What the service is to have. */
  readonly text: string
  /** What the file had before the edit: stands for the base where there is none. */
  readonly assumedBase: string | undefined
  /** Texts of this entry that may have reached the service without our knowing. */
  readonly sent: readonly string[]
  /** Grows with each edit. */
  readonly order: number
  /** Why it waits: it was refused (and is not sent again as it is), or both sides changed. */
  readonly parked: { readonly kind: 'refused' | 'conflict'; readonly reason: string } | undefined
}

export interface OutboxEdit extends Pick<OutboxEntry, 'ref' | 'text' | 'assumedBase'> {
  /** Saves making it. */
  readonly id?: string
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

const SLACK_LINES = 500
const MANY_REMOVALS = 100
/** Requests for one text that may still be under way are few; more are history. */
const MOST_SENT = 8
const NONE: readonly string[] = []

export class Outbox {
  /** In place: a copy of each of a hundred thousand entries would be garbage. */
  readonly #entries = new Map<string, Writable<OutboxEntry>>()
  #orders = 0
  #removals: Pick<OutboxEntry, 'id' | 'order'>[] = []
  readonly #journal: Journal

  constructor({ folder, onTrouble }: StoreOptions) {
    const path = join(folder, 'outbox.jsonl')
    const snapshot = () => Array.from(this.#entries.values(), lineOf)
    this.#journal = new Journal({ path, format: 'localization-outbox', version: 1, snapshot, onTrouble })
  }

  /** Reads it from the disk; returns what had to be thrown away, as a sentence, or nothing. */
  async load(): Promise<string | undefined> {
    const before = new Map(this.#entries)
    this.#entries.clear()
    const { damagedLines, cutBytes, setAside } = await this.#journal.load((value) => {
      try {
        this.#replay(value)
      } catch {
        // A line about nothing that could be a text: there is nothing to send.
      }
    })
    for (const entry of this.#entries.values()) {
      // Anything that was on the disk may have been sent.
      entry.sent = recent([...entry.sent, entry.text])
      const known = before.get(entry.id)
      if (known?.text === entry.text) entry.parked = known.parked
    }
    const problems = [
      setAside !== undefined && `${setAside} was written by another version and is not sent`,
      damagedLines > 0 && `${damagedLines} entries of the outbox are damaged and were left out`,
      cutBytes > 0 && `the last entry of the outbox was cut short and is dropped (${cutBytes} bytes)`,
    ].filter((problem) => problem !== false)
    return problems.length > 0 ? problems.join('; ') : undefined
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

  /**
   * Adds or replaces; resolves when all of them are on the disk (or the disk refused them). Nothing may be sent before.
   */
  async put(edits: readonly OutboxEdit[]): Promise<void> {
    const changed: OutboxEntry[] = []
    for (const { ref, text, assumedBase, id = textId(ref) } of edits) {
      const before = this.#entries.get(id)
      if (before?.text === text) before.parked = undefined
      else
        changed.push(
          this.#replace({ id, ref, text, assumedBase, sent: NONE, order: ++this.#orders, parked: undefined }),
        )
    }
    await this.#journal.append(changed, lineOf)
    await this.#compact()
  }

  /**
   * A request with this entry's present text goes out now: until it is acknowledged nobody knows whether it arrived.
   */
  sending(id: string): void {
    const entry = this.#entries.get(id)
    if (entry && !entry.sent.includes(entry.text)) entry.sent = recent([...entry.sent, entry.text])
  }

  /** Parks an entry, or with `undefined` lets it go on. In memory: after a restart it is tried once again. */
  park(id: string, parked: OutboxEntry['parked']): void {
    const entry = this.#entries.get(id)
    if (entry) entry.parked = parked
  }

  /** Removes an entry up to that order in memory; a newer edit stays, with nothing sent before it. */
  remove({ id, order }: Pick<OutboxEntry, 'id' | 'order'>): void {
    if (this.#removeUpTo(id, order)) this.#removals.push({ id, order })
  }

  /**
   * What was removed since the last call, as a function that notes it on the disk: to be called when the base that goes
   * with it is there.
   */
  takeRemovals(): () => Promise<void> {
    const taken = this.#removals
    this.#removals = []
    return async () => {
      // An empty file says the same as many lines of what is done.
      if (taken.length >= MANY_REMOVALS && this.#entries.size === 0) return this.#journal.rewrite()
      await this.#journal.append(taken, ({ id, order }) => ['done', id, order])
      await this.#compact()
    }
  }

  /** Resolves when everything put so far is on the disk. */
  written(): Promise<void> {
    return this.#journal.idle()
  }

  /** See `BaseStore.verify`. */
  async verify(): Promise<string | undefined> {
    return (await this.#journal.check()) === 'changed' ? this.load() : undefined
  }

  async close(): Promise<void> {
    await this.takeRemovals()()
    if (this.#entries.size === 0 && this.#journal.length > 0) await this.#journal.rewrite()
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
    this.#replace({ ...entry, sent: NONE })
    this.#orders = Math.max(this.#orders, order)
    const now = this.#entries.get(id)
    if (now) now.sent = recent(earlier.filter((one) => one !== text))
  }

  /** What was sent before, and what the file had before all edits, goes on to count. */
  #replace(entry: OutboxEntry): OutboxEntry {
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

  async #compact(): Promise<void> {
    if (this.#journal.length > this.#entries.size * 4 + SLACK_LINES) await this.#journal.rewrite()
  }
}

function lineOf({ id, order, text, assumedBase, sent }: OutboxEntry) {
  return ['put', id, order, text, assumedBase ?? null, sent]
}

function recent(texts: readonly string[]): readonly string[] {
  return texts.length < 2 ? texts : [...new Set(texts)].slice(-MOST_SENT)
}
