/** The state of sync as builds before the journal kept it: two journals and two files. It is converted once. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { textId } from '../catalog/text-id.ts'
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

export async function removeFormerState(folder: string): Promise<void> {
  for (const name of [BASE, OUTBOX, MADE, STATE]) await rm(join(folder, name), { force: true }).catch(() => undefined)
}

/** Calls `take` with the journal lines that correspond to the former files. False: there are none. */
export async function readFormerState(
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
    warn(`the base is damaged (${damagedBases} lines): texts that differ now are conflicts`)
  }
  for (const [id, text] of base) take(['base', id, text])
  const damagedEntries = eachLine(entries, take)
  if (damagedEntries > 0) warn(`${damagedEntries} entries of the outbox are damaged and were left out`)
  for (const [id, { source, digest }] of unlessBroken(() => parseSources(`${sources}`)) ?? [])
    take(['made', id, source, digest])
  const { holds = [] } = unlessBroken(() => stateSchema.parse(JSON.parse(`${state}`))) ?? {}
  for (const { reason, ...ref } of holds) take(['held', textId(ref), reason === 'switch' ? 'git' : reason])
  return [bases, entries, sources, state].some((content) => content !== undefined)
}

/** Returns the number of damaged lines. The first line names the format. */
function eachLine(bytes: Buffer | undefined, take: (line: unknown) => void): number {
  return bytes ? readLines(bytes, bytes.indexOf('\n') + 1, take).damagedLines : 0
}

/** A line of a process without the lock names the base that it replaced, and counts only where that was the base. */
function replayBase(base: Map<string, string>, value: unknown): void {
  if (!Array.isArray(value)) return
  const [id, text, before] = value as readonly unknown[]
  if (typeof id !== 'string' || (typeof text !== 'string' && text !== null)) return
  if (before !== undefined && before !== (base.get(id) ?? null)) return
  if (text) base.set(id, text)
  else base.delete(id)
}

function unlessBroken<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
