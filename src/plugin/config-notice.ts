/** Says that the configuration was edited where a running bundler goes on with what it was: Vite's dev server alone starts anew. */
import { readFileSync, type StatsListener, unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import { CONFIG_FILE_NAMES } from '../config/load.ts'
import { displayPath } from '../files/patterns.ts'
import type { Logger } from '../logger.ts'
import type { Session } from './session.ts'

export interface ConfigNotice {
  /** From the first call on, until the session ends: call it when the first load has begun. Keeps no process running. */
  watch(root: string): void
}

/** Looked at, not listened to: that costs nothing here, and sees a file that comes into being. */
const INTERVAL_MS = 1_000

export function createConfigNotice({ session, logger }: { session: Session; logger: Logger }): ConfigNotice {
  let isWatching = false
  return {
    watch(root) {
      if (isWatching) return
      isWatching = true
      const namesIn = (folder: string) => CONFIG_FILE_NAMES.map((name) => join(folder, name))
      const watchAll = (files: readonly string[], from: string) => {
        for (const file of new Set(files)) watchFileOf(file, from)
      }
      session.ready().then(
        // Also one that is given by name, and `.env` files.
        ({ config }) => watchAll([...namesIn(config.root), ...config.configDependencies], config.root),
        // Reported elsewhere; the mend is waited for.
        () => watchAll(namesIn(root), root),
      )
    },
  }

  function watchFileOf(file: string, root: string): void {
    let last = contentOf(file)
    const look: StatsListener = () => {
      const content = contentOf(file)
      if (content === last) return
      last = content
      logger.warn(`${displayPath(root, file)} was edited: start the bundler anew to use it`)
    }
    watchFile(file, { persistent: false, interval: INTERVAL_MS }, look)
    session.onClose(() => unwatchFile(file, look))
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
