/** The inspector's log, which repeats the terminal's lines, and the events sent to open pages. */
import type { Logger } from '../logger.ts'
import type { EventKind, LogLine } from './protocol.ts'

const MOST_LINES = 500

export type Activity = ReturnType<typeof createActivity>

/** `now` returns milliseconds since 1970. */
export function createActivity(now: () => number) {
  const lines: LogLine[] = []
  const listeners = new Set<(kind: EventKind) => void>()
  let lastId = 0
  /** Tells open pages to reload data of this kind. */
  const notify = (kind: EventKind): void => {
    for (const listener of listeners) listener(kind)
  }
  return {
    /** The latest lines, oldest first. */
    lines: (): readonly LogLine[] => lines,
    log(level: LogLine['level'], message: string): void {
      lines.push({ id: ++lastId, at: now(), level, message })
      if (lines.length > MOST_LINES) lines.shift()
      notify('log')
    },
    notify,
    /** Returns a function that unsubscribes. */
    subscribe(listener: (kind: EventKind) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A logger whose messages, except debug messages, also appear in the inspector's log. */
export function recording(logger: Logger, { log }: Activity): Logger {
  const both = (level: LogLine['level']) => (message: string) => {
    logger[level](message)
    log(level, message)
  }
  return { debug: (message) => logger.debug(message), info: both('info'), warn: both('warn'), error: both('error') }
}
