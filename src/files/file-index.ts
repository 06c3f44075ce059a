/**
 * The project's files. All followers share one watch, one timer and one snapshot. Only one scan or write runs at a
 * time.
 */

import { appLanguage, serviceLanguage } from '../catalog/names.ts'
import type { PartRef, TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Place } from '../errors.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { displayPath } from '../shared/paths.ts'
import { branchesOf, modelFor } from './model-file.ts'
import type { FilePatterns } from './patterns.ts'
import { readTranslationFile } from './read.ts'
import { FileScanner, type ScanOptions } from './scan.ts'
import { compareSnapshots, FilesSnapshot } from './snapshot.ts'
import { CALM_MS, type FileWatcher, LONGEST_UNREST_MS, LookTimer, watchFiles } from './watch.ts'
import { isNameTooLong, type WriteOutcome, writePart } from './write-part.ts'

export type { ScanOptions } from './scan.ts'
export type { FilesChange, FilesSnapshot, TextChange } from './snapshot.ts'
export type { WriteOutcome } from './write-part.ts'

export interface FilesFollower {
  /** Called with each new snapshot, once the files have been calm for a moment. */
  readonly onSnapshot: (snapshot: FilesSnapshot) => void
  /** Called if the system does not report file changes, or no longer does. Only scans then find changes. */
  readonly onTrouble?: (error: unknown) => void
}

/** The files as a writer saw them. A write overwrites a file only if it still has this content. */
export interface SeenFiles {
  readonly index: FileIndex
  seen: FilesSnapshot
}

/** If events name more files than this, events for other files may be lost or late, so all files are scanned. */
const MOST_HINTS = 8
/** The longest wait before trying again to read a file that another program has locked. */
const LONGEST_RETRY_MS = 2_000
/**
 * A file that is missing for longer counts as deleted. Scripts, git and some editors delete a file and write it again.
 */
export const GONE_MS = 400

export class FileIndex {
  readonly #scanner: FileScanner
  readonly #timer: LookTimer
  readonly #followers = new Set<FilesFollower>()
  #snapshot = new FilesSnapshot()
  #told = this.#snapshot
  #watcher: Promise<FileWatcher> | undefined
  /** True if events were lost, or a folder is no longer watched. The watch is restarted after the next scan. */
  #isWatchStale = false
  #isWatching = false
  /** The number of hints without a file name. */
  #wholeHints = 1
  /** The value of `#wholeHints` when the last whole scan started. */
  #wholeScanned = 0
  /**
   * The time of the last event for each path. Scans visit such a file until a scan starts after the file is calm.
   * Otherwise, a change could be lost if a scan visited the file just before or after the event.
   */
  readonly #moving = new Map<string, number>()
  /** The files and folders that the last scan could not read. Every scan tries to read them again. */
  readonly #unreadable = new Set<string>()
  #retryMs = CALM_MS
  #isRetryDue = false
  #ending = new AbortController()
  #last: Promise<unknown> = Promise.resolve()
  /** The next scan, which serves all waiting callers. */
  #waiting: { readonly options: ScanOptions[]; readonly result: Promise<void> } | undefined

