/**
 * The texts that both sides last had in common. A base that is too old could undo an edit. So a damaged base counts as
 * none: then equal texts become the base, different ones are a conflict, and nothing is lost.
 */
import * as z from 'zod'
import { baseOf, type Common, commonAfter, type Sides } from './decide.ts'
import { JournaledMap } from './journal.ts'

export class BaseStore extends JournaledMap<Common> {
  /** `onMove` is called for each base that this process moves, with what it was before. */
  constructor(private readonly onMove?: (id: string, before: string | undefined) => void) {
    super('base', (common) => [common ?? null], parseCommon)
  }

  get(id: string): string | undefined {
    return baseOf(this.values.get(id))
  }

  common(id: string): Common | undefined {
    return this.values.get(id)
  }

  ids(): IterableIterator<string> {
    return this.values.keys()
  }

  /** Both sides were seen with these texts. `oursBefore`: the file's text of the time before. */
  meet(id: string, sides: Sides, oursBefore?: string): void {
    this.set(id, commonAfter(this.common(id), sides, oursBefore))
  }

  override set(id: string, common: Common | undefined): void {
    const before = this.common(id)
    if (before === common) return
    if (baseOf(before) !== baseOf(common)) this.onMove?.(id, baseOf(before))
    super.set(id, common)
  }
}

const commonSchema = z.union([
  z.object({ met: z.tuple([z.string(), z.string()]) }),
  z.object({ gone: z.array(z.string()) }),
])

/** `null`: not such a value. */
function parseCommon([value]: readonly unknown[]): Common | undefined | null {
  if (value === null || value === '') return undefined
  // Without the schema: almost every line has a text.
  if (typeof value === 'string') return value
  return commonSchema.safeParse(value).data ?? null
}
