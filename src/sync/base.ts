/**
 * The bases on the disk: for each text, the text that both sides last had in common. A base that is too old could undo
 * an edit. So a damaged base counts as none: then equal texts become the base, different ones are a conflict, and
 * nothing is lost.
 *
 * While this process holds the lock, another process may append bases. Each of its lines names the base that it
 * replaces, and counts only if that is still the base.
 */

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { baseOf, type Common, commonAfter, type Sides } from './decide.ts'
import { Journal, type JournalAccess } from './journal.ts'

export interface StoreOptions {
  readonly folder: string
  readonly access: JournalAccess
  readonly onProblem: (message: string) => void
  readonly onTrouble: (error: unknown) => void
}

/** A file that has this many more lines than twice the number of bases is rewritten when it is read. */
const SLACK_LINES = 5_000

export class BaseStore {
  #texts = new Map<string, Common>()
  /** For texts whose base on the disk differs from the one in memory: the base on the disk. */
  #unsaved = new Map<string, Common | undefined>()
  /** Bases that are set while the file is read, until its content is applied. */
  #setMeanwhile: Map<string, Common | undefined> | undefined
  readonly #journal: Journal

  /** `onMove` is called for each base that this process moves, with what it was before. */
  constructor(
    private readonly options: StoreOptions,
    private readonly onMove?: (id: string, before: string | undefined) => void,
  ) {
    const { folder, onTrouble, access } = options
    const snapshot = () => this.#texts
    const path = join(folder, 'base.jsonl')
    this.#journal = new Journal({ path, format: 'localization-base', version: 1, access, snapshot, onTrouble })
  }

  async load(): Promise<void> {
    const { texts, lines, damagedLines } = await this.#read()
    this.#texts = texts
    if (damagedLines > 0) texts.clear()
    if (damagedLines > 0 || lines > texts.size * 2 + SLACK_LINES) await this.#journal.rewrite()
    if (damagedLines === 0) return
    this.options.onProblem(
      `the base is damaged (${damagedLines} lines) and is built again: texts that differ now are conflicts`,
    )
  }

  get(id: string): string | undefined {
    return baseOf(this.#texts.get(id))
  }

  common(id: string): Common | undefined {
    return this.#texts.get(id)
  }

  ids(): IterableIterator<string> {
    return this.#texts.keys()
  }

  /** Both sides were seen with these texts. `oursBefore`: the file's text of the time before. */
  meet(id: string, sides: Sides, oursBefore?: string): void {
    this.set(id, commonAfter(this.#texts.get(id), sides, oursBefore))
  }

  set(id: string, common: Common | undefined): void {
    const before = this.#texts.get(id)
    if (before === common) return
    if (!this.#unsaved.has(id)) this.#unsaved.set(id, before)
    this.#setMeanwhile?.set(id, common)
    if (baseOf(before) !== baseOf(common)) this.onMove?.(id, baseOf(before))
    put(this.#texts, id, common)
  }

  /** Resolves when everything set so far is on the disk (or the disk refused it). */
  async flush(): Promise<void> {
    await this.#append()
    await this.#journal.idle()
  }

  async hasAppended(): Promise<boolean> {
    return this.options.access === 'own' && (await this.#journal.isChanged())
  }

  /** Reads what other processes appended. Call the result to apply it: it gives the ids of texts whose base changed. */
  async readAppended(): Promise<() => readonly string[]> {
    if (!(await this.hasAppended())) return () => []
    const meanwhile = new Map<string, Common | undefined>()
    this.#setMeanwhile = meanwhile
    await this.flush()
    const { texts, damagedLines, setAside } = await this.#read()
    if (damagedLines > 0 || setAside !== undefined) {
      this.#setMeanwhile = undefined
      await this.#journal.rewrite()
      return () => []
    }
    return () => {
      this.#setMeanwhile = undefined
      for (const [id, text] of meanwhile) put(texts, id, text)
      const before = this.#texts
      this.#texts = texts
      return [...new Set([...before.keys(), ...texts.keys()])].filter(
        (id) => !isDeepStrictEqual(before.get(id), texts.get(id)),
      )
    }
  }

  async close(): Promise<void> {
    await this.#append()
    await this.#journal.close()
  }

  async #read() {
    const { folder, onProblem } = this.options
    const texts = new Map<string, Common>()
    const content = await this.#journal.load((value) => replay(texts, value))
    const { cutBytes, setAside } = content
    if (setAside !== undefined) onProblem(`${setAside} was written by another version and is not used`)
    if (cutBytes > 0) onProblem(`the last write to ${folder} was cut short; its ${cutBytes} bytes are dropped`)
    return { ...content, texts }
  }

  #append(): Promise<void> {
    const isBeside = this.options.access === 'append'
    const written = this.#journal.append(this.#unsaved, ([id, before]) => {
      const text = this.#texts.get(id) ?? null
      return isBeside ? [id, text, before ?? null] : [id, text]
    })
    this.#unsaved.clear()
    return written
  }
}

function replay(texts: Map<string, Common>, value: unknown): void {
  if (!Array.isArray(value)) return
  const [id, text, before] = value as readonly unknown[]
  const common = parseCommon(text)
  if (typeof id !== 'string' || common === null) return
  if (before === undefined || isDeepStrictEqual(parseCommon(before), texts.get(id))) put(texts, id, common)
}

const commonSchema = z.union([
  z.object({ met: z.tuple([z.string(), z.string()]) }),
  z.object({ gone: z.array(z.string()) }),
])

/** `null`: no such value. */
function parseCommon(value: unknown): Common | undefined | null {
  if (value === null || value === '') return undefined
  // Without the schema: almost every line has a text.
  if (typeof value === 'string') return value
  return commonSchema.safeParse(value).data ?? null
}

function put(texts: Map<string, Common>, id: string, text: Common | undefined): void {
  if (text === undefined) texts.delete(id)
  else texts.set(id, text)
}
