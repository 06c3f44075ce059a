/**
 * What both sides last agreed on, text by text, kept on the disk. A base that is too old could undo an edit, so one that is damaged counts
 * as none: then equal texts make a base again and different ones are a conflict, and nothing is lost.
 */
import { join } from 'node:path'
import type { Agreement } from './agreed.ts'
import { createJournal } from './journal.ts'

export interface BaseStore {
  /** Reads it from the disk; gives what had to be thrown away, as a sentence, or nothing. */
  load(): Promise<string | undefined>
  get(id: string): string | undefined
  ids(): IterableIterator<string>
  readonly size: number
  /** Sets a text in memory, `undefined` forgets it. */
  set(id: string, text: string | undefined): void
  /** What is other than it was when it was loaded. */
  changes(): Agreement[]
  /** Resolves when everything set so far is on the disk (or the disk refused it). */
  flush(): Promise<void>
  /** Checks that the file is still this process's, after a long sleep for one; reads it anew where it is not. */
  verify(): Promise<string | undefined>
  close(): Promise<void>
}

export interface StoreOptions {
  readonly folder: string
  /** Remembers what `changes` gives. Default false. */
  readonly track?: boolean | undefined
  readonly onTrouble: (error: unknown) => void
}

/** A journal is written anew when it has this many lines more than twice what it stands for. */
const SLACK_LINES = 5_000

export function createBaseStore({ folder, onTrouble, track = false }: StoreOptions): BaseStore {
  let texts = new Map<string, string>()
  const before = new Map<string, string | undefined>()
  let records: [id: string, text: string | null][] = []
  const journal = createJournal({
    path: join(folder, 'base.jsonl'),
    format: 'localization-base',
    version: 1,
    snapshot: () => texts,
    onTrouble,
  })

  const load = async (): Promise<string | undefined> => {
    const { values, damagedLines, cutBytes, setAside } = await journal.load()
    texts = new Map()
    if (damagedLines > 0) {
      await journal.rewrite()
      return `what both sides last agreed on is damaged (${damagedLines} lines) and is found out anew: texts that differ now are conflicts`
    }
    for (const value of values) {
      if (!isRecord(value)) continue
      const [id, text] = value
      if (text === null) texts.delete(id)
      else texts.set(id, text)
    }
    if (setAside !== undefined) return `${setAside} was written by another version and is not used`
    return cutBytes > 0 ? `the last write to ${folder} was cut short; its ${cutBytes} bytes are dropped` : undefined
  }

  return {
    load,
    get: (id) => texts.get(id),
    ids: () => texts.keys(),
    get size() {
      return texts.size
    },
    changes: () => Array.from(before, ([id, text]) => ({ id, before: text, text: texts.get(id) })),
    set(id, text) {
      if (texts.get(id) === text) return
      if (track && !before.has(id)) before.set(id, texts.get(id))
      if (text === undefined) texts.delete(id)
      else texts.set(id, text)
      records.push([id, text ?? null])
    },
    async flush() {
      const taken = records
      records = []
      await journal.append(taken)
      await journal.idle()
      if (journal.length > texts.size * 2 + SLACK_LINES) await journal.rewrite()
    },
    async verify() {
      const state = await journal.state()
      if (state === 'gone') await journal.rewrite()
      return state === 'changed' ? load() : undefined
    },
    async close() {
      await journal.append(records)
      await journal.close()
    },
  }
}

function isRecord(value: unknown): value is [string, string | null] {
  return Array.isArray(value) && typeof value[0] === 'string' && (typeof value[1] === 'string' || value[1] === null)
}
