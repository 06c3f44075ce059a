/**
 * Decides when to scan the files. Events are only hints: they can be lost in bursts, or if a folder is removed and
 * created again. A timer waits until the files are calm, and a scan finds what has changed. `rearm` restarts the watch
 * after a scan found a change without an event.
 */
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { FSWatcher } from 'chokidar'
import type { Clock } from '../shared/clock.ts'
import { realFolder } from '../shared/folder-id.ts'
import { isInside } from '../shared/paths.ts'
import type { FilePatterns } from './patterns.ts'

export interface FileWatcher {
  rearm(): Promise<void>
  close(): Promise<void>
}

/**
 * Resolves when the watch is ready.
 * @param onHint called with the absolute path of a changed file; `undefined` if a folder was added or removed
 * @param onTrouble called if the system does not report file changes, or no longer does
 */
export async function watchFiles(
  patterns: FilePatterns,
  onHint: (path: string | undefined) => void,
  onTrouble: (error: unknown) => void,
): Promise<FileWatcher> {
  // Imported on demand: only dev servers watch files.
  const { watch } = await import('chokidar')
  const { root, bases, compiled } = patterns
  const named = new Set(compiled.flatMap(({ namedFolders }) => [...namedFolders]))
  const endings = [...new Set(compiled.map(({ ending }) => ending))]
  let watcher: FSWatcher | undefined
  let closed = false

  /**
   * Existing folders above the bases, because a watch ends when its folder is removed. They are listed by their real
   * paths, because a link is not watched.
   */
  const anchors = () => {
    const found = bases.map((base) => {
      if (isInside(root, base)) return root
      let folder = dirname(base)
      while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
      return folder
    })
    return new Map(found.map((folder) => [realFolder(folder), folder]))
  }

  let anchored = anchors()
  /** The path as the patterns spell it. */
  const spelled = (path: string) => {
    const [real, folder] = [...anchored].find(([above]) => isInside(above, path)) ?? [path, path]
    return join(folder, relative(real, path))
  }

  const isIgnored = (path: string, isFile: boolean | undefined): boolean => {
    const base = bases.find((folder) => isInside(folder, path))
    if (base === undefined) return !bases.some((folder) => isInside(path, folder))
    const segments = path.slice(base.length).split(/[\\/]/).filter(Boolean)
    if (segments.some((name) => (name.startsWith('.') || name === 'node_modules') && !named.has(name))) return true
    return isFile === true && !endings.some((ending) => path.endsWith(ending))
  }

  const start = async () => {
    anchored = anchors()
    const next = watch([...anchored.keys()], {
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (path, stats) => isIgnored(spelled(path), stats?.isFile()),
    })
    watcher = next
    next.on('add', hint).on('change', hint).on('unlink', hint)
    next.on('addDir', folder).on('unlinkDir', folder)
    await new Promise<void>((resolve) => {
      next.once('ready', () => resolve())
      next.on('error', (error) => {
        onTrouble(error)
        resolve()
      })
    })
  }
  const hint = (path: string) => onHint(spelled(path))
  const folder = (given: string) => {
    const path = spelled(given)
    if (bases.some((base) => isInside(base, path) || isInside(path, base))) onHint(undefined)
  }

  await start()
  return {
    async rearm() {
      if (closed) return
      const old = watcher
      await start()
      await old?.close()
      if (closed) await watcher?.close()
    },
    async close() {
      closed = true
      await watcher?.close()
    },
  }
}

/**
 * The files are calm if there has been no event for this time. A watcher drops an event that follows another event for
 * the same file within 50 ms, but a scan after this time still finds the change.
 */
export const CALM_MS = 100
export const LONGEST_UNREST_MS = 1_000

/** Decides when to scan: when there have been no events for a time, or when events have continued for too long. */
export class LookTimer {
  readonly #clock: Clock
  readonly #look: () => Promise<void>
  #ending = new AbortController()
  #firstAt: number | undefined
  #lastAt = 0

  /** @param look must not reject */
  constructor(clock: Clock, look: () => Promise<void>) {
    this.#clock = clock
    this.#look = look
  }

  /** Requests a scan soon. Only an event delays a scan that is already due. */
  soon({ isEvent = true } = {}): void {
    const now = this.#clock.now()
    if (isEvent || this.#firstAt === undefined) this.#lastAt = now
    if (this.#firstAt !== undefined) return
    this.#firstAt = now
    void this.#lookWhenCalm(now, this.#ending.signal)
  }

  cancel(): void {
    this.#ending.abort(new Error('the timer was cancelled'))
    this.#ending = new AbortController()
    this.#firstAt = undefined
  }

  async #lookWhenCalm(firstAt: number, signal: AbortSignal): Promise<void> {
    const waitMs = () => Math.min(this.#lastAt + CALM_MS, firstAt + LONGEST_UNREST_MS) - this.#clock.now()
    for (let ms = waitMs(); ms > 0; ms = waitMs()) {
      await this.#clock.sleep(ms, signal, { background: true }).catch(() => undefined)
      if (signal.aborted) return
    }
    this.#firstAt = undefined
    await this.#look()
  }
}
