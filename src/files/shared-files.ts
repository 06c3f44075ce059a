/** The files on the disk, shared by all readers: one watch, one debounce, one scan or write at a time. */
import type { ResolvedConfig } from '../config/types.ts'
import type { Clock } from '../shared/clock.ts'
import { FileScanner, type LookOptions, type ScanOptions as WholeScanOptions } from './scan.ts'
import { compareStates, FilesState } from './snapshot.ts'
import { CALM_MS, type FileWatcher, LONGEST_UNREST_MS, LookTimer, watchFiles } from './watch.ts'

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
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
}

export interface WatchListener {
  /** The system delivers no events, or no more: only scans find changes. */
  readonly onTrouble?: (error: unknown) => void
}

/** With more files than this, an event may have got lost, or have not arrived yet. */
const MOST_HINTS = 8
/** Scripts, git and some editors delete a file and write it again: without it for so long, it counts as deleted. */
const GONE_MS = 400
const NEVER = new AbortController().signal

export interface FileReader {
  /** There are changes that the reader has not taken. */
  readonly isBehind: boolean
  /** Tells the reader if it is behind. */
  notify(): void
}

export class SharedFiles {
  readonly scanner: FileScanner
  state = new FilesState()
  readonly #clock: Clock
  readonly #timer: LookTimer
  readonly #readers = new Set<FileReader>()
  readonly #watching = new Map<FileReader, WatchListener>()
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
    const { changed = [], isHasty = false, signal = NEVER } = options
    const startedAt = this.#clock.now()
    for (const path of changed) this.#hint(path)
    let state = await this.#scanInTurn(options)
    const isWaiting = () => !isHasty && !signal.aborted && this.#clock.now() < startedAt + LONGEST_UNREST_MS
    while (this.#moving.size > 0 && isWaiting()) {
      await this.#clock.sleep(CALM_MS, signal).catch(() => undefined)
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

  join(reader: FileReader): void {
    this.#readers.add(reader)
    if (reader.isBehind) this.#timer.start()
  }

  /** Resolves when the watch is ready. */
  async watch(reader: FileReader, listener: WatchListener): Promise<void> {
    this.#watching.set(reader, listener)
    this.#watcher ??= this.#startWatcher()
    await this.#watcher
  }

  async leave(reader: FileReader): Promise<void> {
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
    const [before, now] = [this.state, this.#clock.now()]
    let isMissed = false
    /** Without an event, a file that changed is moving from now on: its program may still be at work. */
    const note = (path: string) => {
      if (this.#moving.has(path)) return
      this.#moving.set(path, now)
      isMissed = true
    }
    this.#doubts = new Set()
    const isCalm = (path: string, isMissing: boolean) => {
      note(path)
      const calm = now - (this.#moving.get(path) ?? now) >= (isMissing ? GONE_MS : CALM_MS)
      if (!calm) this.#doubts.add(path)
      return calm
    }
    const everything = options.some((each) => each.everything)
    const isWhole = everything || options.some(({ changed }) => !changed) || !this.#knowsChanges
    this.state =
      (isWhole ? undefined : this.scanner.scanPaths(before, [...this.#moving.keys()], { isCalm })) ??
      (await this.#scanWhole(options, { isCalm, everything }))
    if (before.files.size > 0) for (const path of compareStates(before, this.state).files) note(path)
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
