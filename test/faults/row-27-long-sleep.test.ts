/** Row 27: a process that wakes after a long sleep: what happened meanwhile is looked at before anything is written. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import {
  agreesOn,
  createApp,
  fileTexts,
  serviceHas,
  serviceTexts,
  startDevProcess,
  startDevServer,
} from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(27)
const SHIFTED = {
  preload: join(repository, 'test/helpers/shifted-clock.mjs'),
  env: { CLOCK_SHIFT_MS: '3600000' },
}
const agreed = { 'en/common': { title: 'Agreed', other: 'Other' } }

/**
 * `jumps`: with SIGUSR2 its wall clock goes on by an hour, as after a sleep of the machine; other clocks stand still in
 * one.
 */
async function setup(holdMs = 0, texts: Record<string, Record<string, string>> = agreed, jumps = false) {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, holdMs)
  await project.fill(texts)
  const root = await createApp(texts, proxy)
  const server = await startDevProcess(root, project.apiKey, proxy, jumps ? SHIFTED : {})
  // A sleep before that would be none after the last agreement.
  await agreesOn(root, Object.values(texts).flatMap(Object.keys).length)
  return { project, proxy, root, server, path: join(root, 'locales/en/common.json') }
}

test('it slept with edits on their way: changes by someone else in the meantime are not overwritten', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key${i}`, `Agreed ${i}`]))
  const { project, proxy, root, server, path } = await setup(250, { 'en/common': many }, true)
  const edited = Object.fromEntries(Object.keys(many).map((key) => [key, `Ours ${key}`]))
  await save(path, edited)
  await expect.poll(() => proxy.patches.length, { timeout: 90_000, interval: 10 }).toBeGreaterThan(3)
  server.signal('SIGSTOP')
  await expect.poll(() => proxy.underWay(), { timeout: 90_000, interval: 10 }).toBe(0)
  const sent = new Set(proxy.patches.map(({ id }) => id.slice('en/common/'.length)))
  const waiting = Object.keys(many).filter((key) => !sent.has(key))
  const [key = ''] = waiting.slice(-1)
  await project.setText('en', 'common', key, 'Theirs')
  // What was looked up before counts as known for some seconds only.
  server.signal('SIGUSR2')
  server.signal('SIGCONT')
  await expect.poll(() => server.lines().join('\n'), { timeout: 90_000 }).toContain('conflict in')
  await serviceHas(project, { 'en/common': { ...edited, [key]: 'Theirs' } })
  row.kept(await serviceTexts(project), { 'en/common': { ...edited, [key]: 'Theirs' } })
  row.kept(await fileTexts(root, ['en/common']), { 'en/common': edited })
  await server.kill()
})

test('it sleeps again and again: the last edit arrives, once; nothing is overwritten; its lock stays until it is killed', async () => {
  const { project, proxy, root, server, path } = await setup()
  const asleep = async (meanwhile: () => Promise<void>) => {
    server.signal('SIGSTOP')
    await meanwhile()
    server.signal('SIGCONT')
  }
  await asleep(async () => {
    for (let i = 0; i < 30; i++) await save(path, { title: `Edit ${i}`, other: 'Other' })
  })
  await serviceHas(project, { 'en/common': { title: 'Edit 29', other: 'Other' } })
  expect(proxy.patches).toHaveLength(1)
  row.alsoTried(29)

  server.signal('SIGSTOP')
  const second = await startDevServer(root, project.apiKey)
  await expect.poll(() => second.lines().join('\n'), { timeout: 90_000 }).toContain('read-only')
  await save(path, { title: 'By the first', other: 'Other' })
  server.signal('SIGCONT')
  await serviceHas(project, { 'en/common': { title: 'By the first', other: 'Other' } })
  row.alsoTried(1)

  // Both sides change.
  await asleep(async () => {
    await project.setText('en', 'common', 'title', 'Theirs')
    await save(path, { title: 'Ours', other: 'Other' })
  })
  await expect
    .poll(() => server.lines().join('\n'), { timeout: 90_000 })
    .toMatch(/conflict in .*"By the first".*"Ours".*"Theirs"/)
  row.kept(await serviceTexts(project), { 'en/common': { title: 'Theirs', other: 'Other' } })
  row.kept(await fileTexts(root, ['en/common']), { 'en/common': { title: 'Ours', other: 'Other' } })
  expect(proxy.patches).toHaveLength(2)
  row.alsoTried(1)

  server.signal('SIGSTOP')
  await server.kill()
  // What is saved before that stood different when it began, and is held.
  await expect
    .poll(() => second.lines().join('\n'), { timeout: 90_000 })
    .toContain('took over syncing from the other process')
  await save(path, { title: 'Ours', other: 'By the second' })
  await serviceHas(project, { 'en/common': { title: 'Theirs', other: 'By the second' } })
})
