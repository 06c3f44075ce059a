/**
 * The text that both sides last had in common, for each text, kept on the disk. A base that is too old could undo an
 * edit, so a damaged one counts as none: then equal texts make a base again, different ones are a conflict, and nothing
 * is lost.
 */
import { join } from 'node:path'
import type { Agreement } from './agreed.ts'
import { Journal } from './journal.ts'

export interface StoreOptions {
  readonly folder: string
  /** Remembers what `changes` returns. Default false. */
  readonly track?: boolean | undefined
  readonly onTrouble: (error: unknown) => void
}

/** A journal is written anew when it has this many lines more than twice what it stands for. */
const SLACK_LINES = 5_000

export class BaseStore {
  readonly #texts = new Map<string, string>()
  /** Ids of texts that are not on the disk as they are here. */
  #unsaved: string[] = []
  readonly #before: Map<string, string | undefined> | undefined
  readonly #folder: string
  readonly #journal: Journal

  constructor({ folder, onTrouble, track = false }: StoreOptions) {
    this.#folder = folder
    if (track) this.#before = new Map()
    const snapshot = () => this.#texts
    const path = join(folder, 'base.jsonl')
    this.#journal = new Journal({ path, format: 'localization-base', version: 1, snapshot, onTrouble })
  }

  /** Reads it from the disk; returns what had to be thrown away, as a sentence, or nothing. */
  async load(): Promise<string | undefined> {
    this.#texts.clear()
    const { damagedLines, cutBytes, setAside } = await this.#journal.load((value) => {
      if (isRecord(value)) this.#put(value[0], value[1] ?? undefined)
    })
    if (damagedLines > 0) {
      this.#texts.clear()
      await this.#journal.rewrite()
      return `the base is damaged (${damagedLines} lines) and is found out anew: texts that differ now are conflicts`
    }
    if (setAside !== undefined) return `${setAside} was written by another version and is not used`
    return cutBytes > 0
      ? `the last write to ${this.#folder} was cut short; its ${cutBytes} bytes are dropped`
      : undefined
  }

  get size(): number {
    return this.#texts.size
  }

  get(id: string): string | undefined {
    return this.#texts.get(id)
  }

  ids(): IterableIterator<string> {
    return this.#texts.keys()
  }

  /** Sets a text in memory; `undefined` forgets it. */
  set(id: string, text: string | undefined): void {
    const before = this.#texts.get(id)
    if (before === text) return
    if (this.#before && !this.#before.has(id)) this.#before.set(id, before)
    this.#put(id, text)
    this.#unsaved.push(id)
  }

  /** What is other than it was when it was loaded. */
  changes(): Agreement[] {
    return Array.from(this.#before ?? [], ([id, before]) => ({ id, before, text: this.#texts.get(id) }))
  }

  /** Resolves when everything set so far is on the disk (or the disk refused it). */
  async flush(): Promise<void> {
    await this.#append()
    await this.#journal.idle()
    if (this.#journal.length > this.#texts.size * 2 + SLACK_LINES) await this.#journal.rewrite()
  }

  /** Checks that the file is still this process's, after a long sleep for one; reads it anew where it is not. */
  async verify(): Promise<string | undefined> {
    return (await this.#journal.check()) === 'changed' ? this.load() : undefined
  }

  async close(): Promise<void> {
    await this.#append()
    await this.#journal.close()
  }

  #append(): Promise<void> {
    const ids = this.#unsaved
    this.#unsaved = []
    return this.#journal.append(ids, (id) => [id, this.#texts.get(id) ?? null])
  }

  #put(id: string, text: string | undefined): void {
    if (text === undefined) this.#texts.delete(id)
    else this.#texts.set(id, text)
  }
}

function isRecord(value: unknown): value is [string, string | null] {
  return Array.isArray(value) && typeof value[0] === 'string' && (typeof value[1] === 'string' || value[1] === null)
}
