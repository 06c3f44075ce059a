/** Follows the source files for `localization extract --watch`. */
import { once } from 'node:events'
import { watch } from 'chokidar'
import { LookTimer } from '../../files/watch.ts'
import { systemClock } from '../../shared/clock.ts'
import { createPathFilter } from '../../usage/sources/list.ts'

export interface WatchSourcesOptions {
  readonly root: string
  /** The globs of the source files. */
  readonly patterns: readonly string[]
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** Called when the files have been quiet for a moment, never twice at once. Must not reject. */
  readonly onChange: () => Promise<void>
  /** The system delivers no events, or no more. */
  readonly onTrouble: (error: unknown) => void
}

/** Resolves when `signal` aborts and the last call of `onChange` is over. */
export async function watchSources({ root, patterns, signal, onChange, onTrouble }: WatchSourcesOptions) {
  const { bases, mayHold, globsOf } = createPathFilter(root, patterns)
  const isSource = (path: string) => globsOf(path).length > 0
  let running = Promise.resolve()
  const timer = new LookTimer(systemClock, async () => {
    running = running.then(() => (signal.aborted ? undefined : onChange()))
    await running
  })
  const watcher = watch([...bases], {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path, stats) => !mayHold(path) || (stats?.isFile() === true && !isSource(path)),
  })
  watcher.on('all', (_, path) => {
    if (isSource(path)) timer.soon()
  })
  watcher.on('error', onTrouble)
  // A file may have changed between the first round and the start of the watch.
  watcher.once('ready', () => timer.soon())
  if (!signal.aborted) await once(signal, 'abort')
  timer.cancel()
  await watcher.close()
  await running
}
