/** Converts the state that builds before 0.1.0 stored: four files, later a journal whose outbox lines were numbered. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { textId } from '../catalog/text-id.ts'
import { count } from '../shared/figures.ts'
import { readLines } from './journal.ts'
import { parseSources } from './translation-sources.ts'

const [BASE, OUTBOX, MADE, STATE] = ['base.jsonl', 'outbox.jsonl', 'made-from.json', 'state.json'] as const

const refSchema = z.object({
  language: z.string(),
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
})
const stateSchema = z.object({ holds: z.array(refSchema.extend({ reason: z.string() })) })

export async function removeFormerFiles(folder: string): Promise<void> {
  for (const name of [BASE, OUTBOX, MADE, STATE]) await rm(join(folder, name), { force: true }).catch(() => undefined)
}

/** Calls `take` with the journal lines that correspond to the old files. Returns false if there are none. */
export async function readFormerFiles(
  folder: string,
  take: (line: unknown) => void,
  warn: (message: string) => void,
): Promise<boolean> {
  const read = (name: string) => readFile(join(folder, name)).catch(() => undefined)
  const [bases, entries, sources, state] = await Promise.all([BASE, OUTBOX, MADE, STATE].map(read))
  const base = new Map<string, string>()
  const damagedBases = eachLine(bases, (line) => replayBase(base, line))
  if (damagedBases > 0) {
    base.clear()
    warn(`the base is damaged (${count(damagedBases, 'line')}): texts that differ become conflicts`)
  }
  for (const [id, text] of base) take(['base', id, text])
  const damagedEntries = eachLine(entries, take)
  if (damagedEntries > 0) warn(`left out ${count(damagedEntries, 'damaged outbox entry', 'damaged outbox entries')}`)
  for (const [id, { source, digest }] of parsedOrUndefined(() => parseSources(`${sources}`)) ?? [])
    take(['made', id, source, digest])
  const { holds = [] } = parsedOrUndefined(() => stateSchema.parse(JSON.parse(`${state}`))) ?? {}
  for (const { reason, ...ref } of holds) take(['held', textId(ref), reason === 'switch' ? 'git' : reason])
  return [bases, entries, sources, state].some((content) => content !== undefined)
}

interface FormerEntry {
  readonly order: number
  readonly text: string
  readonly base: unknown
  readonly sent: readonly unknown[]
}

/**
 * Returns a function that converts journal lines of the kinds `put` and `done`, which number the edits of a text. It
 * returns other lines unchanged.
 */
export function formerLineReader(): (line: readonly unknown[]) => readonly unknown[] {
  const entries = new Map<string, FormerEntry>()
  return (line) => {
    const [what, id, order, text, base, sent] = line
    if ((what !== 'put' && what !== 'done') || typeof id !== 'string' || typeof order !== 'number') return line
    const before = entries.get(id)
    if (what === 'done') {
      if (!before || before.order <= order) {
        entries.delete(id)
        return ['outbox', id]
      }
      // On the service, the acknowledged text has overwritten the earlier ones.
      entries.set(id, { ...before, base: null, sent: [] })
    } else if (typeof text === 'string' && Array.isArray(sent)) {
      // Any earlier text may have been sent.
      const all = new Set([...(before ? [...before.sent, before.text] : []), ...sent])
      all.delete(text)
      entries.set(id, { order, text, base: before ? before.base : base, sent: [...all] })
    }
    const now = entries.get(id)
    return now ? ['outbox', id, now.text, now.base, now.sent] : ['outbox', id]
  }
}

/** Calls `take` for each line after the first one, which names the format. Returns the number of damaged lines. */
function eachLine(bytes: Buffer | undefined, take: (line: unknown) => void): number {
  return bytes ? readLines(bytes, bytes.indexOf('\n') + 1, take).damagedLines : 0
}

/**
 * Applies a line that sets a base. A line from a process without the lock also contains the base that it replaced. Such
 * a line is ignored if the base has changed since.
 */
function replayBase(base: Map<string, string>, value: unknown): void {
  if (!Array.isArray(value)) return
  const [id, text, before] = value as readonly unknown[]
  if (typeof id !== 'string' || (typeof text !== 'string' && text !== null)) return
  if (before !== undefined && before !== (base.get(id) ?? null)) return
  if (text) base.set(id, text)
  else base.delete(id)
}

function parsedOrUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
