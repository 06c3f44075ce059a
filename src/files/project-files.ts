/** The project's files, shared by all readers: one scan or write at a time, one watch, one debounce. */
import type { ResolvedConfig } from '../config/types.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { FileScanner, type LookOptions, type ScanOptions } from './file-scanner.ts'
import { compareStates, FilesState } from './files-state.ts'
import type { KnownFile } from './known-file.ts'
import { CALM_MS, LONGEST_UNREST_MS, LookTimer } from './look-timer.ts'
import type { FileWatcher } from './watch.ts'

export interface SharedScanOptions extends ScanOptions {
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

/** With more files than this, an event may have got lost, or have not arrived yet. */
const MOST_HINTS = 8

/** Scripts, git and some editors delete a file and write it again: without it for so long, it counts as deleted. */
const GONE_MS = 400

const NEVER = new AbortController().signal

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
  readonly #clock: Clock
  #state = new FilesState()
  #watcher: Promise<FileWatcher> | undefined
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
  /** A scan that has not begun. */
  #waiting: { readonly options: SharedScanOptions[]; readonly result: Promise<FilesState> } | undefined

  constructor(config: ResolvedConfig, clock: Clock = systemClock) {
    this.#clock = clock
    this.scanner = new FileScanner(config, clock)
    this.#timer = new LookTimer(clock, () => this.#look())
  }

  get state(): FilesState {
    return this.#state
  }

  /** Scans the files. A scan that has not begun serves every caller. */
  async scan(options: SharedScanOptions = {}): Promise<FilesState> {
    const { changed = [], isHasty = false } = options
    const startedAt = this.#clock.now()
    for (const path of changed) this.hint(path)
    let state = await this.#scanInTurn(options)
    while (!isHasty && this.#moving.size > 0 && this.#clock.now() < startedAt + LONGEST_UNREST_MS) {
      await this.#clock.sleep(CALM_MS, NEVER)
      state = await this.#scanInTurn({ changed: [] })
    }
    return state
  }

  #scanInTurn(options: SharedScanOptions): Promise<FilesState> {
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

  /** After an event. `undefined`: any file may have changed. */
  hint(path: string | undefined): void {
    if (path === undefined) this.#isWholeDue = true
    else this.#moving.set(this.scanner.patterns.match(path)?.path ?? path, this.#clock.now())
    if (this.#readers.size > 0) this.#timer.soon()
  }

  #lookSoon(): void {
    if (this.#readers.size > 0) this.#timer.start()
  }

  join(reader: Reader): void {
    this.#readers.add(reader)
    if (reader.isBehind) this.#lookSoon()
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
    const [before, now, announced] = [this.#state, this.#clock.now(), new Set(this.#moving.keys())]
    const isCalm = (path: string, isMissing: boolean) => this.#isCalm(path, now, isMissing ? GONE_MS : CALM_MS)
    this.#doubts = new Set()
    this.#state = this.#scanMoving(options, isCalm) ?? (await this.#scanWhole(options, isCalm))
    // A change without an event: its program may still be at work.
    if (before.files.size > 0)
      for (const path of compareStates(before, this.#state).files) if (!announced.has(path)) this.#moving.set(path, now)
    const isMissed = [...this.#moving.keys()].some((path) => !announced.has(path))
    if (isMissed && options.some(({ isPeriodic }) => isPeriodic)) this.#isWatchStale = true
    for (const [path, at] of this.#moving) if (now - at >= CALM_MS && !this.#doubts.has(path)) this.#moving.delete(path)
    if (this.#state !== before || this.#moving.size > 0) this.#lookSoon()
    return this.#state
  }

  /** Without an event, a file that is missing or broken is moving from now on. */
  #isCalm(path: string, now: number, calmMs: number): boolean {
    const at = this.#moving.get(path)
    if (at === undefined) this.#moving.set(path, now)
    const isCalm = at !== undefined && now - at >= calmMs
    if (!isCalm) this.#doubts.add(path)
    return isCalm
  }

  #scanMoving(options: readonly SharedScanOptions[], isCalm: LookOptions['isCalm']): FilesState | undefined {
    const isWhole = this.#isWatchStale || this.#isWholeDue || this.#moving.size > MOST_HINTS
    if (!this.#watcher || !this.#isWatching || isWhole) return undefined
    if (options.some(({ changed, everything }) => !changed || everything)) return undefined
    return this.scanner.scanPaths(this.#state, this.#moving.keys(), { isCalm })
  }

  #scanWhole(options: readonly SharedScanOptions[], isCalm: LookOptions['isCalm']): Promise<FilesState> {
    this.#isWholeDue = false
    return this.scanner
      .scan(this.#state, {
        isCalm,
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
    await this.scan({ changed: [], isHasty: true }).catch(() => undefined)
    this.notifyReaders()
    if (!this.#isWatchStale || !this.#watcher) return
    this.#isWatchStale = false
    await (await this.#watcher).rearm()
    // What was saved meanwhile had no event.
    this.hint(undefined)
  }

  async #startWatcher(): Promise<FileWatcher> {
    // Only a dev server imports the watcher.
    const { watchFiles } = await import('./watch.ts')
    let hasTrouble = false
    const watcher = await watchFiles({
      patterns: this.scanner.patterns,
      onHint: (path) => {
        if (path === undefined) this.#isWatchStale = true
        this.hint(path)
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
