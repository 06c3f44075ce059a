/** Promises that must settle before the process exits. */

const waiting: (() => void)[] = []

/**
 * Fails the promise that started last, which describes the problem best. The outer promises continue with its failure.
 */
function failLast(): void {
  waiting.at(-1)?.()
  // If there is work left, Node emits `beforeExit` again.
  setImmediate(() => {})
}

/**
 * Settles like `work`. Rejects with `failure` if nothing left in the process could settle it: a callback that is never
 * called does not keep the process alive, which would exit as if successful.
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
