/**
 * How old something is that was looked up, though the machine may have slept: then the one clock stands still and the
 * other one leaps.
 */
import type { Clock } from '../../api/clock.ts'

/** Starts counting now; gives milliseconds, infinite where the wall clock went back. */
export function startAge({ now, wallNow }: Clock): () => number {
  const [at, wallAt] = [now(), wallNow()]
  return () => {
    const [age, wallAge] = [now() - at, wallNow() - wallAt]
    return wallAge < 0 ? Number.POSITIVE_INFINITY : Math.max(age, wallAge)
  }
}
