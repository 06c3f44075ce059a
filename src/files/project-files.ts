/** The project's files, shared by all readers: one scan or write at a time, one watch, one debounce. */
import type { ResolvedConfig } from '../config/types.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { FileScanner, type ScanOptions, SUSPECT_MS } from './file-scanner.ts'
import { compareStates, FilesState } from './files-state.ts'
import type { KnownFile } from './known-file.ts'
import { LookTimer } from './look-timer.ts'
import type { FileWatcher } from './watch.ts'

export interface SharedScanOptions extends ScanOptions {
  /** No event asked for the scan: if it finds a change, the watch has missed events and starts again. */
  readonly isPeriodic?: boolean
  /**
   * Events name these files. While the watch works, only files with events are visited, and the cost of the scan does
   * not grow with the project. Default: all files.
   */
  readonly changed?: readonly string[] | undefined
}

/** With more files than this, an event may have got lost, or have not arrived yet. */
const MOST_HINTS = 8

export interface WatchListener {
  /** The system delivers no events, or no more: only scans find changes. */
  readonly onTrouble?: (error: unknown) => void
}

export interface Reader {
  /** Whether there are changes that the reader has not taken. */
  readonly isBehind: boolean
  /** Called while the reader is behind, when the files have been quiet for a moment. */
  notify(): void
}

export class ProjectFiles {
  readonly scanner: FileScanner
  readonly #readers = new Set<Reader>()
  readonly #watching = new Map<Reader, WatchListener>()
  readonly #timer: LookTimer
  #state = new FilesState()
  #watcher: Promise<FileWatcher> | undefined
  #isWatchStale = false
  /** The watch is ready, and has reported no trouble. */
  #isWatching = false
  /** What changed is not known by events alone. */
  #isWholeDue = true
  /** The paths of events since the last scan. */
  #hinted = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()
  /** A scan that has not begun. */
  #waiting: { readonly options: SharedScanOptions[]; readonly result: Promise<FilesState> } | undefined

  constructor(config: ResolvedConfig, clock: Clock = systemClock) {
    this.scanner = new FileScanner(config, clock)
    this.#timer = new LookTimer(clock, () => this.#look())
  }

  get state(): FilesState {
    return this.#state
  }

  /** Scans the files. A scan that has not begun serves every caller. */
  scan(options: SharedScanOptions = {}): Promise<FilesState> {
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

  /** Runs `work` while nothing else scans or writes. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Takes over a written file. */
  put(known: KnownFile): void {
    this.#state = this.#state.with([known])
  }

  notifyReaders(): void {
    for (const reader of [...this.#readers]) if (reader.isBehind) reader.notify()
  }

  /** The next scan visits this file. */
  hint(path: string): void {
    this.#hinted.add(path)
  }

  /** Scans when the files are quiet, if there are readers. */
  lookSoon(): void {
    if (this.#readers.size > 0) this.#timer.soon()
  }

  join(reader: Reader): void {
    this.#readers.add(reader)
    if (reader.isBehind) this.lookSoon()
  }

  /** Resolves when the watch is ready. */
  async watch(reader: Reader, listener: WatchListener): Promise<void> {
    this.#watching.set(reader, listener)
    this.#watcher ??= this.#startWatcher()
    await this.#watcher
  }

  async leave(reader: Reader): Promise<void> {
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

  async #scanNow(options: readonly SharedScanOptions[]): Promise<FilesState> {
    const before = this.#state
    const hinted = this.#hinted
    this.#hinted = new Set()
    this.#state = (await this.#scanHinted(options, hinted)) ?? (await this.#scanWhole(options))
    if (options.some(({ isPeriodic }) => isPeriodic)) {
      const { files } = compareStates(before, this.#state)
      if (files.some((path) => !hinted.has(path))) this.#isWatchStale = true
    }
    if (this.#state !== before) this.lookSoon()
    if (this.scanner.hasSuspects && this.#readers.size > 0) this.#timer.after(SUSPECT_MS)
    return this.#state
  }

  async #scanHinted(
    options: readonly SharedScanOptions[],
    hinted: ReadonlySet<string>,
  ): Promise<FilesState | undefined> {
    if (!this.#watcher || !this.#isWatching || this.#isWatchStale || this.#isWholeDue || hinted.size > MOST_HINTS)
      return undefined
    if (options.some(({ changed, everything }) => !changed || everything)) return undefined
    return this.scanner.scanPaths(this.#state, [...hinted, ...options.flatMap(({ changed = [] }) => changed)])
  }

  #scanWhole(options: readonly SharedScanOptions[]): Promise<FilesState> {
    this.#isWholeDue = false
    return this.scanner
      .scan(this.#state, {
        everything: options.some(({ everything }) => everything),
        isOnDemand: options.every(({ isOnDemand }) => isOnDemand),
        onProgress: (done, total) => {
          for (const { onProgress } of options) onProgress?.(done, total)
        },
      })
      .catch((error: unknown) => {
        this.#isWholeDue = true
        throw error
      })
  }

  async #look(): Promise<void> {
    // A scan that fails here also fails for the next caller, who reports it.
    await this.scan({ changed: [] }).catch(() => undefined)
    this.notifyReaders()
    if (!this.#isWatchStale || !this.#watcher) return
    this.#isWatchStale = false
    await (await this.#watcher).rearm()
    // What was saved meanwhile had no event.
    this.#isWholeDue = true
    this.lookSoon()
  }

  async #startWatcher(): Promise<FileWatcher> {
    // Only a dev server imports the watcher.
    const { watchFiles } = await import('./watch.ts')
    let hasTrouble = false
    const watcher = await watchFiles({
      patterns: this.scanner.patterns,
      onHint: (path) => {
        if (path === undefined) this.#isWatchStale = true
        else this.#hinted.add(path)
        this.lookSoon()
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
