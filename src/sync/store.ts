/**
 * The stored state of a project's sync, in one journal. Lines are in the order of the changes: first a translation's
 * source, then the base, then the outbox.
 */
import { dirname } from 'node:path'
import * as z from 'zod'
import { textOrGap } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { FilesSnapshot } from '../files/file-index.ts'
import { count } from '../shared/figures.ts'
import { baseOf, type Common, commonAfter, type Sides } from './decide.ts'
import { formerLineReader, readFormerFiles, removeFormerFiles } from './former-state.ts'
import { Journal, type JournalAccess, JournaledMap, journalPath } from './journal.ts'
import { Outbox } from './outbox.ts'
import { type TranslationSource, TranslationSources } from './translation-sources.ts'

/**
 * The reasons to hold a text.
 *
 * - `start`: it was already different when the server started.
 * - `batch`: too many texts changed together.
 * - `git`: git wrote it.
 */
const HOLD_REASONS = ['start', 'batch', 'git'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

/** On load, a journal with more lines than twice its values plus this number is rewritten. */
const SLACK_LINES = 5_000

/**
 * The texts that both sides last had. An outdated base could undo an edit, so a damaged base is discarded. Equal texts
 * then become the base and different ones are conflicts, so nothing is lost.
 */
export class BaseStore extends JournaledMap<Common> {
  /** Bases that changed since the last `takeMoves`, with their previous values. */
  #moved = new Map<string, string | undefined>()

  constructor() {
    super('base', (common) => [common ?? null], parseCommon)
  }

  get(id: string): string | undefined {
    return baseOf(this.values.get(id))
  }

  common(id: string): Common | undefined {
    return this.values.get(id)
  }

  meet(id: string, sides: Sides, oursBefore?: string): void {
    this.set(id, commonAfter(this.common(id), sides, oursBefore))
  }

  override set(id: string, common: Common | undefined): void {
    const before = this.common(id)
    if (before === common) return
    if (baseOf(before) !== baseOf(common) && !this.#moved.has(id)) this.#moved.set(id, baseOf(before))
    super.set(id, common)
  }

  takeMoves(): ReadonlyMap<string, string | undefined> {
    const moved = this.#moved
    this.#moved = new Map()
    return moved
  }
}

const commonSchema = z.union([
  z.object({ met: z.tuple([z.string(), z.string()]) }),
  z.object({ gone: z.array(z.string()) }),
])

/** Parses a line's value; `null` if it is of an unknown kind. */
function parseCommon([value]: readonly unknown[]): Common | undefined | null {
  if (value === null || value === '') return undefined
  // Almost all values are strings, so this avoids the slow schema.
  if (typeof value === 'string') return value
  return commonSchema.safeParse(value).data ?? null
}

export class SyncStore {
  readonly folder: string
  readonly base = new BaseStore()
  readonly outbox: Outbox
  readonly sources: TranslationSources
  /** The held texts, according to a dev server's last report. */
  readonly #held = new JournaledMap<HoldReason>(
    'held',
    (hold) => (hold ? [hold] : []),
    ([hold]) => HOLD_REASONS.find((one) => one === hold),
  )
  /** The sources of translations, unless `staleFile` is set. */
  readonly #sources = new JournaledMap<TranslationSource>(
    'made',
    (made) => (made ? [made.source, made.digest] : []),
    ([source, digest]) => (typeof source === 'string' && typeof digest === 'string' ? { source, digest } : undefined),
  )
  readonly #journal: Journal

  constructor(
    config: ResolvedConfig,
    private readonly access: JournalAccess,
    private readonly warn: (message: string) => void,
  ) {
    this.folder = dirname(journalPath(config))
    this.sources = new TranslationSources(config, access, this.#sources, warn)
    this.#journal = new Journal(journalPath(config), access, () => this.#lines(), warn)
    // The new entry may replace one that has just been acknowledged, so the base is written first.
    this.outbox = new Outbox((ids) =>
      this.#journal.append([...this.base.takeLines(ids), ...this.outbox.takeLines(ids)]),
    )
  }

  /** Loads the stored state. Throws SYNC_VERSION. */
  async load(): Promise<void> {
    const { lines } = await this.#readAll()
    this.outbox.suspectSent()
    const live = this.base.values.size + this.outbox.size + this.#held.values.size
    if (lines > live * 2 + SLACK_LINES) await this.#journal.rewrite()
    await this.sources.load()
  }

  get held(): ReadonlySet<string> {
    return new Set(this.#held.values.keys())
  }

  /**
   * Updates outbox entries that are older than the files. If `onlyBase` is true, updates an entry only if the file now
   * has the base.
   */
  async followFiles(files: FilesSnapshot, onlyBase = false): Promise<void> {
    const edits = []
    for (const entry of this.outbox.entries()) {
      const ours = textOrGap(files.text(entry.ref))
      const isBase = ours !== undefined && ours === this.base.get(entry.id)
      if (files.isUnknown(entry.ref) || ours === entry.text || (onlyBase && !isBase)) continue
      if (ours === undefined || (isBase && entry.sent.length === 0)) this.outbox.remove(entry)
      else edits.push({ ref: entry.ref, text: ours, assumedBase: undefined })
    }
    await this.outbox.put(edits)
  }

  async commit(): Promise<void> {
    await this.#journal.append([...this.#sources.takeLines(), ...this.base.takeLines(), ...this.outbox.takeLines()])
  }

  async hold(texts: Iterable<{ readonly id: string; readonly hold: HoldReason }>): Promise<void> {
    const held = new Map(Array.from(texts, ({ id, hold }) => [id, hold]))
    for (const [id, hold] of held) if (this.#held.values.get(id) !== hold) this.#held.set(id, hold)
    for (const id of [...this.#held.values.keys()]) if (!held.has(id)) this.#held.set(id, undefined)
    await this.#journal.append(this.#held.takeLines())
  }

  /** Resolves when all changes so far are on disk, or when writing them has failed. */
  written(): Promise<void> {
    return this.#journal.append()
  }

  /** Reads what another process wrote while this one was paused. Resolves to the ids of the affected texts. */
  async resume(): Promise<readonly string[]> {
    const touched = new Set<string>()
    if (!(await this.#journal.isKnown())) {
      const bases = new Map(this.base.values)
      const entries = new Map(this.outbox.values)
      await this.#readAll()
      for (const { id, text } of this.outbox.entries()) {
        const known = entries.get(id)
        if (known?.text !== text) touched.add(id)
        else this.outbox.park(id, known.parked)
      }
      for (const id of entries.keys()) if (!this.outbox.get(id)) touched.add(id)
      for (const id of new Set([...bases.keys(), ...this.base.values.keys()]))
        if (!isSameCommon(bases.get(id), this.base.common(id))) touched.add(id)
    }
    // The other process may have sent any entry.
    this.outbox.suspectSent()
    await this.sources.load()
    return [...touched]
  }

  async close(): Promise<void> {
    await this.commit()
    await this.#journal.close()
  }

  async #readAll() {
    for (const part of [this.base, this.outbox, this.#sources, this.#held]) part.clear()
    const current = formerLineReader()
    const take = (line: unknown) => {
      if (Array.isArray(line)) this.#replay(current(line))
    }
    const content = await this.#journal.load(take)
    const { isMissing, damagedLines } = content
    if (damagedLines > 0) {
      // A damaged line may have contained the newest base of any text.
      this.base.clear()
      this.warn(`the sync journal is damaged (${count(damagedLines, 'line')}): texts that differ become conflicts`)
    }
    const isFormer = isMissing && (await readFormerFiles(this.folder, take, this.warn))
    if (this.access !== 'own') return content
    if (isFormer || damagedLines > 0) await this.#journal.rewrite()
    // Removed only after the journal is written, so that an interrupted conversion starts again.
    if (isFormer || !isMissing) await removeFormerFiles(this.folder)
    return content
  }

  #replay(line: readonly unknown[]): void {
    // A process that only reads does not know which entries the writer has sent.
    const parts = [this.base, this.#sources, this.#held, ...(this.access === 'own' ? [this.outbox] : [])]
    try {
      parts.some((part) => part.replay(line))
    } catch {
      // The line is ignored, because its id is not a valid text id.
    }
  }

  *#lines(): Generator<unknown> {
    for (const part of [this.#sources, this.base, this.outbox, this.#held]) yield* part.lines()
  }
}

function isSameCommon(one: Common | undefined, other: Common | undefined): boolean {
  return one === other || (typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
