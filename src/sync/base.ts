/**
 * The texts that both sides last had in common. A base that is too old could undo an edit. So a damaged base counts as
 * none: then equal texts become the base, different ones are a conflict, and nothing is lost.
 */
import * as z from 'zod'
import { baseOf, type Common, commonAfter, type Sides } from './decide.ts'

export class BaseStore {
  #texts = new Map<string, Common>()
  readonly #unsaved = new Set<string>()

  /** `onMove` is called for each base that this process moves, with what it was before. */
  constructor(private readonly onMove?: (id: string, before: string | undefined) => void) {}

  get size(): number {
    return this.#texts.size
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
    this.#unsaved.add(id)
    if (baseOf(before) !== baseOf(common)) this.onMove?.(id, baseOf(before))
    this.#put(id, common)
  }

  clear(): void {
    this.#texts = new Map()
  }

  /** `undefined`: the line is not one of these. Otherwise its text. */
  replay(line: readonly unknown[]): string | undefined {
    const [what, id, value] = line
    if (what !== 'base' || typeof id !== 'string') return undefined
    const common = parseCommon(value)
    if (common !== null) this.#put(id, common)
    return id
  }

  /** The lines of the texts that were set since the last call. */
  takeLines(): unknown[] {
    const lines = Array.from(this.#unsaved, (id) => lineOf(id, this.#texts.get(id)))
    this.#unsaved.clear()
    return lines
  }

  *lines(): Generator<unknown> {
    for (const [id, common] of this.#texts) yield lineOf(id, common)
  }

  #put(id: string, common: Common | undefined): void {
    if (common === undefined) this.#texts.delete(id)
    else this.#texts.set(id, common)
  }
}

function lineOf(id: string, common: Common | undefined) {
  return ['base', id, common ?? null]
}

const commonSchema = z.union([
  z.object({ met: z.tuple([z.string(), z.string()]) }),
  z.object({ gone: z.array(z.string()) }),
])

/** `null`: not such a value. */
function parseCommon(value: unknown): Common | undefined | null {
  if (value === null || value === '') return undefined
  // Without the schema: almost every line has a text.
  if (typeof value === 'string') return value
  return commonSchema.safeParse(value).data ?? null
}
