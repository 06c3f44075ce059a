/**
 * Edits that were accepted and not yet acknowledged: on the disk before they are sent, one entry for each text whatever the number of
 * edits, gone when the service has it.
 */
import { join } from 'node:path'
import { parseTextId, type TextRef, textId } from '../catalog/text-id.ts'
import type { StoreOptions } from './base.ts'
import { createJournal } from './journal.ts'

export interface OutboxEntry {
  readonly id: string
  readonly ref: TextRef
  /** What the service is to have. */
  readonly text: string
  /** What the file had before the edit: stands for the base where there is none. */
  readonly assumedBase: string | undefined
  /** Earlier texts of this entry that may have reached the service without our knowing. */
  readonly sent: readonly string[]
  /** Grows with each edit. */
  readonly order: number
  /** Why it waits: it was refused (and is not sent again as it is), or both sides changed. */
  readonly parked?: { readonly kind: 'refused' | 'conflict'; readonly reason: string } | undefined
}

export interface OutboxEdit extends Pick<OutboxEntry, 'ref' | 'text' | 'assumedBase'> {
  /** Saves making it. */
  readonly id?: string
}

export interface Outbox {
  /** Reads it from the disk; gives what had to be thrown away, as a sentence, or nothing. */
  load(): Promise<{ readonly problem: string | undefined; readonly damaged: boolean }>
  get(id: string): OutboxEntry | undefined
  entries(): readonly OutboxEntry[]
  readonly size: number
  /** Adds or replaces; resolves when all of them are on the disk (or the disk refused them). Nothing may be sent before. */
  put(edits: readonly OutboxEdit[]): Promise<void>
  /** A request with this entry's present text goes out now: until it is acknowledged nobody knows whether it arrived. */
  sending(id: string): void
  /** Parks an entry, or with `undefined` lets it go on. In memory: after a restart it is tried once again. */
  park(id: string, parked: OutboxEntry['parked']): void
  /** Removes an entry up to that order in memory; a newer edit stays, with nothing sent before it. */
  remove(id: string, order: number): void
  /**
   * What was removed since the last call, as a function that notes it on the disk: to be called when the base that goes with it is there.
   */
  takeRemovals(): () => Promise<void>
  /** Resolves when everything put so far is on the disk. */
  written(): Promise<void>
  verify(): Promise<string | undefined>
  close(): Promise<void>
}

type PutRecord = ['put', id: string, order: number, text: string, assumedBase: string | null, sent: string[]]
type DoneRecord = ['done', id: string, order: number]

const SLACK_LINES = 500
const MANY_REMOVALS = 100
/** Requests for one text that may still be under way are few; more are history. */
const MOST_SENT = 8

