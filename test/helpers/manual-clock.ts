import type { Clock } from '../../src/shared/clock.ts'

export interface ManualClock extends Clock {
  /** Time passes; whoever slept until then wakes. */
  advance(ms: number): void
  /** The wall clock alone jumps, as when somebody sets it or the machine slept. */
  jump(ms: number): void
}

/** Time stands still until somebody moves it. */
export function createManualClock(): ManualClock {
  let now = 0
  let wall = Date.UTC(2026, 0, 1)
  const sleepers = new Set<{ until: number; wake: () => void }>()
  return {
    now: () => now,
    wallNow: () => wall,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const sleeper = {
          until: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal.removeEventListener('abort', giveUp)
            resolve()
          },
        }
        const giveUp = () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        }
        sleepers.add(sleeper)
        signal.addEventListener('abort', giveUp, { once: true })
      }),
    advance(ms) {
      now += ms
      wall += ms
      for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake()
    },
    jump(ms) {
      wall += ms
    },
  }
}
