/** The project's files as everybody who uses them shares them: one scan or write at a time, one watch, one debounce. */
import type { ResolvedConfig } from '../config/types.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { createFileScanner, type FileScanner, type ScanOptions, SUSPECT_MS } from './file-scanner.ts'
import { compareStates, FilesState, type KnownFile } from './files-state.ts'
import { createLookTimer } from './look-timer.ts'
import type { FileWatcher } from './watch.ts'

export interface SharedScanOptions extends ScanOptions {
  /** No event asked for it: what it finds has the watch begin anew. */
  readonly isPeriodic?: boolean
}

export interface WatchListener {
  /** The system gives no (more) events: only scans find changes. */
  readonly onTrouble?: (error: unknown) => void
}

/** One of those who share the files. */
export interface Reader {
  /** There is something that it has not taken. */
  readonly isBehind: boolean
  /** Called while it is behind, when the files have been quiet for a moment. */
  notify(): void
}

export interface ProjectFiles {
  readonly scanner: FileScanner
  readonly state: FilesState
  /** What the files hold then. A scan that has not begun serves everybody who asks until it does. */
  scan(options?: SharedScanOptions): Promise<FilesState>
  /** Nothing else is scanned or written meanwhile. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
  /** Takes over what was written. */
  put(known: KnownFile): void
  /** Notifies the readers that are behind. */
  notifyBehind(): void
  /** After an event that somebody else saw. */
  lookSoon(): void
  /** As long as there are readers, changes are followed by a look when it is quiet, and half-written files by one a little later. */
  join(reader: Reader): void
  /** Resolves when the system's events come in. */
  watch(reader: Reader, listener: WatchListener): Promise<void>
  leave(reader: Reader): Promise<void>
}

export function createProjectFiles(config: ResolvedConfig, clock: Clock = systemClock): ProjectFiles {
  const scanner = createFileScanner(config, clock)
  const readers = new Set<Reader>()
  const watching = new Map<Reader, WatchListener>()
  let state = new FilesState()
  let watcher: Promise<FileWatcher> | undefined
  let isWatchStale = false
  /** What events have told since the last scan. */
  let hinted = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting: { readonly options: SharedScanOptions[]; readonly result: Promise<FilesState> } | undefined

  const exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  const scanNow = async (options: readonly SharedScanOptions[]): Promise<FilesState> => {
    const before = state
    const known = hinted
    hinted = new Set()
    state = await scanner.scan(before, {
      everything: options.some(({ everything }) => everything),
      settle: options.some(({ settle }) => settle),
    })
    const isUnasked = options.some(({ isPeriodic }) => isPeriodic)
    if (isUnasked && compareStates(before, state).files.some((path) => !known.has(path))) isWatchStale = true
    if (state !== before) lookSoon()
    if (scanner.hasSuspects && readers.size > 0) timer.after(SUSPECT_MS)
    return state
  }

  const scan = (options: SharedScanOptions = {}): Promise<FilesState> => {
    if (waiting) {
      waiting.options.push(options)
      return waiting.result
    }
    const all = [options]
    const result = exclusive(() => {
      waiting = undefined
      return scanNow(all)
    })
    waiting = { options: all, result }
    return result
  }

  const notifyBehind = () => {
    for (const reader of [...readers]) if (reader.isBehind) reader.notify()
  }

  const look = async (): Promise<void> => {
    // A scan that fails here fails for whoever asks next, and is reported there.
    await scan({ settle: true }).catch(() => undefined)
    notifyBehind()
    if (!isWatchStale || !watcher) return
    isWatchStale = false
    await (await watcher).rearm()
    lookSoon()
  }
  const timer = createLookTimer(clock, look)
  const lookSoon = () => {
    if (readers.size > 0) timer.soon()
  }

  const onHint = (path: string | undefined) => {
    if (path === undefined) isWatchStale = true
    else hinted.add(path)
    lookSoon()
  }

  const startWatcher = async (onTrouble: (error: unknown) => void): Promise<FileWatcher> => {
    // Only a dev server loads what it takes to watch.
    const { watchFiles } = await import('./watch.ts')
    return watchFiles({ patterns: scanner.patterns, onHint, onTrouble })
  }

  const unwatch = async () => {
    const closing = watcher
    watcher = undefined
    await (await closing)?.close()
  }

  return {
    scanner,
    get state() {
      return state
    },
    scan,
    exclusive,
    put(known) {
      state = state.with(known)
    },
    notifyBehind,
    lookSoon,
    join(reader) {
      readers.add(reader)
      if (reader.isBehind) lookSoon()
    },
    async watch(reader, listener) {
      watching.set(reader, listener)
      const onTrouble = (error: unknown) => {
        for (const each of watching.values()) each.onTrouble?.(error)
      }
      watcher ??= startWatcher(onTrouble)
      await watcher
    },
    async leave(reader) {
      readers.delete(reader)
      watching.delete(reader)
      if (readers.size === 0) timer.cancel()
      if (watching.size === 0) await unwatch()
      await last
    },
  }
}
