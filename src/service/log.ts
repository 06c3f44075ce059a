/** The service's log lines hold names and messages of others: providers, requests, files. */
import type { Logger } from '../logger.ts'
import { printable } from '../shared/printable.ts'

/** The frames of a stack stay lines of their own. */
const FRAME = /\n(?= {4}at )/

/** The same logger, whose lines do nothing to a terminal. */
export function printableLogger(logger: Logger): Logger {
  const line = (message: string) => message.split(FRAME).map(printable).join('\n')
  return {
    debug: (message) => logger.debug(line(message)),
    info: (message) => logger.info(line(message)),
    warn: (message) => logger.warn(line(message)),
    error: (message) => logger.error(line(message)),
  }
}
