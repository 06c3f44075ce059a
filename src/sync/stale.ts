/** Finds stale translations: those made before the default language's text changed. */
import type { Catalog } from '../catalog/model.ts'
import { parseTextId, type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import type { SeenFiles } from '../files/file-index.ts'
import { foldSpace } from '../shared/fold-space.ts'
import { hashOf } from '../shared/hash.ts'
import { compareCodeUnits, split } from '../shared/split.ts'
import type { TextRecords } from './records.ts'
import type { BaseStore, SyncStore } from './store.ts'
import type { TranslationSources } from './translation-sources.ts'

export interface StaleText {
  readonly ref: TextRef
  readonly text: string
  /** The default language's text when the translation was made. */
  readonly madeFrom: string
  /** The default language's text now. */
  readonly source: string
}

interface KnownTexts {
  readonly sources: TranslationSources
  readonly base: Pick<BaseStore, 'get'>
  readonly languages: readonly string[]
}

interface StaleQuestion extends KnownTexts {
  /** The catalog's default language. If the records are for a different one, no translation counts as stale. */
  readonly defaultLanguage: string
  /** The ids of the default language's texts that differ from their base. */
  readonly edited: Iterable<string>
  /** Returns the text on each side. If the first side has no text, there is no translation. */
  readonly texts: (ref: TextRef) => readonly (string | undefined)[]
}

export function findStale({ sources, defaultLanguage, base, languages, edited, texts }: StaleQuestion): StaleText[] {
  const found: StaleText[] = []
  if (sources.language !== defaultLanguage) return found
  const judge = (id: string, madeFrom: string, isMade: (text: string) => boolean) => {
    const ref = parseTextId(id)
    const [text, ...others] = texts(ref)
    const [source] = texts({ ...ref, language: defaultLanguage })
    if (!text || !source || ref.language === defaultLanguage) return
    // If a side has another text, the translation was updated there. A translation that equals the source is current.
    const isOutdated = [text, ...others].every((side) => !side || isMade(side)) && text !== source
    if (isOutdated && foldSpace(source) !== foldSpace(madeFrom)) found.push({ ref, text, madeFrom, source })
  }
  for (const id of sources.ids()) {
    const known = sources.get(id)
    if (known) judge(id, known.source, (text) => digestOf(text) === known.digest)
  }
  for (const source of edited) {
    const madeFrom = base.get(source)
    for (const language of languages) {
      const id = idIn(language, source)
      const text = base.get(id)
      if (!madeFrom || !text || sources.get(id)?.digest === digestOf(text)) continue
      judge(id, madeFrom, (side) => side === text)
    }
  }
  // Sorted, because the service's order may vary.
  return found.sort((a, b) => compareCodeUnits(textId(a.ref), textId(b.ref)))
}

/** Records the source of each translation whose base, or whose source's base, has changed. */
export function recordSources(
  { sources, base, languages }: KnownTexts,
  moved: ReadonlyMap<string, string | undefined>,
  editedSource: (id: string) => string | undefined,
): void {
  const isSource = sourceTest(sources)
  const others = languages.filter((language) => language !== sources.language)
  if (others.length === 0) return
  const isNew = (id: string) => moved.has(id) && moved.get(id) !== base.get(id)
  /** Sets the record, unless there already is one for this text. */
  const put = (id: string, text: string | undefined, source: string | undefined) => {
    const digest = text === undefined ? undefined : digestOf(text)
    const known = sources.get(id)
    if (known && known.digest === digest) return
    sources.set(id, digest === undefined || source === undefined ? undefined : { source, digest })
  }
  const editedSources = new Map<string, string | undefined>()
  for (const [id, before] of moved) {
    const now = base.get(id)
    if (now === before) continue
    const sourceId = idIn(sources.language, id)
    if (!editedSources.has(sourceId)) editedSources.set(sourceId, editedSource(sourceId))
    const edited = editedSources.get(sourceId)
    if (!isSource(id)) {
      if (edited !== undefined || sources.get(id)) put(id, now, edited)
      continue
    }
    // If there was no base, the earlier source is unknown. The file's text is used instead.
    const source = before ?? edited
    if (source === undefined) continue
    for (const language of others) {
      const translation = idIn(language, id)
      // A translation that changed at the same time was made from the new source.
      if (isNew(translation)) continue
      const text = base.get(translation)
      if (text === undefined || now === undefined) put(translation, undefined, undefined)
      else if (foldSpace(source) !== foldSpace(now)) put(translation, text, source)
    }
  }
}

/**
 * Marks translations as correct. Skips those that have changed since the user saw them, and returns the skipped ones.
 *
 * @param now the stale translations, read while this process holds the folder's lock
 */
export function confirmStale(
  sources: TranslationSources,
  seen: readonly StaleText[],
  now: readonly StaleText[],
): readonly StaleText[] {
  const asText = ({ ref, text, source }: StaleText) => JSON.stringify([textId(ref), text, source])
  const known = new Set(now.map(asText))
  const [current, changed] = split(seen, (one) => known.has(asText(one)))
  for (const { ref, text, source } of current) sources.set(textId(ref), { source, digest: digestOf(text) })
  return changed
}

export class ProjectStale {
  readonly #isSource: (id: string) => boolean

  constructor(
    private readonly store: Pick<SyncStore, 'base' | 'sources'>,
    private readonly files: SeenFiles,
    private readonly records: TextRecords,
  ) {
    this.#isSource = sourceTest(store.sources)
  }

  /** Records the sources of translations whose base changed. `side` tells where the source texts come from. */
  record(side: 'ours' | 'theirs'): void {
    const moved = this.store.base.takeMoves()
    if (moved.size > 0) recordSources(this.#known, moved, (id) => this.#editedSource(id, side))
  }

  save(most?: number): Promise<void> {
    this.record('ours')
    return this.store.sources.save(most)
  }

  /** The stale translations in the files. A translation is not stale if the service has a newer one. */
  texts(defaultLanguage = this.store.sources.language): readonly StaleText[] {
    const { files, records } = this
    this.record('ours')
    const texts = (ref: TextRef) =>
      files.seen.isUnknown(ref) ? [] : [files.seen.text(ref), records.theirs(textId(ref))]
    const edited = Array.from(records.differences(), ({ id }) => id).filter((id) => this.#editedSource(id, 'ours'))
    return findStale({ ...this.#known, defaultLanguage, edited, texts })
  }

  /** See `confirmStale`. */
  async confirm(seen: readonly StaleText[]): Promise<readonly StaleText[]> {
    const { sources } = this.store
    await sources.load()
    const changed = confirmStale(sources, seen, this.texts())
    await sources.save()
    return changed
  }

  get #known(): KnownTexts {
    const { base, sources } = this.store
    return { base, sources, languages: [...this.files.seen.languages()] }
  }

  #editedSource(id: string, side: 'ours' | 'theirs'): string | undefined {
    if (!this.#isSource(id)) return undefined
    // Before the first reading, the record may be missing, or may contain the outbox's text instead of the file's.
    const record = this.records.get(id)
    const base = this.store.base.get(id)
    if (base === undefined && record?.state !== 'conflict') return undefined
    const ref = record?.ref ?? parseTextId(id)
    const isInFile = side === 'ours' && !this.files.seen.isUnknown(ref)
    const text = isInFile ? textOrGap(this.files.seen.text(ref)) : record?.[side]
    return text !== base ? text : undefined
  }
}

/** The stale translations in a catalog, according to this folder's records. Needs no service. */
export function staleTextsOf({ sources, base }: SyncStore, catalog: Catalog, defaultLanguage: string): StaleText[] {
  const textOf = ({ language, namespace, key, customer }: TextRef) =>
    catalog.messages(language, namespace, customer)?.get(key)
  const languages = catalog.languages.map(({ key }) => key)
  const isEdited = (id: string) => textOf(parseTextId(id)) !== base.get(id)
  const edited = [...base.values.keys()].filter(sourceTest(sources)).filter(isEdited)
  return findStale({ sources, defaultLanguage, base, languages, edited, texts: (ref) => [textOf(ref)] })
}

function digestOf(text: string): string {
  return hashOf(text, 16)
}

/** Returns a function that tests if an id belongs to a text in the default language. */
function sourceTest({ language }: TranslationSources): (id: string) => boolean {
  const prefix = `[${JSON.stringify(language)},`
  return (id) => id.startsWith(prefix)
}

export function idIn(language: string, id: string): string {
  const end = id.indexOf('",') + 1
  // If the language contains an escaped quote, `end` may be wrong.
  if (id.lastIndexOf('\\', end) >= 0) return textId({ ...parseTextId(id), language })
  return `[${JSON.stringify(language)}${id.slice(end)}`
}
