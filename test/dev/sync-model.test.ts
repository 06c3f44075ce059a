import { expect, test } from 'vitest'
import { repeats } from '../helpers/repeats.ts'
import { runModel } from './sync-model/model.ts'

/**
 * What failed before sync was one implementation: texts overwritten unseen, and keys that the service had deleted
 * brought back. The last ones failed later: a decision of a command undone by a restart, a text that was written long
 * after its key was made, what the service had while a file could not be read, forgotten, translations that counted as
 * made from another source than the file had, and a pulled text that was sent as an edit.
 */
const KEPT = [
  3, 8, 9, 23, 25, 29, 34, 41, 45, 46, 64_061_545, 93_506_987, 93_507_692, 109_553_200, 110_112_504, 132_051_565,
  132_051_517, 140_000_345, 150_000_041, 150_000_528,
]

const SEEDS = Number(process.env.SYNC_MODEL_SEEDS ?? repeats(3, 60))
/** The same seeds on each run. To look for orders that fail: `SYNC_MODEL_FIRST=$RANDOM SYNC_MODEL_SEEDS=500`. */
const FIRST = Number(process.env.SYNC_MODEL_FIRST ?? 1_000)

test(`nothing is lost in any order (${SEEDS} seeds from ${FIRST})`, { timeout: 3_600_000 }, async () => {
  const failures: string[] = []
  const total = { steps: 0, requests: 0, inFlight: 0, stale: 0 }
  for (let seed = FIRST; seed < FIRST + SEEDS && failures.length < 20; seed++) {
    const result = await runModel(seed)
    for (const line of result.failures) failures.push(`seed ${seed}, ${line}`)
    for (const name of ['steps', 'requests', 'inFlight', 'stale'] as const) total[name] += result[name]
  }
  console.log(
    `sync model: ${SEEDS} seeds, ${total.steps} steps, ${total.requests} requests; overwritten within one request, without conditions: ${total.inFlight}; stale: ${total.stale}`,
  )
  expect(failures).toEqual([])
  expect(total.stale).toBeGreaterThan(0)
  expect(total.steps).toBeGreaterThanOrEqual(SEEDS * 72)
})

test.each(KEPT)('seed %i', async (seed) => {
  expect((await runModel(seed, true)).failures).toEqual([])
})