export function createOutbox({ folder, onTrouble }: StoreOptions): Outbox {
  const entries = new Map<string, OutboxEntry>()
  let orders = 0
  let removals: DoneRecord[] = []
  const journal = createJournal({
    path: join(folder, 'outbox.jsonl'),
    format: 'localization-outbox',
    version: 1,
    snapshot: () => [...entries.values()].map(recordOf),
    onTrouble,
  })

  const compact = async () => {
    if (journal.length > entries.size * 4 + SLACK_LINES) await journal.rewrite()
  }

  const replay = (value: unknown) => {
    if (isPut(value)) {
      const [, id, order, text, assumedBase, sent] = value
      const before = entries.get(id)
      const earlier = before ? [...before.sent, before.text] : []
      entries.set(id, {
        id,
        ref: parseTextId(id),
        text,
        assumedBase: before ? before.assumedBase : (assumedBase ?? undefined),
        sent: recent([...earlier, ...sent], text),
        order,
      })
      orders = Math.max(orders, order)
    } else if (isDone(value)) {
      const [, id, order] = value
      removeUpTo(id, order)
    }
  }

  const removeUpTo = (id: string, order: number): boolean => {
    const entry = entries.get(id)
    if (!entry) return false
    if (entry.order <= order) entries.delete(id)
    // Whatever was sent before the acknowledged text has been overwritten by it.
    else entries.set(id, { ...entry, sent: [], assumedBase: undefined })
    return true
  }

  const load = async () => {
    const parked = new Map([...entries.values()].map(({ id, text, parked }) => [id, { text, parked }]))
    const { values, damagedLines, cutBytes, setAside } = await journal.load()
    entries.clear()
    for (const value of values) {
      try {
        replay(value)
      } catch {
        // A record of nothing that could be a text: there is nothing to send.
      }
    }
    // Anything that was on the disk may have been sent.
    for (const entry of entries.values()) {
      const known = parked.get(entry.id)
      const sent = recent([...entry.sent, entry.text], undefined)
      entries.set(entry.id, { ...entry, sent, parked: known?.text === entry.text ? known.parked : undefined })
    }
    const problems = [
      setAside !== undefined && `${setAside} was written by another version and is not sent`,
      damagedLines > 0 && `${damagedLines} entries of the outbox are damaged and were left out`,
      cutBytes > 0 && `the last entry of the outbox was cut short and is dropped (${cutBytes} bytes)`,
    ].filter((problem) => problem !== false)
    return { problem: problems.length > 0 ? problems.join('; ') : undefined, damaged: damagedLines > 0 }
  }

  return {
    load,
    get: (id) => entries.get(id),
    entries: () => [...entries.values()].sort((a, b) => a.order - b.order),
    get size() {
      return entries.size
    },
    async put(edits) {
      const records: PutRecord[] = []
      for (const { ref, text, assumedBase, id = textId(ref) } of edits) {
        const before = entries.get(id)
        if (before?.text === text) {
          entries.set(id, { ...before, parked: undefined })
          continue
        }
        const entry: OutboxEntry = {
          id,
          ref,
          text,
          assumedBase: before ? before.assumedBase : assumedBase,
          sent: before?.sent ?? [],
          order: ++orders,
        }
        entries.set(id, entry)
        records.push(recordOf(entry))
      }
      await journal.append(records)
      await compact()
    },
    sending(id) {
      const entry = entries.get(id)
      if (entry && !entry.sent.includes(entry.text)) {
        // In place: a copy of each of a hundred thousand entries would be garbage.
        ;(entry as { sent: readonly string[] }).sent = recent([...entry.sent, entry.text], undefined)
      }
    },
    park(id, parked) {
      const entry = entries.get(id)
      if (entry) entries.set(id, { ...entry, parked })
    },
    remove(id, order) {
      if (removeUpTo(id, order)) removals.push(['done', id, order])
    },
    takeRemovals() {
      const taken = removals
      removals = []
      return async () => {
        // An empty file says the same as many lines of what is done.
        if (taken.length >= MANY_REMOVALS && entries.size === 0) return journal.rewrite()
        await journal.append(taken)
        await compact()
      }
    },
    written: () => journal.idle(),
    async verify() {
      const state = await journal.state()
      if (state === 'gone') await journal.rewrite()
      return state === 'changed' ? (await load()).problem : undefined
    },
    async close() {
      await journal.append(removals)
      if (entries.size === 0 && journal.length > 0) await journal.rewrite()
      await journal.close()
    },
  }
}

function recordOf({ id, order, text, assumedBase, sent }: OutboxEntry): PutRecord {
  return ['put', id, order, text, assumedBase ?? null, [...sent]]
}

function recent(sent: readonly string[], except: string | undefined): string[] {
  if (sent.length < 2 && except === undefined) return [...sent]
  return [...new Set(sent)].filter((text) => text !== except).slice(-MOST_SENT)
}

function isPut(value: unknown): value is PutRecord {
  if (!Array.isArray(value) || value[0] !== 'put') return false
  const [, id, order, text, assumedBase, sent] = value
  return (
    typeof id === 'string' &&
    typeof order === 'number' &&
    typeof text === 'string' &&
    (typeof assumedBase === 'string' || assumedBase === null) &&
    Array.isArray(sent) &&
    sent.every((item) => typeof item === 'string')
  )
}

function isDone(value: unknown): value is DoneRecord {
  return Array.isArray(value) && value[0] === 'done' && typeof value[1] === 'string' && typeof value[2] === 'number'
}
