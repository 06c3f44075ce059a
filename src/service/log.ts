/** The service's log lines hold names and messages of others: providers, requests, files. */
import type { Logger } from '../logger.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** The frames of a stack stay lines of their own. */
const FRAME = /\n(?= {4}at )/

/** Control characters as escapes, those that turn the direction of writing included. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

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
