/** What happened lately, for the page's log: the lines a person also reads in the terminal. */
import type { Logger } from '../logger.ts'
import type { EventLine, LogLine } from './wire.ts'

export interface Activity {
  /** The last ones, oldest first. */
  lines(): readonly LogLine[]
  note(level: LogLine['level'], message: string): void
  /** Tells open pages that there is something new of that kind. */
  tell(type: EventLine['type']): void
  /** Returns what ends it. */
  on(listener: (type: EventLine['type']) => void): () => void
}

const MOST_LINES = 500

/** `now`: milliseconds since 1970. */
export function createActivity(now: () => number): Activity {
  const kept: LogLine[] = []
  const listeners = new Set<(type: EventLine['type']) => void>()
  let ids = 0
  const tell: Activity['tell'] = (type) => {
    for (const listener of listeners) listener(type)
  }
  return {
    lines: () => [...kept],
    note(level, message) {
      kept.push({ id: ++ids, at: now(), level, message })
      if (kept.length > MOST_LINES) kept.shift()
      tell('log')
    },
    tell,
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A logger that also keeps what it says. */
export function recording(logger: Logger, activity: Activity): Logger {
  return {
    debug: (message) => logger.debug(message),
    info(message) {
      logger.info(message)
      activity.note('info', message)
    },
    warn(message) {
      logger.warn(message)
      activity.note('warn', message)
    },
    error(message) {
      logger.error(message)
      activity.note('error', message)
    },
  }
}
