/** Reads the files in which earlier releases kept the state of sync, so that the journal takes it over. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { textId } from '../catalog/text-id.ts'
import { Journal } from './journal.ts'
import { parseMadeFrom } from './made-from-file.ts'

const [BASE, OUTBOX, MADE, STATE] = ['base.jsonl', 'outbox.jsonl', 'made-from.json', 'state.json'] as const
export const FORMER_FILES = [BASE, OUTBOX, MADE, STATE]

const refSchema = z.object({
  language: z.string(),
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
})
const stateSchema = z.object({ holds: z.array(refSchema.extend({ reason: z.string() })) })

/** Calls `take` with the lines of the journal that say the same. False: there are no such files. */
export async function readFormerFiles(
  folder: string,
  take: (line: unknown) => void,
  onProblem: (message: string) => void,
): Promise<boolean> {
  const base = new Map<string, string>()
  const bases = await readJournal(folder, BASE, 'localization-base', (value) => replayBase(base, value))
  if (bases.damagedLines > 0) {
    base.clear()
    onProblem(`the base is damaged (${bases.damagedLines} lines): texts that differ now are conflicts`)
  }
  for (const [id, text] of base) take(['base', id, text])
  const entries = await readJournal(folder, OUTBOX, 'localization-outbox', take)
  if (entries.damagedLines > 0) onProblem(`${entries.damagedLines} entries of the outbox are damaged and were left out`)
  const made = await readJson(folder, MADE)
  const isMade = made !== undefined && takeMade(made, take)
  const { data: state } = stateSchema.safeParse(await readJson(folder, STATE))
  for (const { reason, ...ref } of state?.holds ?? []) take(['held', textId(ref), reason === 'switch' ? 'git' : reason])
  return !bases.isMissing || !entries.isMissing || isMade || state !== undefined
}

function takeMade(content: unknown, take: (line: unknown) => void): boolean {
  const { data } = z.object({ language: z.string() }).safeParse(content)
  if (!data) return false
  try {
    for (const [id, { source, digest }] of parseMadeFrom(JSON.stringify(content), data.language))
      take(['made', id, source, digest])
    return true
  } catch {
    return false
  }
}

/** A process beside the one with the lock named the base that it replaced: its line counted only where that was still the base. */
function replayBase(base: Map<string, string>, value: unknown): void {
  if (!Array.isArray(value)) return
  const [id, text, before] = value as readonly unknown[]
  if (typeof id !== 'string' || (typeof text !== 'string' && text !== null)) return
  if (before !== undefined && before !== (base.get(id) ?? null)) return
  if (text) base.set(id, text)
  else base.delete(id)
}

async function readJournal(folder: string, name: string, format: string, take: (value: unknown) => void) {
  const path = join(folder, name)
  const journal = new Journal({ path, format, version: 1, access: 'read', snapshot: () => [], onTrouble: () => {} })
  const content = await journal.load(take)
  await journal.close()
  return content
}

async function readJson(folder: string, name: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(folder, name), 'utf8'))
  } catch {
    return undefined
  }
}
