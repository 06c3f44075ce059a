/**
 * Edits that the service has not acknowledged. They are on the disk before they are sent, with one entry for each text.
 */
import { parseTextId, type TextRef, textId } from '../catalog/text-id.ts'

export interface OutboxEntry {
  readonly id: string
  readonly ref: TextRef
  readonly text: string
  /** The file's text before the edit. It replaces a missing base. */
  readonly assumedBase: string | undefined
  /** Texts of this entry that were sent without a response, so the service may have them. */
  readonly sent: readonly string[]
  readonly order: number
  /**
   * The reason why the entry waits: the service refused the text (it is sent again only after a change), or both sides
   * changed.
   */
  readonly parked: { readonly kind: 'refused' | 'conflict'; readonly reason: string } | undefined
}

export type OutboxEdit = Pick<OutboxEntry, 'ref' | 'text' | 'assumedBase'> & { readonly id?: string }

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

const NONE: readonly string[] = []
/** The number of sent texts to remember. Few requests for one text can be running, so older texts no longer matter. */
const MAX_SENT = 8

export class Outbox {
  /** The entries, which are changed in place: copies of a hundred thousand entries would create garbage. */
  readonly #entries = new Map<string, Writable<OutboxEntry>>()
  #orders = 0
  #removals: Pick<OutboxEntry, 'id' | 'order'>[] = []

  /** @param write resolves when the lines are on the disk */
  constructor(private readonly write: (lines: readonly unknown[]) => Promise<void>) {}

  get size(): number {
    return this.#entries.size
  }

  get(id: string): OutboxEntry | undefined {
    return this.#entries.get(id)
  }

  /** The entries in the order of their last edits. */
  entries(): readonly OutboxEntry[] {
    return [...this.#entries.values()]
  }

  /** Adds or replaces entries. Resolves to the count when they are on the disk. Send nothing before that. */
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
    await this.write(changed.map(lineOf))
    return changed.length
  }

  /**
   * Notes that a request with this entry's text starts. Until the response arrives, the service may or may not have the
   * text.
   */
  sending(id: string): void {
    const entry = this.#entries.get(id)
    if (entry && !entry.sent.includes(entry.text)) entry.sent = recent(entry.sent.concat(entry.text))
  }

  /**
   * Sets an entry aside, or releases it if `parked` is `undefined`. Only in memory: after a restart, the entry is tried
   * once more.
   */
  park(id: string, parked: OutboxEntry['parked']): void {
    const entry = this.#entries.get(id)
    if (entry) entry.parked = parked
  }

  /**
   * Removes an entry from memory, unless it is newer than the given order. A newer edit is kept, without the texts that
   * were sent before it.
   */
  remove(entry: Pick<OutboxEntry, 'id' | 'order'> | undefined): void {
    if (entry && this.#removeUpTo(entry.id, entry.order)) this.#removals.push(entry)
  }

  /**
   * The lines that record the entries removed since the last call. They must follow the lines of these texts' bases.
   */
  takeLines(): unknown[] {
    const lines = this.#removals.map(({ id, order }) => ['done', id, order])
    this.#removals = []
    return lines
  }

  *lines(): Generator<unknown> {
    for (const entry of this.#entries.values()) yield lineOf(entry)
  }

  clear(): void {
    this.#entries.clear()
  }

  /** Marks every entry that was on the disk as possibly sent. */
  suspectSent(ids: Iterable<string> = this.#entries.keys()): void {
    for (const entry of Array.from(ids, (id) => this.#entries.get(id)))
      if (entry) entry.sent = recent([...entry.sent, entry.text])
  }

  /** Applies a line of the journal. Returns false if the line is not about an entry. */
  replay([what, id, order, text, base, sent]: readonly unknown[]): boolean {
    if ((what !== 'done' && what !== 'put') || typeof id !== 'string' || typeof order !== 'number') return false
    if (what === 'done') this.#removeUpTo(id, order)
    else if (typeof text === 'string' && Array.isArray(sent)) {
      const { sent: before = NONE, text: last } = this.#entries.get(id) ?? {}
      const assumedBase = typeof base === 'string' ? base : undefined
      const entry = this.#replace({ id, ref: parseTextId(id), text, assumedBase, order, parked: undefined, sent: NONE })
      const earlier: unknown[] = [...before, last, ...sent]
      entry.sent = recent(earlier.filter((one) => typeof one === 'string' && one !== text) as string[])
      this.#orders = Math.max(this.#orders, order)
    }
    return true
  }

  /** Replaces an entry, but keeps the texts that were already sent, and the file's text before all edits. */
  #replace(entry: OutboxEntry): Writable<OutboxEntry> {
    const before = this.#entries.get(entry.id)
    const next = before ? { ...entry, assumedBase: before.assumedBase, sent: before.sent } : entry
    this.#entries.delete(entry.id)
    this.#entries.set(entry.id, next)
    return next
  }

  #removeUpTo(id: string, order: number): boolean {
    const entry = this.#entries.get(id)
    if (!entry) return false
    if (entry.order <= order) return this.#entries.delete(id)
    // The acknowledged text has overwritten those that were sent earlier.
    this.#entries.set(id, { ...entry, sent: NONE, assumedBase: undefined })
    return true
  }
}

function lineOf({ id, order, text, assumedBase, sent }: OutboxEntry) {
  return ['put', id, order, text, assumedBase ?? null, sent]
}

function recent(texts: readonly string[]): readonly string[] {
  return texts.length < 2 ? texts : [...new Set(texts)].slice(-MAX_SENT)
}
