/** The content of the translation files as one reader has seen it: it changes only with the reader's own calls. */
import type { Catalog, Messages } from '../catalog/model.ts'
import { appLanguage, serviceLanguage } from '../catalog/names.ts'
import { type PartRef, partId, partOf, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError, type Place } from '../errors.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { findCollisions } from './list.ts'
import { modelFor } from './model-file.ts'
import { displayPath, type FilePatterns } from './patterns.ts'
import { readTranslationFile } from './read.ts'
import { type FileReader, type ScanOptions, SharedFiles, type WatchListener } from './shared-files.ts'
import { compareStates, type FileListing, FilesState, isUnread, type KnownFile, type ScanResult } from './snapshot.ts'
import { isNameTooLong, type WriteOutcome, writePart } from './write-part.ts'

export type { ScanOptions } from './shared-files.ts'
export type { ScanResult, TextChange } from './snapshot.ts'
export type { WriteOutcome } from './write-part.ts'

/** A request of a page waits no longer for reading in the background. */
const TURN_MS = 10
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

export interface FileIndexOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined
}

export function createFileIndex(config: ResolvedConfig, { clock = systemClock }: FileIndexOptions = {}): FileIndex {
  return new FileIndex(config, new SharedFiles(config, clock), new FilesState())
}

export class FileIndex implements FileReader {
  readonly #config: ResolvedConfig
  readonly #shared: SharedFiles
  readonly #listeners: (() => void)[] = []
  /** Parts whose new files have passed `checkNames` since the last scan: each check compares all files. */
  readonly #checkedNames = new Set<string>()
  #seen: FilesState

  constructor(config: ResolvedConfig, shared: SharedFiles, seen: FilesState) {
    this.#config = config
    this.#shared = shared
    this.#seen = seen
  }

  get patterns(): FilePatterns {
    return this.#shared.scanner.patterns
  }

  /** The files as the reader has seen them. */
  get snapshot(): FilesState {
    return this.#seen
  }

  /** Scans the files and takes the changes, including those that another reader's scan found. */
  async scan(options: ScanOptions = {}): Promise<ScanResult> {
    return this.#takeOver(await this.#shared.scan(options))
  }

  /** Takes the changes that any reader's last scan found, without a scan. */
  take(): ScanResult {
    return this.#takeOver(this.#shared.state)
  }

  text(ref: TextRef): string | undefined {
    return this.#seen.fileOf(ref)?.texts?.messages().get(ref.key)
  }

  /** The part's file could not be read so far, so its texts are unknown. */
  isUnknown(part: PartRef): boolean {
    return this.#seen.fileOf(part)?.isUnknown ?? false
  }

  /** The number of the part's texts. */
  readonly size = (part: PartRef): number => this.#seen.fileOf(part)?.texts?.messages().size ?? 0

  /** The part's file, or the file that a write would create. `undefined`: no pattern covers the part. */
  pathOf(part: PartRef): string | undefined {
    return this.#seen.fileOf(part)?.file.path ?? this.#newPath(part)
  }

  /** Every part with a file. Reading `messages` parses the file. */
  *parts(): Iterable<PartRef & { readonly messages: Messages }> {
    for (const { file, texts } of this.#seen.byPart.values()) {
      yield {
        ...partOf(file),
        get messages() {
          return texts?.messages() ?? new Map<string, string>()
        },
      }
    }
  }

  /** The names of the files, broken ones too. */
  listing(): FileListing {
    return this.#seen.listing
  }

  /** Texts are parsed on demand. */
  catalog(): Catalog {
    return this.#seen.catalog
  }

  /** Of the files that have been read. */
  findings(): readonly Diagnostic[] {
    return this.#seen.findings
  }

  /** Parses every file, in turns with other work. While the caller holds the result, no file is parsed again. */
  async parseAll(): Promise<Messages[]> {
    const parsed: Messages[] = []
    for (const { texts } of this.#seen.files.values()) {
      if (texts) parsed.push(texts.messages())
      await nextTurn()
    }
    return parsed
  }

  /** Reads the files that nothing has used yet, in turns with other work. */
  async readAll(): Promise<void> {
    let turnEnds = performance.now() + TURN_MS
    for (const known of this.#seen.files.values()) {
      if (!isUnread(known)) continue
      known.content
      if (performance.now() < turnEnds) continue
      await nextTurn()
      turnEnds = performance.now() + TURN_MS
    }
  }

