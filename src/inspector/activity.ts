/** The inspector's log, with the lines that the terminal also shows, and the events for open pages. */
import type { Logger } from '../logger.ts'
import type { EventKind, LogLine } from './protocol.ts'

export interface Activity {
  /** The latest ones, oldest first. */
  lines(): readonly LogLine[]
  log(level: LogLine['level'], message: string): void
  /** Makes open pages read the data of this kind again. */
  notify(kind: EventKind): void
  /** Returns a function that unsubscribes. */
  subscribe(listener: (kind: EventKind) => void): () => void
}

const MOST_LINES = 500

/** `now`: milliseconds since 1970. */
export function createActivity(now: () => number): Activity {
  const lines: LogLine[] = []
  const listeners = new Set<(kind: EventKind) => void>()
  let lastId = 0
  const notify = (kind: EventKind) => {
    for (const listener of listeners) listener(kind)
  }
  return {
    lines: () => lines,
    log(level, message) {
      lines.push({ id: ++lastId, at: now(), level, message })
      if (lines.length > MOST_LINES) lines.shift()
      notify('log')
    },
    notify,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A logger whose messages, except debugging ones, are also in the inspector's log. */
export function recording(logger: Logger, activity: Activity): Logger {
  const both = (level: LogLine['level']) => (message: string) => {
    logger[level](message)
    activity.log(level, message)
  }
  return { debug: (message) => logger.debug(message), info: both('info'), warn: both('warn'), error: both('error') }
}
