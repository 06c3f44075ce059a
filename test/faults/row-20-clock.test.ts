/** Row 20: a clock that is a day off, or jumps: contents decide, never times. */
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { createApp, fileTexts, fillService, serviceHas, serviceTexts, startDevProcess } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { buildFrom, command, startExportService } from '../helpers/hostile-build.ts'
import { save } from '../helpers/live-page.ts'
import { startProject } from '../helpers/local-project.ts'

const row = faultRow(20)
const DAY = 86_400_000
const preload = join(repository, 'test/helpers/shifted-clock.mjs')
const FILE = 'locales/en/common.json'
const agreed = { 'en/common': { title: 'Title', bye: 'Bye' } }

test.each([
  ['ahead', DAY],
  ['behind', -DAY],
])('a dev server a day %s of the service, whose clock jumps by another day', async (_, shift) => {
  const project = await startProject()
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await fillService(project, agreed)
  const root = await createApp(agreed, proxy, { pull: { intervalMs: 1000, write: true } })
  const path = join(root, FILE)
  const server = await startDevProcess(root, project.apiKey, proxy, { preload, env: { CLOCK_SHIFT_MS: String(shift) } })
  await save(path, { title: 'Edited', bye: 'Bye' })
  await serviceHas(project, { 'en/common': { title: 'Edited', bye: 'Bye' } })
  await project.setText('en', 'common', 'bye', 'Farewell')
  const both = { 'en/common': { title: 'Edited', bye: 'Farewell' } }
  await expect.poll(() => fileTexts(root, ['en/common']), { timeout: 90_000 }).toEqual(both)
  server.signal('SIGUSR2')
  await save(path, { title: 'Edited again', bye: 'Farewell' })
  // A day and a year ago: a file that is older than before is another file all the same.
  await utimes(path, new Date(Date.now() - 365 * DAY), new Date(Date.now() - 365 * DAY))
  const last = { 'en/common': { title: 'Edited again', bye: 'Farewell' } }
  await serviceHas(project, last)
  // Touched, by a clock of next year: nothing was edited.
  const before = proxy.patches.length
  await utimes(path, new Date(Date.now() + 365 * DAY), new Date(Date.now() + 365 * DAY))
  await save(join(root, 'locales/en/other.json'), { marker: 'last' })
  await serviceHas(project, { ...last, 'en/other': { marker: 'last' } })
  expect(proxy.patches.slice(before).map(({ text }) => text)).toEqual(['last'])
  row.kept(await serviceTexts(project), { ...last, 'en/other': { marker: 'last' } })
  row.kept(await fileTexts(root, ['en/common']), last)
  row.alsoTried(4)
  expect(server.lines().filter((line) => /conflict|held/.test(line))).toEqual([])
  await server.kill()
})

test.each([DAY, -DAY])('commands whose clock is %d ms off', async (shift) => {
  const project = await startProject()
  await fillService(project, agreed)
  const root = await createApp(agreed, project)
  const run = (...args: string[]) =>
    command(root, project.baseUrl, args, {
      apiKey: project.apiKey,
      env: { NODE_OPTIONS: `--import ${preload}`, CLOCK_SHIFT_MS: String(shift) },
    })
  expect((await run('push')).code).toBe(0)
  await project.setText('en', 'common', 'bye', 'Farewell')
  await save(join(root, FILE), { title: 'Edited', bye: 'Bye' })
  expect((await run('pull')).code).toBe(0)
  expect((await run('push')).code).toBe(0)
  const both = { 'en/common': { title: 'Edited', bye: 'Farewell' } }
  row.kept(await serviceTexts(project), both)
  row.kept(await fileTexts(root, ['en/common']), both)
})

test('a snapshot of the future stands in, and says so', async () => {
  let broken = false
  const service = await startExportService({
    before: (_seen, response) => broken && void response.writeHead(500).end(),
  })
  const options = { onServiceError: 'snapshot', service: { retries: 0 } } as const
  const { root } = await buildFrom(service.url, options)
  broken = true
  const real = Date.now
  try {
    Date.now = () => real() - DAY
    row.kept((await buildFrom(service.url, options, root)).texts ?? {}, { title: 'Title' })
  } finally {
    Date.now = real
  }
})
