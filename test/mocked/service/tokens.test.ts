/** Tokens are compared in constant time, and kept as the contract allows. */
import { expect, onTestFinished, test, vi } from 'vitest'

const compared = vi.hoisted(() => ({ count: 0 }))
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>()
  const timingSafeEqual: typeof crypto.timingSafeEqual = (left, right) => {
    compared.count++
    return crypto.timingSafeEqual(left, right)
  }
  return { ...crypto, default: { ...crypto, timingSafeEqual }, timingSafeEqual }
})

const { openDatabase } = await import('../../../src/service/store/open.ts')
const { createStore } = await import('../../../src/service/store/store.ts')

async function projects() {
  const database = await openDatabase(undefined)
  onTestFinished(() => database.close())
  return createStore(database, () => '2026-01-01T00:00:00.000Z').projects
}

/** What `work` answers, and how many comparisons in constant time it took. */
function counting<T>(work: () => T): { value: T; comparisons: number } {
  compared.count = 0
  return { value: work(), comparisons: compared.count }
}

test('a personal token is held against every known one, whether or not one before it fits', async () => {
  const store = await projects()
  for (const token of ['first', 'second', 'third']) store.addPersonalToken(token, false)
  for (const [token, value] of [
    ['first', true],
    ['third', true],
    ['fourth', false],
    ['', false],
  ] as const) {
    expect(counting(() => store.hasPersonalToken(token))).toEqual({ value, comparisons: 3 })
  }
})

test('a project API key is found by its digest and then compared in constant time', async () => {
  const store = await projects()
  const project = store.create('Project', 'en')
  expect(counting(() => store.byApiKey(project.apiKey))).toEqual({ value: project, comparisons: 1 })
  expect(store.byApiKey(`${project.apiKey.slice(0, -1)}!`)).toBeUndefined()
})
