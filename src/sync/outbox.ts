/** Edits that the service has not acknowledged. Each text has one entry, which is on disk before the text is sent. */
import { parseTextId, type TextRef, textId } from '../catalog/text-id.ts'
import { JournaledMap } from './journal.ts'

export interface OutboxEntry {
  readonly id: string
  readonly ref: TextRef
  readonly text: string
  /** The file's text before the edit. It is used as the base if the text has no base. */
  readonly assumedBase: string | undefined
  /** Earlier texts of this entry that were sent without a response. The service may have any of them. */
  readonly sent: readonly string[]
  /**
   * Set if the entry is not sent: the service refused the text (it is sent again after the next edit), or both sides
   * changed.
   */
  readonly parked: { readonly kind: 'refused' | 'conflict'; readonly reason: string } | undefined
}

export type OutboxEdit = Pick<OutboxEntry, 'ref' | 'text' | 'assumedBase'> & { readonly id?: string }

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

const NONE: readonly string[] = []
/** The maximum length of `sent`. Few requests for a text run at the same time, so older texts do not matter. */
const MAX_SENT = 8

/**
 * The entries, ordered by their last edit. A new edit creates a new entry. All other changes are made in place, because
 * copying 100,000 entries would create garbage.
 */
export class Outbox extends JournaledMap<Writable<OutboxEntry>> {
  /** @param save resolves when the entries of these texts are on disk */
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

  /** Adds or replaces entries. Resolves to the count when they are on disk. Send nothing before that. */
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
   * Records that a request with this entry's text is starting. Until it is answered, the service may or may not have
   * the text.
   */
  sending(id: string): void {
    const entry = this.values.get(id)
    if (entry && !entry.sent.includes(entry.text)) entry.sent = entry.sent.concat(entry.text).slice(-MAX_SENT)
  }

  /** Marks every entry as possibly sent, because an earlier process may have sent it. */
  suspectSent(): void {
    for (const id of this.values.keys()) this.sending(id)
  }

  /**
   * Sets an entry aside, or releases it if `parked` is `undefined`. Kept only in memory, so the entry is tried
   * again after a restart.
   */
  park(id: string, parked: OutboxEntry['parked']): void {
    const entry = this.values.get(id)
    if (entry) entry.parked = parked
  }

  /** Removes an entry. If a newer edit has replaced it, the new entry stays, but forgets the texts sent earlier. */
  remove(entry: OutboxEntry | undefined): void {
    const now = entry && this.values.get(entry.id)
    if (!now) return
    if (now === entry) this.set(now.id, undefined)
    // On the service, the acknowledged text has overwritten the earlier ones.
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
