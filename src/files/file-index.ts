/**
 * The translation files of a project, for any number of readers: one watch, one debounce, one scan or write at a time. The
 * content that a reader sees changes only with the reader's own calls.
 */
import type { Catalog, Messages } from '../catalog/model.ts'
import { appLanguage, serviceLanguage } from '../catalog/names.ts'
import { type PartRef, partId, partOf, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError, type Place } from '../errors.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { findCollisions } from './list.ts'
import { displayPath, type FilePatterns } from './patterns.ts'
import { readTranslationFile } from './read.ts'
import { FileScanner, type LookOptions, type ScanOptions as WholeScanOptions } from './scan.ts'
import { compareStates, type FileListing, FilesState, isUnread, type KnownFile, type ScanResult } from './snapshot.ts'
import { CALM_MS, type FileWatcher, LONGEST_UNREST_MS, LookTimer, watchFiles } from './watch.ts'
import { isNameTooLong, type WriteOutcome, writePart } from './write-part.ts'

export type { ScanResult, TextChange } from './snapshot.ts'
export type { WriteOutcome } from './write-part.ts'

export interface ScanOptions extends WholeScanOptions {
  /** No event asked for the scan: if it finds a change, the watch has missed events and starts again. */
  readonly isPeriodic?: boolean
  /**
   * Events name these files. While the watch works, only files with events are visited, and the cost of the scan does
   * not grow with the project. Default: all files.
   */
  readonly changed?: readonly string[] | undefined
  /**
   * Does not wait until the files are calm: a file that is missing or broken counts as it was, and the readers are told
   * later. Default: the scan waits, and then takes all files as they are.
   */
  readonly isHasty?: boolean | undefined
}

export interface WatchListener {
  /** The system delivers no events, or no more: only scans find changes. */
  readonly onTrouble?: (error: unknown) => void
}

/** With more files than this, an event may have got lost, or have not arrived yet. */
const MOST_HINTS = 8
/** Scripts, git and some editors delete a file and write it again: without it for so long, it counts as deleted. */
const GONE_MS = 400
/** A request of a page waits no longer for reading in the background. */
const TURN_MS = 10
const NEVER = new AbortController().signal
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

export interface FileIndexOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined
}

export function createFileIndex(config: ResolvedConfig, { clock = systemClock }: FileIndexOptions = {}): FileIndex {
  return new FileIndex(config, new SharedFiles(config, clock), new FilesState())
}

/** The disk's side, shared by the readers. */
class SharedFiles {
  readonly scanner: FileScanner
  state = new FilesState()
  readonly #clock: Clock
  readonly #timer: LookTimer
  readonly #readers = new Set<FileIndex>()
  readonly #watching = new Map<FileIndex, WatchListener>()
  #watcher: Promise<FileWatcher> | undefined
  /** Events got lost, or the watch of a folder did: the watch starts again after the next look. */
  #isWatchStale = false
  /** The watch is ready, and has reported no trouble. */
  #isWatching = false
  /** What changed is not known by events alone. */
  #isWholeDue = true
  /**
   * By path: the time of the last event. Every scan looks at these files, until a scan begins when the file is calm: no
   * scan that looked at a file before an event, or just after it, uses up the event.
   */
  readonly #moving = new Map<string, number>()
  /** Missing and broken files that the last scan took as they were before. */
  #doubts = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()
  /** A scan that has not begun serves every caller. */
  #waiting: { readonly options: ScanOptions[]; readonly result: Promise<FilesState> } | undefined

  constructor(config: ResolvedConfig, clock: Clock) {
    this.#clock = clock
    this.scanner = new FileScanner(config, clock)
    this.#timer = new LookTimer(clock, () => this.#look())
  }

  async scan(options: ScanOptions): Promise<FilesState> {
    const startedAt = this.#clock.now()
    for (const path of options.changed ?? []) this.#hint(path)
    let state = await this.#scanInTurn(options)
    while (!options.isHasty && this.#moving.size > 0 && this.#clock.now() < startedAt + LONGEST_UNREST_MS) {
      await this.#clock.sleep(CALM_MS, NEVER)
      state = await this.#scanInTurn({ changed: [] })
    }
    return state
  }

  /** Runs `work` while nothing else scans or writes. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  notifyReaders(): void {
    for (const reader of [...this.#readers]) reader.notify()
  }

  join(reader: FileIndex): void {
    this.#readers.add(reader)
    if (reader.isBehind) this.#timer.start()
  }

  /** Resolves when the watch is ready. */
  async watch(reader: FileIndex, listener: WatchListener): Promise<void> {
    this.#watching.set(reader, listener)
    this.#watcher ??= this.#startWatcher()
    await this.#watcher
  }

