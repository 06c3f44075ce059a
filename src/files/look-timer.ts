/** When to look at the files: once the events have calmed down, or have gone on for too long. */
import type { Clock } from '../shared/clock.ts'

const DEBOUNCE_MS = 60
const LONGEST_DEBOUNCE_MS = 1_000

/** `look` must not reject. */
export function createLookTimer(clock: Clock, look: () => Promise<void>) {
  let ending = new AbortController()
  let firstAt: number | undefined
  let lastAt = 0
  let isLaterDue = false

  const sleep = (ms: number, { signal }: AbortController) =>
    clock.sleep(ms, signal, { background: true }).then(
      () => !signal.aborted,
      () => false,
    )

  const lookWhenQuiet = async (startedAt: number, until: AbortController): Promise<void> => {
    for (;;) {
      const waitMs = Math.min(lastAt + DEBOUNCE_MS, startedAt + LONGEST_DEBOUNCE_MS) - clock.now()
      if (waitMs <= 0) break
      if (!(await sleep(waitMs, until))) return
    }
    firstAt = undefined
    await look()
  }

  return {
    /** Something happened. */
    soon() {
      lastAt = clock.now()
      if (firstAt !== undefined) return
      firstAt = lastAt
      void lookWhenQuiet(firstAt, ending)
    },
    /** After that time, unless such a look is due already. */
    after(ms: number) {
      if (isLaterDue) return
      isLaterDue = true
      void sleep(ms, ending).then((isDue) => {
        if (!isDue) return
        isLaterDue = false
        return look()
      })
    },
    /** Nothing is due any more. */
    cancel() {
      ending.abort(new Error('nobody waits for a look any more'))
      ending = new AbortController()
      firstAt = undefined
      isLaterDue = false
    },
  }
}
