/**
 * Tells the user to restart the bundler after an edit of the configuration. Only Vite's dev server restarts
 * automatically.
 */
import { readFileSync } from 'node:fs'
import { hashOf } from '../shared/hash.ts'
import { displayPath } from '../shared/paths.ts'
import type { AdapterInput } from './bundler-adapter.ts'

/**
 * The polling interval. Some editors empty a file before they write it, so an edit is reported only if two checks in a
 * row find the same content.
 */
const LOOK_MS = 500

/**
 * Returns a function that starts to poll the configuration files. Only its first call has an effect. With so few files,
 * polling is fast. It also detects new files, and misses no edit during the load. Polling stops when the session
 * closes, and it does not keep the process alive.
 *
 * @param program the name of the program to restart, for the message
 */
export function createConfigNotice(
  { session, logger }: Pick<AdapterInput, 'session' | 'logger'>,
  program = 'the bundler',
) {
  let timer: NodeJS.Timeout | undefined
  let root: string
  /** Content hashes by path: `loaded` from the load or the last report, `last` from the last check. */
  const known = new Map<string, { loaded: string | undefined; last: string | undefined }>()

  const look = () => {
    for (const [path, loaded] of session.configDependencies) {
      const content = contentOf(path)
      const file = known.get(path) ?? { loaded, last: loaded }
      if (content !== file.loaded && content === file.last) {
        logger.warn(`${displayPath(root, path)} changed. Restart ${program} to apply it`)
        file.loaded = content
      }
      file.last = content
      known.set(path, file)
    }
  }

  return (given: string): void => {
    if (timer) return
    root = given
    // If this fails, the error is reported elsewhere. Polling continues, because an edit may fix the configuration.
    session.config().then(
      (config) => {
        root = config.root
      },
      () => {},
    )
    timer = setInterval(look, LOOK_MS).unref()
    session.onClose(() => {
      clearInterval(timer)
      timer = undefined
    })
  }
}

function contentOf(path: string): string | undefined {
  try {
    return hashOf(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
