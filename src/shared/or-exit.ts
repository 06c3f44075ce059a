/** Promises that a process must not end without. */

const waiting: (() => void)[] = []

/** The one that began last says best what is missing; those around it go on from its failure. */
function failLast(): void {
  waiting.at(-1)?.()
  // With work to do Node asks again before it ends.
  setImmediate(() => {})
}

/**
 * Settles as `work` does. Rejects with `failure` when nothing is left in the process that could settle it: a callback
 * that is never called keeps no process alive, which ends as if all was done.
 */
export async function orExit<T>(work: Promise<T>, failure: () => Error): Promise<T> {
  let entry = () => {}
  const exit = new Promise<never>((_, reject) => {
    entry = () => {
      leave(entry)
      reject(failure())
    }
  })
  if (waiting.push(entry) === 1) process.on('beforeExit', failLast)
  try {
    return await Promise.race([work, exit])
  } finally {
    leave(entry)
  }
}

function leave(entry: () => void): void {
  const at = waiting.indexOf(entry)
  if (at < 0) return
  waiting.splice(at, 1)
  if (waiting.length === 0) process.off('beforeExit', failLast)
}