  constructor(
    private readonly config: ResolvedConfig,
    private readonly clock: Clock = systemClock,
  ) {
    this.#scanner = new FileScanner(config, clock, (path) => {
      this.#unreadable.add(path)
      void this.#retry()
    })
    this.#timer = new LookTimer(clock, () => this.#look())
  }

  get patterns(): FilePatterns {
    return this.#scanner.patterns
  }

  /** The files as of the last scan or write. */
  get snapshot(): FilesSnapshot {
    return this.#snapshot
  }

  async scan(options: ScanOptions = {}): Promise<FilesSnapshot> {
    const { changed = [], isHasty = false, signal = new AbortController().signal } = options
    const startedAt = this.clock.now()
    for (const path of changed) this.#hint(path)
    await this.#scanInTurn(options)
    const isWaiting = () => !isHasty && !signal.aborted && this.clock.now() < startedAt + LONGEST_UNREST_MS
    while (this.#moving.size > 0 && isWaiting()) {
      await this.clock.sleep(CALM_MS, signal).catch(() => undefined)
      await this.#scanInTurn({ changed: [] })
    }
    return this.#snapshot
  }

  /** Adds a follower. Returns a function that removes it. Removing the last one ends the watch. */
  follow(follower: FilesFollower): () => Promise<void> {
    this.#followers.add(follower)
    void this.#retry()
    return async () => {
      this.#followers.delete(follower)
      if (this.#followers.size === 0) {
        this.#timer.cancel()
        this.#ending.abort(new Error('the files are no longer being watched'))
        this.#ending = new AbortController()
        const closing = this.#watcher
        this.#watcher = undefined
        this.#isWatching = false
        await (await closing)?.close()
      }
      await this.#last
    }
  }

  /** Starts watching for changes. Resolves when the watch is ready. Needs a follower. */
  async watch(): Promise<void> {
    this.#watcher ??= this.#startWatcher()
    await this.#watcher
  }

  /**
   * Writes texts into the part's file, unless the file has changed since the writer saw it. Creates a missing file.
   * `undefined` removes a key. Throws FILE_WRITE, FILE_KEY_COLLISION, FILE_PATTERN and others.
   */
  async write(files: SeenFiles, part: PartRef, texts: ReadonlyMap<string, string | undefined>): Promise<WriteOutcome> {
    const outcome = await this.#exclusive(() => this.#writeNow(files, part, texts))
    this.#tell()
    return outcome
  }

  /**
   * The path of the part's file, or of the file that a write would create; `undefined` if no pattern covers the part.
   */
  pathOf(part: PartRef, seen = this.#snapshot): string | undefined {
    const known = seen.fileOf(part)
    if (known) return known.file.path
    // A new file spells the language like the other files, which may use the service's spelling.
    const { language } = part
    const key = serviceLanguage(language, this.config)
    const isTaken = appLanguage(language, this.config) !== language
    const usesKeys = isTaken || seen.list.some(({ languageInPath, language }) => languageInPath !== language)
    return this.patterns.pathOf(part, key !== language && usesKeys ? key : undefined)
  }

  async placeOf({ key, ...part }: TextRef): Promise<Place> {
    const { root, keySeparator } = this.config
    const known = this.#snapshot.fileOf(part)?.file
    if (!known) return { ...part, key }
    const file = displayPath(root, known.path)
    const content = await readTranslationFile(known.path, { keySeparator, file, wrappers: known.wrappers })
    return { ...part, key, file, ...content?.positionOf(key) }
  }

  #tell(): void {
    if (this.#told === this.#snapshot) return
    this.#told = this.#snapshot
    for (const { onSnapshot } of [...this.#followers]) onSnapshot(this.#told)
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Handles an event. `undefined` means that any file may have changed. */
  #hint(path: string | undefined): void {
    if (path === undefined) this.#wholeHints++
    else this.#moving.set(this.patterns.match(path)?.path ?? path, this.clock.now())
    if (this.#followers.size > 0) this.#timer.soon()
  }

  /**
   * Tries unreadable files and folders again, at growing intervals, because no event reports that they have become
   * readable.
   */
  async #retry(): Promise<void> {
    if (this.#isRetryDue || this.#unreadable.size === 0 || this.#followers.size === 0) return
    this.#isRetryDue = true
    const { signal } = this.#ending
    await this.clock.sleep(this.#retryMs, signal, { background: true }).catch(() => undefined)
    this.#isRetryDue = false
    if (!signal.aborted) await this.#look()
    this.#retryMs = this.#unreadable.size === 0 ? CALM_MS : Math.min(this.#retryMs * 2, LONGEST_RETRY_MS)
  }

  #scanInTurn(options: ScanOptions): Promise<void> {
    if (this.#waiting) {
      this.#waiting.options.push(options)
      return this.#waiting.result
    }
    const all = [options]
    const result = this.#exclusive(() => {
      this.#waiting = undefined
      return this.#scanNow(all)
    })
    this.#waiting = { options: all, result }
    return result
  }

  async #scanNow(options: readonly ScanOptions[]): Promise<void> {
    const [before, now] = [this.#snapshot, this.clock.now()]
    const paths = [...this.#moving.keys(), ...this.#unreadable]
    this.#unreadable.clear()
    /** Missing and broken files whose last content this scan keeps. */
    const doubts = new Set<string>()
    let isMissed = false
    /** Called for a file that changed without an event. Another program may still be writing it. */
    const note = (path: string) => {
      if (this.#moving.has(path)) return
      this.#moving.set(path, now)
      isMissed = true
    }
    const isCalm = (path: string, isMissing: boolean) => {
      note(path)
      const calm = now - (this.#moving.get(path) ?? now) >= (isMissing ? GONE_MS : CALM_MS)
      if (!calm) doubts.add(path)
      return calm
    }
    const everything = options.some((each) => each.everything === true)
    const isWhole = everything || options.some(({ changed }) => !changed) || !this.#knowsChanges
    this.#snapshot =
      (isWhole ? undefined : this.#scanner.scanPaths(before, paths, isCalm)) ??
      (await this.#scanWhole(options, isCalm, everything))
    const changed = before.files.size > 0 ? compareSnapshots(before, this.#snapshot).files : []
    for (const path of changed) note(path)
    if (isMissed && options.some(({ isPeriodic }) => isPeriodic)) this.#isWatchStale = true
    for (const [path, at] of this.#moving) if (now - at >= CALM_MS && !doubts.has(path)) this.#moving.delete(path)
    if (this.#followers.size > 0 && (this.#snapshot !== before || this.#moving.size > 0))
      this.#timer.soon({ isEvent: false })
  }

  /** True if only files with events can have changed. */
  get #knowsChanges(): boolean {
    const isWatched = this.#watcher !== undefined && this.#isWatching && !this.#isWatchStale
    return isWatched && this.#wholeScanned === this.#wholeHints && this.#moving.size <= MOST_HINTS
  }

  async #scanWhole(
    options: readonly ScanOptions[],
    isCalm: (path: string, isMissing: boolean) => boolean,
    everything: boolean,
  ): Promise<FilesSnapshot> {
    const hints = this.#wholeHints
    const snapshot = await this.#scanner.scan(this.#snapshot, isCalm, {
      everything,
      isOnDemand: options.every(({ isOnDemand }) => isOnDemand),
      onProgress: (done, total) => {
        for (const { onProgress } of options) onProgress?.(done, total)
      },
    })
    this.#wholeScanned = hints
    return snapshot
  }

  async #look(): Promise<void> {
    // If this scan fails, the next caller's scan fails too and reports the error.
    await this.scan({ changed: [], isHasty: true }).catch(() => undefined)
    this.#tell()
    if (!this.#isWatchStale || !this.#watcher) return
    this.#isWatchStale = false
    await (await this.#watcher).rearm()
    // A file may have been saved during the restart.
    this.#hint(undefined)
  }

  async #startWatcher(): Promise<FileWatcher> {
    this.#isWatching = true
    const onHint = (path: string | undefined) => {
      if (path === undefined) this.#isWatchStale = true
      this.#hint(path)
    }
    const watcher = await watchFiles(this.patterns, onHint, (error) => {
      this.#isWatching = false
      for (const { onTrouble } of this.#followers) onTrouble?.(error)
    })
    // A file may have been saved before the watch was ready.
    this.#wholeHints++
    return watcher
  }

  async #writeNow(
    files: SeenFiles,
    part: PartRef,
    texts: ReadonlyMap<string, string | undefined>,
  ): Promise<WriteOutcome> {
    const { seen } = files
    const path = this.pathOf(part, seen)
    const file = path === undefined ? undefined : this.patterns.match(path)
    if (!file || !this.#scanner.isWanted(file)) return 'unmatched'
    const expected = seen.files.get(file.path)
    if (!expected && isNameTooLong(file.path)) return 'unnameable'
    const given = { branches: branchesOf(seen, part.namespace), model: modelFor(seen, file, this.config) }
    const { outcome, bytes } = await writePart(this.config, file, expected, texts, given)
    if (!bytes) return outcome
    const known = this.#scanner.written(file, bytes)
    const isLatest = seen === this.#snapshot
    this.#snapshot = this.#snapshot.with([known])
    files.seen = isLatest ? this.#snapshot : seen.with([known])
    return outcome
  }
}
