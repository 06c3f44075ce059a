import type { Logger } from '../logger.ts'

export function createWarnOnce(logger: Logger): (message: string) => void {
  const known = new Set<string>()
  return (message) => {
    if (known.has(message)) return
    known.add(message)
    logger.warn(message)
  }
}

export const LIVE_WARNING =
  "delivery: 'live' has no effect on an output whose texts are in its scripts. The texts change only with the next build. " +
  'See docs/live.md'
