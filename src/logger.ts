/** All output for the user, with one prefix and one line per message. Nothing is written to standard output. */
import { printableLines } from './shared/escape.ts'

export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LoggerOptions {
  /** The lowest level to write. Default `info`. */
  readonly level?: LogLevel
  /** Writes a line. Default: to standard error. */
  readonly write?: (line: string) => void
}

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']
const PREFIX = '[unplugin-localization]'

/**
 * A logger that writes each message on one line, as `[unplugin-localization] message`. `warn` and `error` add their
 * level.
 */
export function createLogger({ level = 'info', write = writeToStderr }: LoggerOptions = {}): Logger {
  const least = ORDER.indexOf(level)
  const line = (of: LogLevel, label: string) => (message: string) => {
    if (ORDER.indexOf(of) >= least) write(`${PREFIX} ${label}${printableLines(message)}`)
  }
  return {
    debug: line('debug', ''),
    info: line('info', ''),
    warn: line('warn', 'warning: '),
    error: line('error', 'error: '),
  }
}

/** Writes nothing. */
export const silentLogger: Logger = createLogger({ level: 'silent' })

/** Returns a function that logs each warning once. */
export function createWarnOnce(logger: Logger): (message: string) => void {
  const known = new Set<string>()
  return (message) => {
    if (known.has(message)) return
    known.add(message)
    logger.warn(message)
  }
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}
