/** The content of the project's files at a point in time, and the differences between two such states. */
import {
  type Catalog,
  createCatalog,
  type LazyTexts,
  type Messages,
  type PartInput,
  replaceParts,
} from '../catalog/model.ts'
import { type PartRef, partId, partOf, type TextRef, textId } from '../catalog/text-id.ts'
import type { Diagnostic } from '../errors.ts'
import { groupsByKey } from '../shared/split.ts'
import type { TranslationFile } from './patterns.ts'

export interface FileContent {
  /** The bytes last read; `undefined` if the file is unreadable. */
  readonly bytes: Buffer | undefined
  /** The last content without errors; `undefined` if there was none. */
  readonly texts: LazyTexts | undefined
  readonly findings: readonly Diagnostic[]
  /** True if the file has been broken since the first scan, so that its texts are unknown. */
  readonly isUnknown: boolean
}

const NO_TEXTS: Messages = new Map()

/**
 * A file and its content. A dev server starts without reading files that no page requests; they are read when they are
 * first used. If such a file turns out to be broken, it has no texts.
 */
export class KnownFile implements LazyTexts {
  readonly file: TranslationFile
  #content: FileContent | (() => FileContent)

  /** @param content the content, or a function that reads it on first use */
  constructor(file: TranslationFile, content: FileContent | (() => FileContent)) {
    this.file = file
    this.#content = content
  }

  get isRead(): boolean {
    return typeof this.#content !== 'function'
  }

  get content(): FileContent {
    if (typeof this.#content === 'function') this.#content = this.#content()
    return this.#content
  }

  get hash() {
    return this.content.texts?.hash ?? ''
  }

  get count() {
    return this.content.texts?.count ?? 0
  }

  get values() {
    return this.content.texts?.values
  }

  readonly messages = (): Messages => this.content.texts?.messages() ?? NO_TEXTS
}

/** The longest time that background reading may delay a request. */
const TURN_MS = 10
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/**
 * The content of all files at a point in time. Immutable, so that page, sync, inspector and commands can compare and
 * share it. Texts are parsed on demand.
 */
export class FilesSnapshot {
  readonly size = (part: PartRef): number => this.fileOf(part)?.messages().size ?? 0
  #byPart: Map<string, KnownFile> | undefined
  #catalog: Catalog | undefined
  /** The files without a customer, by namespace. */
  #general: ReadonlyMap<string, readonly TranslationFile[]> | undefined

  /** @param files the files by absolute path */
  constructor(
    readonly files: ReadonlyMap<string, KnownFile> = new Map(),
    readonly listFindings: readonly Diagnostic[] = [],
  ) {}

  get byPart(): ReadonlyMap<string, KnownFile> {
    if (!this.#byPart) {
      this.#byPart = new Map()
      for (const known of this.files.values()) {
        const id = partId(known.file)
        if (!this.#byPart.has(id)) this.#byPart.set(id, known)
      }
    }
    return this.#byPart
  }

  text(ref: TextRef): string | undefined {
    return this.fileOf(ref)?.messages().get(ref.key)
  }

  /** True if the part's file could never be read, so that its texts are unknown. */
  isUnknown(part: PartRef): boolean {
    return this.fileOf(part)?.content.isUnknown ?? false
  }

  /** All parts that have a file. Accessing `messages` parses the file. */
  *parts(): Iterable<PartRef & { readonly messages: Messages }> {
    for (const known of this.byPart.values()) {
      yield {
        ...partOf(known.file),
        get messages() {
          return known.messages()
        },
      }
    }
  }

  /**
   * Parses all files, in short turns that let other work run. While the caller holds the result, no file is parsed
   * again.
   */
  async parseAll(): Promise<Messages[]> {
    const parsed: Messages[] = []
    for (const known of this.files.values()) {
      parsed.push(known.messages())
      await nextTurn()
    }
    return parsed
  }

  /** Reads the unread files, in short turns that let other work run. */
  async readAll(): Promise<void> {
    let turnEnds = performance.now() + TURN_MS
    for (const known of this.files.values()) {
      if (known.isRead) continue
      known.content
      if (performance.now() < turnEnds) continue
      await nextTurn()
      turnEnds = performance.now() + TURN_MS
    }
  }

  fileOf({ language, namespace, customer }: PartRef): KnownFile | undefined {
    return this.byPart.get(partId({ language, namespace, customer }))
  }

  get list(): readonly TranslationFile[] {
    return Array.from(this.files.values(), ({ file }) => file)
  }

  get catalog(): Catalog {
    this.#catalog ??= createCatalog({
      parts: [...this.byPart.values()].map(partInput),
    })
    return this.#catalog
  }

