/**
 * Everything that sync remembers of a project, in one journal. Its lines are in the order of the changes: what a
 * translation was made from, then the base, then what the outbox no longer holds.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { textId } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { hashOf } from '../shared/hash.ts'
import { BaseStore } from './base.ts'
import { Journal, type JournalAccess, type JournalContent, JournaledMap } from './journal.ts'
import { MadeFrom, parseMadeFrom } from './made-from.ts'
import { Outbox } from './outbox.ts'
import { HOLD_REASONS, type HoldReason } from './records.ts'

export interface StoreOptions {
  readonly config: ResolvedConfig
  readonly access: JournalAccess
  readonly onProblem: (message: string) => void
  /** Called once when the disk stops taking lines, and once when it takes them again (`undefined`). */
  readonly onTrouble: (error: unknown) => void
}

/** The file of a process that writes much is rewritten when it has this many more lines than twice what it says. */
const SLACK_LINES = 5_000

/** One for each key of the service: texts of one project must never meet those of another. */
export function syncFolder(config: ResolvedConfig): string {
  const { apiKey = '', projectToken = '' } = config.service
  return join(config.root, '.localization', 'sync', hashOf(`unplugin-localization sync\0${apiKey || projectToken}`, 16))
}

export class SyncStore {
  readonly folder: string
  readonly base: BaseStore
  readonly outbox: Outbox
  readonly made: MadeFrom
  /** The texts that wait for a person, as a dev server said last. */
  readonly #held = new JournaledMap<HoldReason>(
    'held',
    (hold) => (hold ? [hold] : []),
    ([hold]) => HOLD_REASONS.find((one) => one === hold),
  )
  readonly #journal: Journal

  constructor(private readonly options: StoreOptions) {
    const { config, access, onProblem, onTrouble } = options
    this.folder = syncFolder(config)
    this.made = new MadeFrom({ config, access, onProblem })
    this.base = new BaseStore(this.made.noteMove)
    const path = join(this.folder, 'journal.jsonl')
    const snapshot = () => this.#lines()
    this.#journal = new Journal({ path, format: 'localization-sync', version: 1, access, snapshot, onTrouble })
    this.outbox = new Outbox((lines) => this.#journal.append(lines))
  }

  /** Errors: SYNC_VERSION. */
  async load(): Promise<void> {
    const { lines } = await this.#readAll()
    this.outbox.suspectSent()
    const live = this.base.size + this.outbox.size + this.#held.size
    if (lines > live * 2 + SLACK_LINES) await this.#journal.rewrite()
    await this.made.load()
  }

  /** The ids of the texts that a dev server holds. */
  get held(): ReadonlySet<string> {
    return new Set(this.#held.values.keys())
  }

  /** Writes what changed since the last call. */
  async commit(): Promise<void> {
    await this.#journal.append([...this.made.local.takeLines(), ...this.base.takeLines(), ...this.outbox.takeLines()])
  }

  /** Writes which texts wait for a person, and why. */
  async hold(texts: Iterable<{ readonly id: string; readonly hold: HoldReason }>): Promise<void> {
    const held = new Map(Array.from(texts, ({ id, hold }) => [id, hold]))
    for (const [id, hold] of held) if (this.#held.values.get(id) !== hold) this.#held.set(id, hold)
    for (const id of [...this.#held.values.keys()]) if (!held.has(id)) this.#held.set(id, undefined)
    await this.#journal.append(this.#held.takeLines())
  }

  /** Resolves when everything so far is on the disk (or the disk refused it). */
  written(): Promise<void> {
    return this.#journal.idle()
  }

  /** Another process wrote while this one stood by. Resolves to the ids of the texts about which it wrote. */
  async resume(): Promise<readonly string[]> {
    const touched = new Set<string>()
    const isRead = await this.#journal.resume((line) => {
      const id = this.#replay(line)
      if (id !== undefined) touched.add(id)
    })
    if (!isRead) {
      const before = new Map(Array.from(this.base.ids(), (id) => [id, this.base.common(id)]))
      for (const { id } of this.outbox.entries()) touched.add(id)
      await this.#readAll()
      for (const { id } of this.outbox.entries()) touched.add(id)
      for (const id of new Set([...before.keys(), ...this.base.ids()]))
        if (JSON.stringify(before.get(id)) !== JSON.stringify(this.base.common(id))) touched.add(id)
    }
    // The other process may have sent any entry.
    this.outbox.suspectSent()
    await this.made.load()
    return [...touched]
  }

  async close(): Promise<void> {
    await this.commit()
    await this.#journal.close()
  }

  async #readAll(): Promise<JournalContent> {
    const { access, onProblem } = this.options
    for (const part of [this.base, this.outbox, this.made.local, this.#held]) part.clear()
    const content = await this.#journal.load((line) => this.#replay(line))
    const { isMissing, damagedLines, cutBytes, setAside } = content
    if (setAside !== undefined) onProblem(`${setAside} was not written by this package and is not used`)
    if (cutBytes > 0) onProblem(`the last write to ${this.folder} was cut short; its ${cutBytes} bytes are dropped`)
    if (damagedLines > 0) {
      // A line about a text's base may be lost.
      this.base.clear()
      onProblem(`the journal of sync is damaged (${damagedLines} lines): texts that differ now are conflicts`)
    }
    const isFormer = isMissing && (await readFormerFiles(this.folder, (line) => this.#replay(line), onProblem))
    if (access !== 'own') return content
    if (isFormer || damagedLines > 0) await this.#journal.rewrite()
    // Only behind the journal: a conversion that was cut short starts again.
    if (isFormer || !isMissing)
      for (const name of FORMER_FILES) await rm(join(this.folder, name), { force: true }).catch(() => undefined)
    return content
  }

  /** Gives the id of the line's text. */
  #replay(line: unknown): string | undefined {
    if (!Array.isArray(line)) return undefined
    try {
      const id = this.base.replay(line) ?? this.#replayOutbox(line) ?? this.made.local.replay(line)
      if (id === undefined) this.#held.replay(line)
      return id
    } catch {
      // A line about something that cannot be a text.
      return undefined
    }
  }

  /** A process that only reads does not know which entries the process that wrote them has sent. */
  #replayOutbox(line: readonly unknown[]): string | undefined {
    return this.options.access === 'own' ? this.outbox.replay(line) : undefined
  }

  *#lines(): Generator<unknown> {
    yield* this.made.local.lines()
    yield* this.base.lines()
    yield* this.outbox.lines()
    yield* this.#held.lines()
  }
}

/** The files in which earlier releases kept the state of sync. */
const [BASE, OUTBOX, MADE, STATE] = ['base.jsonl', 'outbox.jsonl', 'made-from.json', 'state.json'] as const
const FORMER_FILES = [BASE, OUTBOX, MADE, STATE]

const refSchema = z.object({
  language: z.string(),
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
})
const stateSchema = z.object({ holds: z.array(refSchema.extend({ reason: z.string() })) })

/** Calls `take` with the journal lines that correspond to the files of an earlier release. False: there are none. */
async function readFormerFiles(
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

/**
 * A line of a process without the lock names the base that it replaced, and counts only where that was still the base.
 */
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
