/** Logs a notice after an edit of the configuration. Only Vite's dev server restarts by itself. */

import { readFileSync } from 'node:fs'
import { hashOf } from '../shared/hash.ts'
import { displayPath } from '../shared/paths.ts'
import type { AdapterInput } from './bundler-adapter.ts'

/** An editor that writes in place empties the file first: an edit is complete when two looks find the same content. */
const LOOK_MS = 500

interface ConfigNoticeInput extends Pick<AdapterInput, 'session' | 'logger'> {
  /** The program that must be restarted, for the message. Default: the bundler. */
  readonly program?: string
}

/**
 * Returns the function that begins to compare the files with the content that the load read; later calls do nothing.
 * Polling costs little for a few files, sees a file that is created, and misses no edit while the load runs. It ends
 * with the session and keeps no process running.
 */
export function createConfigNotice({ session, logger, program = 'the bundler' }: ConfigNoticeInput) {
  let timer: NodeJS.Timeout | undefined
  let root: string
  /** By path: the content that was loaded or reported, and the content at the last look. */
  const known = new Map<string, { loaded: string | undefined; last: string | undefined }>()

  const look = () => {
    for (const [path, loaded] of session.configDependencies) {
      const content = contentOf(path)
      const file = known.get(path) ?? { loaded, last: loaded }
      if (content !== file.loaded && content === file.last) {
        logger.warn(`${displayPath(root, path)} was edited: restart ${program} to use it`)
        file.loaded = content
      }
      file.last = content
      known.set(path, file)
    }
  }

  return (given: string): void => {
    if (timer) return
    root = given
    // A failed load is reported elsewhere. An edit may fix the configuration.
    session.config().then(
      (config) => {
        root = config.root
      },
      () => {},
    )
    timer = setInterval(look, LOOK_MS).unref()
    session.onClose(() => clearInterval(timer))
  }
}

function contentOf(path: string): string | undefined {
  try {
    return hashOf(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