  /** The place of a text, from its file as it is now. */
  async placeOf({ key, ...part }: TextRef): Promise<Place> {
    const { root, keySeparator } = this.#config
    const known = this.#seen.fileOf(part)?.file
    if (!known) return { ...part, key }
    const file = displayPath(root, known.path)
    const content = await readTranslationFile(known.path, { keySeparator, file, wrappers: known.wrappers })
    return { ...part, key, file, ...content?.positionOf(key) }
  }

  /**
   * Writes texts into the part's file, and creates the file if there is none; `undefined` removes a key.
   * Errors: FILE_WRITE, FILE_KEY_COLLISION, FILE_NAME_COLLISION, FILE_PATTERN and the like.
   */
  async write(part: PartRef, texts: ReadonlyMap<string, string | undefined>): Promise<WriteOutcome> {
    const outcome = await this.#shared.exclusive(() => this.#writeNow(part, texts))
    this.#shared.notifyReaders()
    return outcome
  }

  /**
   * Throws FILE_NAME_COLLISION if some disk could not tell the new files of these parts from each other or from the
   * others.
   */
  checkNames(given: Iterable<PartRef>): void {
    const parts = [...given]
    const created = parts.flatMap((part) => {
      const path = this.#seen.fileOf(part) ? undefined : this.#newPath(part)
      const file = path === undefined || this.#seen.files.has(path) ? undefined : this.patterns.match(path)
      return file ? [file] : []
    })
    const { root } = this.#config
    const { files: existing } = this.#seen.listing
    const known = new Set(created.length > 0 ? findCollisions(existing, root).map(({ message }) => message) : [])
    const found =
      created.length > 0 && findCollisions([...existing, ...created], root).find(({ message }) => !known.has(message))
    if (found) throw new LocalizationError(found.message, found)
    for (const part of parts) this.#checkedNames.add(partId(part))
  }

  /** Another reader of the same files, which has seen the same as this one. */
  reader(): FileIndex {
    return new FileIndex(this.#config, this.#shared, this.#seen)
  }

  get isBehind(): boolean {
    return this.#seen !== this.#shared.state
  }

  notify(): void {
    if (this.isBehind) for (const listener of this.#listeners) listener()
  }

  /** Calls the listener when there are changes to take and the files have been calm for a moment, until `close`. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
    this.#shared.join(this)
  }

  /** Follows the system's events until `close`. Resolves when the watch is ready. */
  watch(listener: WatchListener = {}): Promise<void> {
    return this.#shared.watch(this, listener)
  }

  /** The watch ends with its last reader. */
  close(): Promise<void> {
    this.#listeners.length = 0
    return this.#shared.leave(this)
  }

  /** A new file is named by the service's language key if other files are. */
  #newPath(part: PartRef): string | undefined {
    const { language } = part
    const key = serviceLanguage(language, this.#config)
    const isTaken = appLanguage(language, this.#config) !== language
    const isKey = (file: { readonly languageInPath: string; readonly language: string }) =>
      file.languageInPath !== file.language
    const usesKeys = key !== language && (isTaken || this.#seen.listing.files.some(isKey))
    return this.patterns.pathOf(part, usesKeys ? key : undefined)
  }

  #takeOver(next: FilesState): ScanResult {
    const result = compareStates(this.#seen, next)
    this.#seen = next
    this.#checkedNames.clear()
    return result
  }

  async #writeNow(part: PartRef, texts: ReadonlyMap<string, string | undefined>): Promise<WriteOutcome> {
    const shared = this.#shared
    const path = this.pathOf(part)
    const file = path === undefined ? undefined : this.patterns.match(path)
    if (!file || !shared.scanner.isWanted(file)) return 'unmatched'
    const expected: KnownFile | undefined = this.#seen.files.get(file.path)
    if (!expected && isNameTooLong(file.path)) return 'unnameable'
    if (!expected && !this.#checkedNames.has(partId(part))) this.checkNames([part])
    const given = { branches: this.#seen.branches(part.namespace), model: modelFor(this.#seen, file, this.#config) }
    const { outcome, bytes } = await writePart(this.#config, file, expected, texts, given)
    if (!bytes) return outcome
    const known = shared.scanner.written(file, bytes)
    const { isBehind } = this
    shared.state = shared.state.with([known])
    this.#seen = isBehind ? this.#seen.with([known]) : shared.state
    return outcome
  }
}
