/** All output for the user: one prefix, one line per message, and nothing on standard output. */

export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LoggerOptions {
  /** The lowest level that is written. Default `info`. */
  readonly level?: LogLevel
  /** Writes a line. Default: to standard error. */
  readonly write?: (line: string) => void
}

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']
const PREFIX = '[unplugin-localization]'

/** A logger that writes `[unplugin-localization] message`, one line each; `warn` and `error` add their level. */
export function createLogger({ level = 'info', write = writeToStderr }: LoggerOptions = {}): Logger {
  const least = ORDER.indexOf(level)
  const line = (of: LogLevel, label: string) => (message: string) => {
    if (ORDER.indexOf(of) >= least) write(`${PREFIX} ${label}${message}`)
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

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}
