/** The log of `localization serve`: lines for people, or one JSON object each. */
import { createLogger, type Logger, type LogLevel } from '../logger.ts'
import type { AnswerInfo } from '../service.ts'

export type LogFormat = 'text' | 'json'

export interface ServiceLog {
  readonly logger: Logger
  /** Writes one line for an answered request. */
  request(answer: AnswerInfo): void
}

export function createServiceLog(format: LogFormat, write: (line: string) => void): ServiceLog {
  return format === 'json' ? jsonLog(write) : textLog(write)
}

function textLog(write: (line: string) => void): ServiceLog {
  const logger = createLogger({ write })
  const request = ({ method, route, status, ms, aborted, traceId }: AnswerInfo) => {
    const end = `${aborted ? ' (ended by the client)' : ''}${traceId === undefined ? '' : ` (${traceId})`}`
    logger.info(`${method} ${route} ${status} ${Math.round(ms)} ms${end}`)
  }
  return { logger, request }
}

function jsonLog(write: (line: string) => void): ServiceLog {
  const line = (level: LogLevel, message: string, more: object = {}) =>
    write(JSON.stringify({ time: new Date().toISOString(), level, message, ...more }))
  return {
    logger: {
      debug: () => {},
      info: (message) => line('info', message),
      warn: (message) => line('warn', message),
      error: (message) => line('error', message),
    },
    request: ({ ms, ...answer }) => line('info', 'request', { ...answer, ms: Math.round(ms * 10) / 10 }),
  }
}
