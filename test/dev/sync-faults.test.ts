/** Sync against real trouble: a service that limits and fails, a disk that refuses, many files. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { createTestClock } from '../helpers/api-client.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { startEngine } from '../helpers/sync.ts'
import { writeTree } from '../helpers/temp.ts'

const FILE = 'locales/en/common.json'
const TEXTS = repeats(20, 60)
const FILES = repeats(300, 10_000)
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const untilAsync = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 100 })

function makeTexts(count: number, text: (i: number) => string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, text(i)]))
}

test('a limit of 60 requests a minute: everything arrives, little is asked in vain', async () => {
  const clock = createTestClock()
  const texts = makeTexts(90, (i) => `Text ${i}`)
  const { root, ...service } = await startProject({
    files: { [FILE]: texts },
    service: { rateLimit: 60, now: () => clock.wallNow(), texts: { 'en/common': texts } },
  })
  const { apiKey } = service
  // Waiting for the service takes no time; the engine's own timers do.
  const isOwn = (ms: number) => ms < 400 || ms === 30_000
  const { engine } = await startEngine({
    root,
    service,
    clock: { ...systemClock, sleep: (ms, signal) => (isOwn(ms) ? systemClock : clock).sleep(ms, signal) },
    openClient: () => createClient({ baseUrl: service.baseUrl, apiKey, proxy: false, clock }),
  })
  await engine.refresh()
  const edited = makeTexts(90, (i) => `Text ${i}, edited`)
  await writeTree(root, { [FILE]: edited })
  await until(() => expect(service.count('PATCH')).toBeGreaterThan(0))
  await until(() => expect(engine.status().outbox).toEqual([]))
  expect(service.count('PATCH')).toBeLessThan(90 * 1.4)
  expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(25_000)
  await clock.sleep(600_000, new AbortController().signal)
  expect(await service.texts('en')).toEqual(edited)
})

test('a service that fails half of the time: everything arrives, the last text of each', async () => {
  // Each rule sees the requests that none before it took: every other one fails.
  const failing = Array.from({ length: 2 * 2 * TEXTS }, (_, i) => ({
    method: 'PATCH',
    after: i + 1,
    times: 1,
    status: 500,
  }))
  const texts = makeTexts(TEXTS, (i) => `Text ${i}`)
  const { root, ...service } = await startProject({
    files: { [FILE]: texts },
    service: { faults: failing, texts: { 'en/common': texts } },
  })
  const { apiKey } = service
  const { engine } = await startEngine({
    root,
    service,
    openClient: () =>
      createClient({ baseUrl: service.baseUrl, apiKey, proxy: false, retries: 1, clock: createTestClock() }),
  })
  await engine.refresh()
  for (const edit of ['one', 'two']) {
    await writeTree(root, { [FILE]: makeTexts(TEXTS, (i) => `Text ${i} ${edit}`) })
    await engine.rescan()
  }
  await until(() => expect(engine.status().outbox).toEqual([]))
  expect(await service.texts('en')).toEqual(makeTexts(TEXTS, (i) => `Text ${i} two`))
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [] })
})

test('a disk that takes no outbox: one warning, and edits are sent all the same', async () => {
  const { root, engine, lines, ...service } = await startProject({
    files: { [FILE]: { title: 'Hello' }, '.localization': 'a file where the folder would be' },
    service: { texts: { 'en/common': { title: 'Hello' } } },
    engine: true,
  })
  await engine.refresh()
  for (const title of ['one', 'two']) {
    await writeTree(root, { [FILE]: { title } })
    await untilAsync(async () => expect((await service.texts('en')).title).toBe(title))
  }
  expect(lines.filter((line) => line.includes('cannot write to'))).toHaveLength(1)
  expect(await readFile(join(root, '.localization'), 'utf8')).toBe('a file where the folder would be')
})

test(`${FILES} files: an edit in one of them is found`, async () => {
  const tree: Record<string, object> = {}
  for (let i = 0; i < FILES; i++) tree[`locales/en/part${i % 100}/file${i}.json`] = { title: `Title ${i}` }
  const { root, files } = await startProject({ files: tree, engine: true })
  expect(files().catalog.textCount).toBe(FILES)
  await writeTree(root, { 'locales/en/part42/file142.json': { title: 'Edited' } })
  await until(() => expect(files().catalog.messages('en', 'part42/file142')?.get('title')).toBe('Edited'))
})