  async leave(reader: FileIndex): Promise<void> {
    this.#readers.delete(reader)
    this.#watching.delete(reader)
    if (this.#readers.size === 0) this.#timer.cancel()
    if (this.#watching.size === 0) {
      const closing = this.#watcher
      this.#watcher = undefined
      this.#isWatching = false
      await (await closing)?.close()
    }
    await this.#last
  }

  /** After an event. `undefined`: any file may have changed. */
  #hint(path: string | undefined): void {
    if (path === undefined) this.#isWholeDue = true
    else this.#moving.set(this.scanner.patterns.match(path)?.path ?? path, this.#clock.now())
    if (this.#readers.size > 0) this.#timer.soon()
  }

  #scanInTurn(options: ScanOptions): Promise<FilesState> {
    if (this.#waiting) {
      this.#waiting.options.push(options)
      return this.#waiting.result
    }
    const all = [options]
    const result = this.exclusive(() => {
      this.#waiting = undefined
      return this.#scanNow(all)
    })
    this.#waiting = { options: all, result }
    return result
  }

  async #scanNow(options: readonly ScanOptions[]): Promise<FilesState> {
    const [before, now, announced] = [this.state, this.#clock.now(), new Set(this.#moving.keys())]
    this.#doubts = new Set()
    const isCalm = (path: string, isMissing: boolean) => this.#isCalm(path, now, isMissing ? GONE_MS : CALM_MS)
    const everything = options.some((each) => each.everything)
    const isWhole = everything || options.some(({ changed }) => !changed) || !this.#knowsChanges
    this.state =
      (isWhole ? undefined : this.scanner.scanPaths(before, announced, { isCalm })) ??
      (await this.#scanWhole(options, { isCalm, everything }))
    // A change without an event: its program may still be at work.
    if (before.files.size > 0)
      for (const path of compareStates(before, this.state).files) if (!announced.has(path)) this.#moving.set(path, now)
    const isMissed = [...this.#moving.keys()].some((path) => !announced.has(path))
    if (isMissed && options.some(({ isPeriodic }) => isPeriodic)) this.#isWatchStale = true
    for (const [path, at] of this.#moving) if (now - at >= CALM_MS && !this.#doubts.has(path)) this.#moving.delete(path)
    if (this.#readers.size > 0 && (this.state !== before || this.#moving.size > 0)) this.#timer.start()
    return this.state
  }

  /** Only files with events can have changed. */
  get #knowsChanges(): boolean {
    const isWatched = this.#watcher !== undefined && this.#isWatching && !this.#isWatchStale
    return isWatched && !this.#isWholeDue && this.#moving.size <= MOST_HINTS
  }

  /** Without an event, a file that is missing or broken is moving from now on. */
  #isCalm(path: string, now: number, calmMs: number): boolean {
    const at = this.#moving.get(path)
    if (at === undefined) this.#moving.set(path, now)
    const isCalm = at !== undefined && now - at >= calmMs
    if (!isCalm) this.#doubts.add(path)
    return isCalm
  }

  async #scanWhole(
    options: readonly ScanOptions[],
    given: Pick<LookOptions, 'isCalm' | 'everything'>,
  ): Promise<FilesState> {
    this.#isWholeDue = false
    try {
      return await this.scanner.scan(this.state, {
        ...given,
        isOnDemand: options.every(({ isOnDemand }) => isOnDemand),
        onProgress: (done, total) => {
          for (const { onProgress } of options) onProgress?.(done, total)
        },
      })
    } catch (error) {
      this.#isWholeDue = true
      throw error
    }
  }

  async #look(): Promise<void> {
    // A scan that fails here also fails for the next caller, who reports it.
    await this.scan({ changed: [], isHasty: true }).catch(() => undefined)
    this.notifyReaders()
    if (!this.#isWatchStale || !this.#watcher) return
    this.#isWatchStale = false
    await (await this.#watcher).rearm()
    // What was saved meanwhile had no event.
    this.#hint(undefined)
  }

  async #startWatcher(): Promise<FileWatcher> {
    let hasTrouble = false
    const watcher = await watchFiles({
      patterns: this.scanner.patterns,
      onHint: (path) => {
        if (path === undefined) this.#isWatchStale = true
        this.#hint(path)
      },
      onTrouble: (error) => {
        hasTrouble = true
        this.#isWatching = false
        for (const each of this.#watching.values()) each.onTrouble?.(error)
      },
    })
    // What was saved before the watch was ready had no event.
    this.#isWholeDue = true
    this.#isWatching = !hasTrouble
    return watcher
  }
}

export class FileIndex {
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

  /** There are changes that the reader has not taken. */
  get isBehind(): boolean {
    return this.#seen !== this.#shared.state
  }

  /** Calls the listeners if there are changes to take. */
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
    const { outcome, bytes } = await writePart(this.#config, file, expected, texts, this.#seen.branches(part.namespace))
    if (!bytes) return outcome
    const known = shared.scanner.written(file, bytes)
    const { isBehind } = this
    shared.state = shared.state.with([known])
    this.#seen = isBehind ? this.#seen.with([known]) : shared.state
    return outcome
  }
}
