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

async function openStore() {
  const database = await openDatabase(undefined)
  onTestFinished(() => database.close())
  return createStore(database, () => '2026-01-01T00:00:00.000Z')
}

/** What `work` answers, and how many comparisons in constant time it took. */
async function counting<T>(work: () => Promise<T>): Promise<{ value: T; comparisons: number }> {
  compared.count = 0
  return { value: await work(), comparisons: compared.count }
}

test('a personal token is held against every known one, whether or not one before it fits', async () => {
  const { credentials, transaction } = await openStore()
  for (const token of ['first', 'second', 'third']) {
    await transaction((tx) => tx.credentials.addPersonalToken(token, false))
  }
  for (const [token, value] of [
    ['first', true],
    ['third', true],
    ['fourth', false],
    ['', false],
  ] as const) {
    expect(await counting(() => credentials.hasPersonalToken(token))).toEqual({ value, comparisons: 3 })
  }
})

test('a project API key is found by its digest and then compared in constant time', async () => {
  const { projects, transaction } = await openStore()
  const project = await transaction((tx) => tx.projects.create('Project', 'en'))
  const found = await counting(() => projects.byApiKey(project.apiKey))
  expect(found).toMatchObject({ value: { id: project.id, apiKey: project.apiKey }, comparisons: 1 })
  expect(await projects.byApiKey(`${project.apiKey.slice(0, -1)}!`)).toBeUndefined()
})
