/** Row 18: two dev servers on one folder: one syncs, the other only reads and says whose process the first one is. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSyncLock } from '../../src/sync/lock.ts'
import { createApp, serviceHas, serviceTexts, startDevProcess, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { save, tempFolder } from '../helpers/temp.ts'
import { testThoroughly } from '../helpers/test-thoroughly.ts'

const row = faultRow(18)
const ROUNDS = 5
const agreed = { 'en/common': { title: 'Title', bye: 'Bye' } }

async function setup() {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(agreed)
  const root = await createApp(agreed, proxy)
  const edit = (title: string) => save(join(root, 'locales/en/common.json'), { title, bye: 'Bye' })
  const arrives = async (title: string) => {
    await serviceHas(project, { 'en/common': { title, bye: 'Bye' } })
    row.kept(await serviceTexts(project), { 'en/common': { title, bye: 'Bye' } })
  }
  return { project, proxy, root, edit, arrives }
}

const PAIRS = [
  ['vite', 'vite'],
  ['vite', 'webpack'],
  ['rspack', 'vite'],
] as const
test.each(repeats<readonly (typeof PAIRS)[number][]>(PAIRS.slice(0, 1), PAIRS))('%s, then %s', async (one, other) => {
  const { project, proxy, root, edit, arrives } = await setup()
  const first = await startDevProcess(root, project.apiKey, proxy, { bundler: one })
  const second = await startDevServer(root, project.apiKey, undefined, { bundler: other })
  await expect
    .poll(() => second.lines().join('\n'), { timeout: 90_000 })
    .toContain(`read-only: process ${first.pid} is syncing`)
  await edit('once')
  await arrives('once')
  await edit('twice')
  await arrives('twice')
  // Each edit once, and by the first.
  expect(proxy.patches.map(({ text }) => text)).toEqual(['once', 'twice'])
  expect(first.lines().join('\n')).not.toContain('read-only')
  // The first is killed: the second takes over, with nothing of the first lost.
  await first.kill()
  await expect
    .poll(() => second.lines().join('\n'), { timeout: 90_000 })
    .toContain('took over syncing from the other process')
  await edit('after')
  await arrives('after')
  expect(proxy.patches.map(({ text }) => text)).toEqual(['once', 'twice', 'after'])
})

test('many that want to sync at the same time: one of them does', async () => {
  const root = await tempFolder()
  const locks = Array.from({ length: 20 }, () => createSyncLock(root))
  onTestFinished(async () => void (await Promise.all(locks.map((lock) => lock.release()))))
  const answers = await Promise.all(locks.map((lock) => lock.acquire()))
  expect(answers.filter((answer) => answer === 'held')).toHaveLength(1)
  const others = answers.flatMap((answer) => (answer === 'held' ? [] : answer.pid))
  expect(others).toEqual(Array(19).fill(process.pid))
})

testThoroughly(`two processes that start at the same time, ${ROUNDS} times: one of them syncs`, async () => {
  const { project, proxy, root, edit, arrives } = await setup()
  for (let round = 0; round < ROUNDS; round++) {
    const both = await Promise.all([
      startDevProcess(root, project.apiKey, proxy),
      startDevProcess(root, project.apiKey, proxy),
    ])
    const readers = () => both.filter((server) => server.lines().some((line) => line.includes('read-only: process')))
    await expect.poll(() => readers().length, { timeout: 90_000 }).toBe(1)
    const writer = both.find((server) => !readers().includes(server))
    expect(readers()[0]?.lines().join('\n')).toContain(`process ${writer?.pid} is syncing`)
    const before = proxy.patches.length
    await edit(`round ${round}`)
    await arrives(`round ${round}`)
    expect(proxy.patches).toHaveLength(before + 1)
    await Promise.all(both.map((server) => server.kill()))
    row.alsoTried(1)
  }
})
