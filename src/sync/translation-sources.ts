/**
 * The default language's text that each translation was made from, if it may differ from the base. A record applies to
 * only one text of the translation. So even if records are lost, outdated or merged by git, no translation is wrongly
 * reported as stale. The records are in the journal or, if the option `staleFile` is set, in that file.
 */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import { parseTextId, textId, textRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { editFile } from '../shared/atomic-write.ts'
import { displayPath } from '../shared/paths.ts'
import { FingerprintMemo } from '../shared/stat-fingerprint.ts'
import type { JournalAccess, JournaledMap } from './journal.ts'

export interface TranslationSource {
  /** The default language's text. */
  readonly source: string
  /** The digest of the translation's text. */
  readonly digest: string
}

export class TranslationSources {
  /** The option `defaultLanguage`. Sync does not ask the service for it. */
  readonly language: string
  readonly #path: string | undefined
  readonly #name: string
  /** The records in the file, or in the journal if there is no file yet. */
  #inFile: ReadonlyMap<string, TranslationSource>
  #isReadable = true
  readonly #fingerprints = new FingerprintMemo(() => performance.now())
  /** Records that are not in the file yet; `undefined` removes a record from the file. */
  readonly #unsaved = new Map<string, TranslationSource | undefined>()
  #last = Promise.resolve()

  constructor(
    config: ResolvedConfig,
    private readonly access: JournalAccess,
    private readonly journaled: JournaledMap<TranslationSource>,
    private readonly warn: (message: string) => void,
  ) {
    const { root, defaultLanguage = 'en', staleFile } = config
    this.language = defaultLanguage
    this.#inFile = journaled.values
    this.#path = staleFile === undefined ? undefined : resolve(root, staleFile)
    this.#name = displayPath(root, this.#path ?? root)
    if (staleFile === undefined || !createFilePatterns(config).match(staleFile)) return
    throw new LocalizationError(`the option "staleFile" names a translation file: ${staleFile}`, {
      code: 'CONFIG_INVALID',
      hint: 'Give it a name that no pattern in the option "files" matches.',
    })
  }

  get(id: string): TranslationSource | undefined {
    return this.#unsaved.has(id) ? this.#unsaved.get(id) : this.#inFile.get(id)
  }

  ids(): Iterable<string> {
    return new Set([...this.#inFile.keys(), ...this.#unsaved.keys()])
  }

  set(id: string, made: TranslationSource | undefined): void {
    const known = this.get(id)
    if (known?.source === made?.source && known?.digest === made?.digest) return
    if (this.#path === undefined) this.journaled.set(id, made)
    else this.#unsaved.set(id, made)
  }

  /** Reads records that git or another process wrote into the file. Waits for earlier calls to `save` and `load`. */
  load(): Promise<void> {
    return this.#inTurn((path) => this.#load(path))
  }

  /**
   * Adds new records to the file, unless it would then have more than `most`. If writing fails, the records are kept
   * for the next call.
   */
  save(most = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#inTurn((path) => this.#save(path, most))
  }

  #inTurn(work: (path: string) => Promise<void>): Promise<void> {
    const path = this.#path
    if (path !== undefined) this.#last = this.#last.then(() => work(path))
    return this.#last
  }

  async #load(path: string): Promise<void> {
    const found = await stat(path).catch(() => undefined)
    if (!found) {
      this.#inFile = this.journaled.values
      this.#isReadable = true
      return
    }
    if (this.#fingerprints.isUnchanged('', found)) return
    this.#fingerprints.willRead('', found)
    try {
      this.#inFile = parseSources(await readFile(path, 'utf8'), this.language)
      this.#isReadable = true
    } catch (error) {
      const what = `${this.#name} cannot be read, so stale translations cannot be detected`
      if (this.#isReadable) this.warn(`${what}: ${messageOf(error)}`)
      this.#isReadable = false
      this.#inFile = new Map()
    }
  }

  async #save(path: string, most: number): Promise<void> {
    if (this.access === 'read' || this.#unsaved.size === 0 || this.#inFile.size + this.#unsaved.size > most) return
    await this.#load(path)
    if (!this.#isReadable) return
    let sources = new Map<string, TranslationSource>()
    const added = [...this.#unsaved]
    const addTo = (content: Buffer | undefined) => {
      sources = content ? parseSources(content.toString(), this.language) : new Map(this.journaled.values)
      for (const [id, one] of added) {
        if (one) sources.set(id, one)
        else sources.delete(id)
      }
      return printSources(sources, this.language)
    }
    try {
      await editFile(path, addTo, { durable: false })
      this.#inFile = sources
      this.#fingerprints.forget('')
      // Records set during the write must still be saved.
      for (const [id, one] of added) if (this.#unsaved.get(id) === one) this.#unsaved.delete(id)
    } catch (error) {
      this.warn(`cannot save translation sources: ${messageOf(error)}`)
    }
  }
}

/** One line per key and source text, so that git can merge the file. */
const lineSchema = z.object({
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
  madeFrom: z.string(),
  /** Digests of the translations, by language. */
  translations: z.record(z.string(), z.string()),
})
const fileSchema = z.object({ version: z.literal(1), language: z.string(), texts: z.array(lineSchema) })
type Line = z.infer<typeof lineSchema>

/**
 * Parses the file into records by id. Returns none if the file is for a different default language. Throws if the
 * content has a different format.
 */
export function parseSources(content: string, language?: string): Map<string, TranslationSource> {
  const file = fileSchema.parse(JSON.parse(content))
  const sources = new Map<string, TranslationSource>()
  if (file.language !== (language ?? file.language)) return sources
  for (const { namespace, key, customer, madeFrom: source, translations } of file.texts)
    for (const [translation, digest] of Object.entries(translations))
      sources.set(textId(textRef({ language: translation, namespace, customer }, key)), { source, digest })
  return sources
}

function printSources(sources: ReadonlyMap<string, TranslationSource>, language: string): string {
  const lines = new Map<string, Line>()
  for (const [id, { source, digest }] of sources) {
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
