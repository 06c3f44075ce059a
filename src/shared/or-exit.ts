/** Promises that must settle before the process exits. */

const waiting: (() => void)[] = []

/**
 * Rejects the promise that started last, because its error describes the problem best. The outer promises then fail
 * with the same error.
 */
function failLast(): void {
  waiting.at(-1)?.()
  // New work makes Node emit `beforeExit` again instead of exiting.
  setImmediate(() => {})
}

/**
 * Settles like `work`, or rejects with `failure` if nothing in the process can settle it anymore. A pending promise
 * does not keep the process alive, so Node would exit as if it had succeeded.
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
