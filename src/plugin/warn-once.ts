import type { Logger } from '../logger.ts'

/** Warns of each message once, however many outputs and modules it concerns. */
export function createWarnOnce(logger: Logger): (message: string) => void {
  const known = new Set<string>()
  return (message) => {
    if (known.has(message)) return
    known.add(message)
    logger.warn(message)
  }
}