  /** The languages of all files, or of a namespace's files without a customer. */
  languages(namespace?: string): ReadonlySet<string> {
    if (namespace === undefined) return new Set(this.list.map(({ language }) => language))
    const isGeneral = ({ customer }: TranslationFile) => customer === undefined
    this.#general ??= groupsByKey(this.list.filter(isGeneral), (file) => file.namespace)
    return new Set((this.#general.get(namespace) ?? []).map(({ language }) => language))
  }

  /** The findings in files that have been read. */
  get findings(): readonly Diagnostic[] {
    const read = [...this.files.values()].filter(({ isRead }) => isRead)
    return [...this.listFindings, ...read.flatMap(({ content }) => content.findings)]
  }

  /** The next snapshot, with these files and findings. Returns this snapshot if nothing has changed. */
  next(all: readonly KnownFile[], listFindings: readonly Diagnostic[]): FilesSnapshot {
    const changed = all.filter((known) => this.files.get(known.file.path) !== known)
    const isSameList = all.length === this.files.size && changed.every(({ file }) => this.files.has(file.path))
    if (isSameList && isSameFindings(this.listFindings, listFindings)) return this.with(changed)
    const inOrder = all.toSorted((a, b) => (a.file.path < b.file.path ? -1 : 1))
    return new FilesSnapshot(new Map(inOrder.map((known) => [known.file.path, known])), listFindings)
  }

  /** The next snapshot, with these files changed. Reuses data about the other files. */
  with(changed: readonly KnownFile[]): FilesSnapshot {
    if (changed.length === 0) return this
    const files = new Map(this.files)
    for (const known of changed) files.set(known.file.path, known)
    if (files.size > this.files.size) return this.next([...files.values()], this.listFindings)
    const next = new FilesSnapshot(files, this.listFindings)
    next.#general = this.#general
    if (this.#catalog) {
      const shown = changed.filter((known) => next.byPart.get(partId(known.file)) === known)
      next.#catalog = replaceParts(this.#catalog, shown.map(partInput))
    }
    return next
  }
}

function partInput(known: KnownFile): PartInput {
  const isBroken = known.isRead && known.content.texts === undefined
  return { ...partOf(known.file), ...(isBroken ? { messages: [], isBroken } : { lazy: known }) }
}

export interface TextChange {
  readonly ref: TextRef
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface FilesChange {
  readonly changes: readonly TextChange[]
  /** Texts in files that were broken until now. Their previous texts are unknown. */
  readonly found: readonly TextChange[]
  /** The absolute paths of files that were added, changed or removed. */
  readonly files: readonly string[]
  readonly before: FilesSnapshot
  readonly after: FilesSnapshot
}

/** The differences between two snapshots. Texts are compared on demand. */
export function compareSnapshots(before: FilesSnapshot, after: FilesSnapshot): FilesChange {
  const pairs = before === after ? [] : changedFiles(before, after)
  let texts: Pick<FilesChange, 'changes' | 'found'> | undefined
  const changed = () => {
    texts ??= changedTexts(pairs)
    return texts
  }
  return {
    before,
    after,
    files: pairs.map(({ path }) => path),
    get changes() {
      return changed().changes
    },
    get found() {
      return changed().found
    },
  }
}

function isSameFindings(one: readonly Diagnostic[], other: readonly Diagnostic[]): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

interface FilePair {
  readonly path: string
  readonly old: KnownFile | undefined
  readonly next: KnownFile | undefined
}

function changedFiles(before: FilesSnapshot, after: FilesSnapshot): FilePair[] {
  const pairs: FilePair[] = []
  for (const [path, next] of after.files) {
    const old = before.files.get(path)
    if (old !== next && !(old && isSameContent(old.content.bytes, next.content.bytes))) pairs.push({ path, old, next })
  }
  for (const [path, old] of before.files) if (!after.files.has(path)) pairs.push({ path, old, next: undefined })
  return pairs
}

export function isSameContent(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b))
}

function changedTexts(pairs: readonly FilePair[]): Pick<FilesChange, 'changes' | 'found'> {
  const changes: TextChange[] = []
  const found: TextChange[] = []
  for (const pair of pairs) compareTexts(pair, pair.old?.content.isUnknown ? found : changes)
  return { changes: joinMoves(changes), found }
}

function compareTexts({ old, next }: FilePair, into: TextChange[]): void {
  const part = partOf((next ?? old)?.file as PartRef)
  const before = old?.messages() ?? NO_TEXTS
  const after = next?.messages() ?? NO_TEXTS
  for (const [key, text] of after)
    if (before.get(key) !== text) into.push({ ref: { ...part, key }, before: before.get(key), after: text })
  for (const [key, text] of before)
    if (!after.has(key)) into.push({ ref: { ...part, key }, before: text, after: undefined })
}

/** If a text moved to another file, joins the two changes. */
function joinMoves(changes: readonly TextChange[]): readonly TextChange[] {
  const joined = new Map<string, TextChange>()
  for (const { ref, before, after } of changes) {
    const id = textId(ref)
    const other = joined.get(id)
    joined.set(id, { ref, before: other?.before ?? before, after: other?.after ?? after })
  }
  return [...joined.values()].filter(({ before, after }) => before !== after)
}
