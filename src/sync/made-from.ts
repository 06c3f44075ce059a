/**
 * Records which text of the default language each translation was made from, if that may differ from the base. A record
 * applies to one text of the translation only. So records may be lost, kept too long or merged by Git, and no
 * translation is reported as stale by mistake. The journal has the records, or the file of the option `staleFile`.
 */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import { parseTextId, textId, textRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { createFilePatterns, displayPath } from '../files/patterns.ts'
import { writeIfChanged } from '../shared/atomic-write.ts'
import { foldSpace } from '../shared/fold-space.ts'
import { hashOf } from '../shared/hash.ts'
import { FingerprintMemo } from '../shared/stat-fingerprint.ts'
import type { JournalAccess } from './journal.ts'

/** What one text of a translation was made from. */
export interface Made {
  /** The default language's text. */
  readonly source: string
  /** Of the translation's text. */
  readonly digest: string
}

export function digestOf(text: string): string {
  return hashOf(text, 16)
}

export interface MadeFromOptions {
  readonly config: ResolvedConfig
  readonly access: JournalAccess
  readonly onProblem: (message: string) => void
}

/** The base of a text, by its id. */
export interface Bases {
  get(id: string): string | undefined
}

export class MadeFrom {
  /** The default language. Sync does not ask the service for it. */
  readonly language: string
  readonly #prefix: string
  readonly #path: string | undefined
  /** Of the journal. A new `staleFile` takes over these. */
  readonly #local = new Map<string, Made>()
  #made: ReadonlyMap<string, Made> = this.#local
  #isReadable = true
  readonly #fingerprints = new FingerprintMemo(() => performance.now())
  /** Records that are not on the disk yet; `undefined`: the record on the disk must be removed. */
  readonly #unsaved = new Map<string, Made | undefined>()
  #last = Promise.resolve()
  /** The bases that moved since the last `record`, as they were before. */
  #moved = new Map<string, string | undefined>()

  constructor(private readonly options: MadeFromOptions) {
    const { root, defaultLanguage = 'en', staleFile } = options.config
    this.language = defaultLanguage
    this.#prefix = prefixOf(defaultLanguage)
    this.#path = staleFile === undefined ? undefined : resolve(root, staleFile)
    if (staleFile === undefined || !createFilePatterns(options.config).match(staleFile)) return
    throw new LocalizationError(`the option staleFile names a translation file: ${staleFile}`, {
      code: 'CONFIG_INVALID',
      hint: 'Give it a name that no pattern of the option files matches.',
    })
  }

  get(id: string): Made | undefined {
    return this.#unsaved.has(id) ? this.#unsaved.get(id) : this.#made.get(id)
  }

  ids(): Iterable<string> {
    return new Set([...this.#made.keys(), ...this.#unsaved.keys()])
  }

  set(id: string, made: Made | undefined): void {
    const known = this.get(id)
    if (known?.source !== made?.source || known?.digest !== made?.digest) this.#unsaved.set(id, made)
  }

  isSource(id: string): boolean {
    return id.startsWith(this.#prefix)
  }

  /** The id of the same text in another language. */
  translationId(source: string, language: string): string {
    return prefixOf(language) + source.slice(this.#prefix.length)
  }

  /** The id of the same text in the default language. */
  sourceId(translation: string): string {
    const end = translation.indexOf('",') + 2
    // A backslash may be an escaped quote: then it is not the language's end.
    if (translation.lastIndexOf('\\', end) >= 0) return textId({ ...parseTextId(translation), language: this.language })
    return this.#prefix + translation.slice(end)
  }

  /** Called for each base that moves. */
  readonly noteMove = (id: string, before: string | undefined): void => {
    if (!this.#moved.has(id)) this.#moved.set(id, before)
  }

  /**
   * Updates the records for the bases that changed since the last call. `editedSource`: the source that the translator
   * saw, if it differs from its base.
   */
  record(base: Bases, languages: () => readonly string[], editedSource: (id: string) => string | undefined): void {
    const moved = this.#moved
    if (moved.size === 0) return
    this.#moved = new Map()
    const others = languages().filter((language) => language !== this.language)
    if (others.length === 0) return
    const isNew = (id: string) => moved.has(id) && moved.get(id) !== base.get(id)
    const editedSources = new Map<string, string | undefined>()
    const sourceSeenBy = (translation: string) => {
      const id = this.sourceId(translation)
      if (!editedSources.has(id)) editedSources.set(id, editedSource(id))
      return editedSources.get(id)
    }
    for (const [id, before] of moved) {
      const now = base.get(id)
      if (now === before) continue
      // Before a first base, the earlier source is unknown: translations count as made from the file's text.
      const source = this.isSource(id) ? (before ?? editedSource(id)) : sourceSeenBy(id)
      if (!this.isSource(id)) this.#moveTranslation(id, now, source)
      else if (source !== undefined)
        for (const language of others) {
          const translation = this.translationId(id, language)
          // A translation that changed at the same time was made from the new text.
          if (!isNew(translation)) this.#moveSource(translation, base.get(translation), source, now)
        }
    }
  }

  /** `undefined`: the line is not one of these. Otherwise its text. */
  replay(line: readonly unknown[]): string | undefined {
    const [what, id, source, digest] = line
    if (what !== 'made' || typeof id !== 'string') return undefined
    put(this.#local, id, typeof source === 'string' && typeof digest === 'string' ? { source, digest } : undefined)
    return id
  }

  clear(): void {
    this.#local.clear()
  }

  /** Lines for the journal: the records that were set since the last call. */
  takeLines(): unknown[] {
    if (this.#path !== undefined) return []
    const lines = Array.from(this.#unsaved, ([id, made]) => lineOf(id, made))
    for (const [id, made] of this.#unsaved) put(this.#local, id, made)
    this.#unsaved.clear()
    return lines
  }

  *lines(): Generator<unknown> {
    for (const [id, made] of this.#local) yield lineOf(id, made)
  }

  /** Reads records that Git or another process wrote into the file. Runs after the calls of `save` and `load` that came before. */
  load(): Promise<void> {
    return this.#inTurn(() => this.#load())
  }

  async #load(): Promise<void> {
    const path = this.#path
    if (path === undefined) return
    const found = await stat(path).catch(() => undefined)
    if (!found) {
      this.#made = this.#local
      this.#isReadable = true
      return
    }
    if (this.#fingerprints.isUnchanged('', found)) return
    this.#fingerprints.willRead('', found)
    await this.#read(path)
  }

  /**
   * Adds the new records to those in the file, unless there would be more than `most`. A full disk loses no text.
   */
  save(most = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#inTurn(() => this.#save(most))
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work)
    return this.#last
  }

  async #save(most: number): Promise<void> {
    const { access, onProblem } = this.options
    const path = this.#path
    if (
      path === undefined ||
      this.#unsaved.size === 0 ||
      access === 'read' ||
      this.#made.size + this.#unsaved.size > most
    )
      return
    await this.#load()
    if (!this.#isReadable) return
    const made = new Map(this.#made)
    const added = [...this.#unsaved]
    for (const [id, one] of added) put(made, id, one)
    try {
      await writeIfChanged(path, printMadeFrom(made, this.language), { durable: false })
      this.#made = made
      this.#fingerprints.forget('')
      // Records that were set during the write must still be saved.
      for (const [id, one] of added) if (this.#unsaved.get(id) === one) this.#unsaved.delete(id)
    } catch (error) {
      onProblem(`what translations were made from is not kept: ${messageOf(error)}`)
    }
  }

  async #read(path: string): Promise<void> {
    try {
      this.#made = parseMadeFrom(await readFile(path, 'utf8'), this.language)
      this.#isReadable = true
    } catch (error) {
      const file = displayPath(this.options.config.root, path)
      if (this.#isReadable)
        this.options.onProblem(`${file} cannot be read, so stale translations are not known: ${messageOf(error)}`)
      this.#isReadable = false
      this.#made = new Map()
    }
  }

  /** The source of this translation, whose text is `text`, moved from `before` to `now`. */
  #moveSource(id: string, text: string | undefined, before: string, now: string | undefined): void {
    if (text === undefined || now === undefined) this.#setIfOther(id, undefined, undefined)
    else if (foldSpace(before) !== foldSpace(now)) this.#setIfOther(id, text, before)
  }

  /** This translation has another text now, which was made from the base of its source, or from an edited one. */
  #moveTranslation(id: string, text: string | undefined, editedSource: string | undefined): void {
    if (text !== undefined && editedSource !== undefined) this.#setIfOther(id, text, editedSource)
    else if (this.get(id)) this.#setIfOther(id, text, undefined)
  }

  /** A record of this very text stays. */
  #setIfOther(id: string, text: string | undefined, source: string | undefined): void {
    const digest = text === undefined ? undefined : digestOf(text)
    const known = this.get(id)
    if (known && known.digest === digest) return
    this.set(id, digest === undefined || source === undefined ? undefined : { source, digest })
  }
}

function prefixOf(language: string): string {
  return `[${JSON.stringify(language)},`
}

function lineOf(id: string, made: Made | undefined) {
  return made ? ['made', id, made.source, made.digest] : ['made', id]
}

function put(made: Map<string, Made>, id: string, one: Made | undefined): void {
  if (one) made.set(id, one)
  else made.delete(id)
}

/** The file: one line for each key and text, so that Git merges it well. */
const lineSchema = z.object({
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
  madeFrom: z.string(),
  /** Digests by language. */
  translations: z.record(z.string(), z.string()),
})
const fileSchema = z.object({ version: z.literal(1), language: z.string(), texts: z.array(lineSchema) })
type Line = z.infer<typeof lineSchema>

/** By id. Records of another default language are ignored. Throws if this is no such file. */
export function parseMadeFrom(content: string, language: string): Map<string, Made> {
  const file = fileSchema.parse(JSON.parse(content))
  const made = new Map<string, Made>()
  if (file.language !== language) return made
  for (const { namespace, key, customer, madeFrom: source, translations } of file.texts)
    for (const [translation, digest] of Object.entries(translations))
      made.set(textId(textRef({ language: translation, namespace, customer }, key)), { source, digest })
  return made
}

export function printMadeFrom(made: ReadonlyMap<string, Made>, language: string): string {
  const lines = new Map<string, Line>()
  for (const [id, { source, digest }] of made) {
    const { language: translation, ...ref } = parseTextId(id)
    const name = JSON.stringify([ref.namespace, ref.key, ref.customer ?? '', source])
    const line = lines.get(name) ?? { ...ref, madeFrom: source, translations: {} }
    line.translations[translation] = digest
    lines.set(name, line)
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = sorted.map(([, { translations, ...line }]) => {
    const byLanguage = Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1))
    return `\n    ${JSON.stringify({ ...line, translations: Object.fromEntries(byLanguage) })}`
  })
  const end = texts.length > 0 ? '\n  ' : ''
  return `{\n  "version": 1,\n  "language": ${JSON.stringify(language)},\n  "texts": [${texts.join(',')}${end}]\n}\n`
}
