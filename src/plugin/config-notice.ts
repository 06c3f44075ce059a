/** Logs a notice after an edit of the configuration. Only Vite's dev server restarts by itself. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import { CONFIG_FILE_NAMES } from '../config/file-names.ts'
import { displayPath } from '../files/patterns.ts'
import type { AdapterInput } from './bundler-adapter.ts'

/** Polling costs little for a few files, and sees a file that is created. */
const INTERVAL_MS = 1_000
/** An editor that writes in place empties the file first. After so long without a change, the edit is complete. */
const QUIET_MS = 250

interface ConfigNoticeInput extends Pick<AdapterInput, 'session' | 'logger'> {
  /** The program that must be restarted, for the message. Default: the bundler. */
  readonly program?: string
}

/**
 * Returns the function that begins to watch. Call it when the first load has begun; later calls do nothing. The watch
 * ends with the session and keeps no process running.
 */
export function createConfigNotice({ session, logger, program = 'the bundler' }: ConfigNoticeInput) {
  let isWatching = false

  const watch = (file: string, root: string) => {
    let last = contentOf(file)
    const compare = () => {
      const content = contentOf(file)
      if (content !== last) logger.warn(`${displayPath(root, file)} was edited: restart ${program} to use it`)
      last = content
    }
    let timer: NodeJS.Timeout | undefined
    const compareWhenQuiet = () => {
      clearTimeout(timer)
      timer = setTimeout(compare, QUIET_MS).unref()
    }
    watchFile(file, { persistent: false, interval: INTERVAL_MS }, compareWhenQuiet)
    session.onClose(() => {
      clearTimeout(timer)
      unwatchFile(file, compareWhenQuiet)
    })
  }

  return async (root: string): Promise<void> => {
    if (isWatching) return
    isWatching = true
    // A failed load is reported elsewhere. The watch continues: an edit may fix the configuration.
    const config = await session.ready().then(
      (state) => state.config,
      () => ({ root, configDependencies: [] }),
    )
    // The dependencies are a configuration file that an option names, and `.env` files.
    const names = CONFIG_FILE_NAMES.map((name) => join(config.root, name))
    for (const file of new Set([...names, ...config.configDependencies])) watch(file, config.root)
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
