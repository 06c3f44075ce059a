/**
 * Hints of changes below the patterns' folders. Events can get lost (bursts, a folder that is removed and created
 * again): scans decide, and `rearm` starts the watch again after a scan that found a change without an event.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { isInside } from '../shared/paths.ts'
import type { FilePatterns } from './patterns.ts'

export interface FileWatcher {
  /** Starts the watch again. */
  rearm(): Promise<void>
  close(): Promise<void>
}

export interface WatchOptions {
  readonly patterns: FilePatterns
  /** Absolute path; `undefined`: a folder was added or removed. */
  readonly onHint: (path: string | undefined) => void
  /** The system delivers no events, or no more. */
  readonly onTrouble: (error: unknown) => void
}

/** Resolves when the watch is ready. */
export async function watchFiles({ patterns, onHint, onTrouble }: WatchOptions): Promise<FileWatcher> {
  const { bases, compiled } = patterns
  const { root } = patterns.options
  const named = new Set(compiled.flatMap(({ namedFolders }) => [...namedFolders]))
  const endings = [...new Set(compiled.map(({ ending }) => ending))]
  let watcher: FSWatcher | undefined
  let closed = false

  /** The watch of a removed folder does not come back, so the watch starts at a folder that stays. */
  const anchors = () => {
    const found = bases.map((base) => {
      if (isInside(root, base)) return root
      let folder = dirname(base)
      while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
      return folder
    })
    return [...new Set(found)]
  }

  const isIgnored = (path: string, isFile: boolean | undefined): boolean => {
    const base = bases.find((folder) => isInside(folder, path))
    if (base === undefined) return !bases.some((folder) => isInside(path, folder))
    const segments = path.slice(base.length).split(/[\\/]/).filter(Boolean)
    if (segments.some((name) => (name.startsWith('.') || name === 'node_modules') && !named.has(name))) return true
    return isFile === true && !endings.some((ending) => path.endsWith(ending))
  }

  const start = async () => {
    const next = watch(anchors(), {
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (path, stats) => isIgnored(path, stats?.isFile()),
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
  const hint = (path: string) => onHint(join(path))
  const folder = (path: string) => {
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
