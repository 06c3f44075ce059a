/** A publish that runs until the test has seen what meets it. */
import { whenOver } from './closing.ts'

/** Give `duringPublish` to the service: its first publish runs until `end`, the following ones are free. */
export function holdFirstPublish() {
  let start = () => {}
  let end = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let publishes = 0
  return {
    async duringPublish() {
      if (publishes++ > 0) return
      start()
      await ended
    },
    /** Resolves when the first publish runs. */
    async started() {
      // Before the service is closed, which waits for its publishes.
      whenOver(end)
      await started
    },
    end,
  }
}
