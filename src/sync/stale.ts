/** Which translations are stale: the default language's text is another than the one that they were made from. */
import { type Catalog, compareCodeUnits } from '../catalog/model.ts'
import { parseTextId, type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import type { SeenFiles } from '../files/file-index.ts'
import { foldSpace } from '../shared/fold-space.ts'
import { split } from '../shared/split.ts'
import { type Bases, digestOf, type MadeFrom } from './made-from.ts'
import type { TextRecords } from './records.ts'
import type { SyncStore } from './store.ts'

export interface StaleText {
  readonly ref: TextRef
  readonly text: string
  /** The default language's text when the translation was made, and now. */
  readonly madeFrom: string
  readonly source: string
}

export interface StaleInput {
  readonly made: MadeFrom
  /** The default language of the catalog. If the records are for another one, no translation is stale. */
  readonly defaultLanguage: string
  readonly base: Bases
  readonly languages: readonly string[]
  /** The ids of the default language's texts that are not their base. */
  readonly edited: Iterable<string>
  /** The text on each side. Without a text on the first side there is no translation. */
  readonly texts: (ref: TextRef) => readonly (string | undefined)[]
}

export function findStale({ made, defaultLanguage, base, languages, edited, texts }: StaleInput): StaleText[] {
  const found: StaleText[] = []
  if (made.language !== defaultLanguage) return found
  const judge = (id: string, madeFrom: string, isMade: (text: string) => boolean) => {
    const ref = parseTextId(id)
    const [text, ...others] = texts(ref)
    const [source] = texts({ ...ref, language: made.language })
    if (!text || !source || ref.language === made.language) return
    // A translation with another text on any side is newer. A translation that equals the source needs no change.
    const isOutdated = [text, ...others].every((side) => !side || isMade(side)) && text !== source
    if (isOutdated && foldSpace(source) !== foldSpace(madeFrom)) found.push({ ref, text, madeFrom, source })
  }
  for (const id of made.ids()) {
    const known = made.get(id)
    if (known) judge(id, known.source, (text) => digestOf(text) === known.digest)
  }
  for (const source of edited) {
    const madeFrom = base.get(source)
    for (const language of languages) {
      const id = made.translationId(source, language)
      const text = base.get(id)
      if (!madeFrom || !text || made.get(id)?.digest === digestOf(text)) continue
      judge(id, madeFrom, (side) => side === text)
    }
  }
  // Not in the order in which the service answered.
  return found.sort((a, b) => compareCodeUnits(textId(a.ref), textId(b.ref)))
}

/** A person says that these translations are right for the source that was shown. */
export function confirmStale(made: MadeFrom, texts: readonly StaleText[]): void {
  for (const { ref, text, source } of texts) made.set(textId(ref), { source, digest: digestOf(text) })
}

/** The stale translations of a project that is open. */
export class ProjectStale {
  constructor(
    private readonly made: MadeFrom,
    private readonly base: Bases,
    private readonly files: SeenFiles,
    private readonly records: TextRecords,
  ) {}

  /** Records what the translations whose base moved were made from: what the files have, or what the service has. */
  record(side: 'ours' | 'theirs'): void {
    this.made.record(
      this.base,
      () => [...this.files.seen.languages()],
      (id) => this.#editedSource(id, side),
    )
  }

  save(most?: number): Promise<void> {
    this.record('ours')
    return this.made.save(most)
  }

  /** Of the files, as far as the service has no newer translation. */
  texts(defaultLanguage = this.made.language): readonly StaleText[] {
    const { made, base, files, records } = this
    // Bases may have moved since the last save.
    this.record('ours')
    const texts = (ref: TextRef) =>
      files.seen.isUnknown(ref) ? [] : [files.seen.text(ref), records.theirs(textId(ref))]
    const edited = Array.from(records.differences(), ({ id }) => id).filter((id) => this.#editedSource(id, 'ours'))
    return findStale({ made, defaultLanguage, base, languages: [...files.seen.languages()], edited, texts })
  }

  /** Marks translations as correct. Returns those that have changed since the person saw them. */
  async confirm(seen: readonly StaleText[]): Promise<readonly StaleText[]> {
    await this.made.load()
    const asText = ({ ref, text, source }: StaleText) => JSON.stringify([textId(ref), text, source])
    const now = new Set(this.texts().map(asText))
    const [current, changed] = split(seen, (one) => now.has(asText(one)))
    confirmStale(this.made, current)
    await this.made.save()
    return changed
  }

  #editedSource(id: string, side: 'ours' | 'theirs'): string | undefined {
    if (!this.made.isSource(id)) return undefined
    // Before the first reading there may be no record. It may also have the outbox's text instead of the file's.
    const record = this.records.get(id)
    const base = this.base.get(id)
    if (base === undefined && record?.state !== 'conflict') return undefined
    const ref = record?.ref ?? parseTextId(id)
    const isInFile = side === 'ours' && !this.files.seen.isUnknown(ref)
    const text = isInFile ? textOrGap(this.files.seen.text(ref)) : record?.[side]
    return text !== base ? text : undefined
  }
}

/** The stale translations of a catalog, from the records of this folder, without a service. */
export function staleTextsOf({ made, base }: SyncStore, catalog: Catalog, defaultLanguage: string): StaleText[] {
  const textOf = ({ language, namespace, key, customer }: TextRef) =>
    catalog.messages(language, namespace, customer)?.get(key)
  const languages = catalog.languages.map(({ key }) => key)
  const edited = [...base.ids()].filter((id) => made.isSource(id) && textOf(parseTextId(id)) !== base.get(id))
  const texts = (ref: TextRef) => [textOf(ref)]
  return findStale({ made, defaultLanguage, base, languages, edited, texts })
}
