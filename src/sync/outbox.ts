/**
 * Edits that the service has not acknowledged. They are on the disk before they are sent, with one entry for each text.
 */
import { parseTextId, type TextRef, textId } from '../catalog/text-id.ts'
import { JournaledMap } from './journal.ts'

export interface OutboxEntry {
  readonly id: string
  readonly ref: TextRef
  readonly text: string
  /** The file's text before the edit. It replaces a missing base. */
  readonly assumedBase: string | undefined
  /** Texts of this entry that were sent without a response, so the service may have them. */
  readonly sent: readonly string[]
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

/**
 * The entries in the order of their last edits. A newer edit of a text is a new entry. Otherwise, entries are changed
 * in place: copies of a hundred thousand entries would create garbage.
 */
export class Outbox extends JournaledMap<Writable<OutboxEntry>> {
  /** @param save resolves when the entries of these texts are on the disk */
  constructor(private readonly save: (ids: readonly string[]) => Promise<void>) {
    super('outbox', printEntry, parseEntry)
  }

  get size(): number {
    return this.values.size
  }

  get(id: string): OutboxEntry | undefined {
    return this.values.get(id)
  }

  entries(): readonly OutboxEntry[] {
    return [...this.values.values()]
  }

  /** Adds or replaces entries. Resolves to the count when they are on the disk. Send nothing before that. */
  async put(edits: Iterable<OutboxEdit>): Promise<number> {
    const changed: string[] = []
    for (const { ref, text, assumedBase, id = textId(ref) } of edits) {
      const before = this.values.get(id)
      if (before?.text === text) before.parked = undefined
      else {
        const { assumedBase: first, sent } = before ?? { assumedBase, sent: NONE }
        this.set(id, undefined)
        this.set(id, { id, ref, text, assumedBase: first, sent, parked: undefined })
        changed.push(id)
      }
    }
    await this.save(changed)
    return changed.length
  }

  /**
   * Notes that a request with this entry's text starts. Until the response arrives, the service may or may not have the
   * text.
   */
  sending(id: string): void {
    const entry = this.values.get(id)
    if (entry && !entry.sent.includes(entry.text)) entry.sent = entry.sent.concat(entry.text).slice(-MAX_SENT)
  }

  /** Marks every entry that was on the disk as possibly sent. */
  suspectSent(): void {
    for (const id of this.values.keys()) this.sending(id)
  }

  /**
   * Sets an entry aside, or releases it if `parked` is `undefined`. Only in memory: after a restart, the entry is tried
   * once more.
   */
  park(id: string, parked: OutboxEntry['parked']): void {
    const entry = this.values.get(id)
    if (entry) entry.parked = parked
  }

  /** Removes an entry. A newer edit is kept, without the texts that were sent before it. */
  remove(entry: OutboxEntry | undefined): void {
    const now = entry && this.values.get(entry.id)
    if (!now) return
    if (now === entry) this.set(now.id, undefined)
    // The acknowledged text has overwritten those that were sent earlier.
    else if (now.sent.length > 0) this.set(now.id, Object.assign(now, { sent: NONE, assumedBase: undefined }))
  }
}

function printEntry(entry: OutboxEntry | undefined): readonly unknown[] {
  return entry ? [entry.text, entry.assumedBase ?? null, entry.sent] : []
}

function parseEntry([text, base, sent]: readonly unknown[], id: string): OutboxEntry | undefined {
  if (typeof text !== 'string' || !Array.isArray(sent)) return undefined
  const assumedBase = typeof base === 'string' ? base : undefined
  const texts = sent.filter((one) => typeof one === 'string')
  return { id, ref: parseTextId(id), text, assumedBase, sent: texts, parked: undefined }
}
