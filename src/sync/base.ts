/**
 * The text that both sides last had in common, for each text, kept on the disk. A base that is too old could undo an
 * edit, so a damaged base counts as none: then equal texts make a base again, different ones are a conflict, and nothing
 * is lost.
 *
 * Another process may append what it finds out while this one holds the lock. Its lines name the base that they replace,
 * and count only where that is still the base.
 */
import { join } from 'node:path'
import { Journal, type JournalAccess, type JournalProblems } from './journal.ts'

export interface StoreOptions {
  readonly folder: string
  /** Default `own`. */
  readonly access?: JournalAccess | undefined
  /** Called with what had to be thrown away, as a sentence. */
  readonly onProblem: (message: string) => void
  readonly onTrouble: (error: unknown) => void
}

/** A journal is written anew when it has this many lines more than twice what it stands for. */
const SLACK_LINES = 5_000

export class BaseStore {
  #texts = new Map<string, string>()
  /** What the disk has for the texts that it has otherwise. */
  #unsaved = new Map<string, string | undefined>()
  readonly #options: StoreOptions
  readonly #journal: Journal

  constructor(options: StoreOptions) {
    this.#options = options
    const { folder, onTrouble, access = 'own' } = options
    const snapshot = () => this.#texts
    const path = join(folder, 'base.jsonl')
    this.#journal = new Journal({ path, format: 'localization-base', version: 1, access, snapshot, onTrouble })
  }

  async load(): Promise<void> {
    const { damagedLines } = await this.#read()
    if (damagedLines === 0) return
    this.#texts.clear()
    await this.#journal.rewrite()
    this.#options.onProblem(
      `the base is damaged (${damagedLines} lines) and is found out anew: texts that differ now are conflicts`,
    )
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
    if (!this.#unsaved.has(id)) this.#unsaved.set(id, before)
    this.#put(id, text)
  }

  /** Resolves when everything set so far is on the disk (or the disk refused it). */
  async flush(): Promise<void> {
    await this.#append()
    await this.#journal.idle()
    const isLong = this.#journal.length > this.#texts.size * 2 + SLACK_LINES
    if (isLong && !(await this.#journal.isChanged())) await this.#journal.rewrite()
  }

  /** Whether other processes appended something. */
  hasAppended(): Promise<boolean> {
    return this.#journal.isChanged()
  }

  /** Takes in what other processes appended. Resolves with the ids of the texts that have another base now. */
  async takeAppended(): Promise<readonly string[]> {
    await this.flush()
    if (!(await this.#journal.isChanged())) return []
    const before = this.#texts
    const { damagedLines, setAside } = await this.#read()
    if (damagedLines > 0 || setAside !== undefined) {
      this.#texts = before
      await this.#journal.rewrite()
      return []
    }
    const ids = new Set([...before.keys(), ...this.#texts.keys()])
    return [...ids].filter((id) => before.get(id) !== this.#texts.get(id))
  }

  async close(): Promise<void> {
    await this.#append()
    await this.#journal.close()
  }

  async #read(): Promise<JournalProblems> {
    const { folder, onProblem } = this.#options
    this.#texts = new Map()
    const problems = await this.#journal.load((value) => this.#replay(value))
    const { cutBytes, setAside } = problems
    if (setAside !== undefined) onProblem(`${setAside} was written by another version and is not used`)
    if (cutBytes > 0) onProblem(`the last write to ${folder} was cut short; its ${cutBytes} bytes are dropped`)
    return problems
  }

  #append(): Promise<void> {
    const isBeside = this.#options.access === 'append'
    const lines = Array.from(this.#unsaved, ([id, before]) => {
      const line = [id, this.#texts.get(id) ?? null]
      return isBeside ? [...line, before ?? null] : line
    })
    this.#unsaved.clear()
    return this.#journal.append(lines)
  }

  #replay(value: unknown): void {
    if (!Array.isArray(value)) return
    const [id, text, before] = value as readonly unknown[]
    if (typeof id !== 'string' || (typeof text !== 'string' && text !== null)) return
    if (before === undefined || before === (this.#texts.get(id) ?? null)) this.#put(id, text ?? undefined)
  }

  #put(id: string, text: string | undefined): void {
    if (text === undefined) this.#texts.delete(id)
    else this.#texts.set(id, text)
  }
}
