/** Requests that ask for the same at the same time. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The same read; calls of one turn of the loop share one, which begins after all of them. */
export function sharedRead<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const next = new Map<string, Promise<T>>()
  const readNext = async (id: string) => {
    await nextTurn()
    next.delete(id)
    return read(id)
  }
  return (id) => {
    const found = next.get(id) ?? readNext(id)
    next.set(id, found)
    return found
  }
}
