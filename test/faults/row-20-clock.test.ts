/** Row 20: a clock that is a day off, or jumps: contents decide, never times. */
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { runHere } from '../helpers/command-here.ts'
import { createApp, fileTexts, serviceHas, serviceTexts, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { buildFrom, startExportService } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { configOf } from '../helpers/sync.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(20)
const DAY = 86_400_000
const YEAR_S = 365 * 86_400
const FILE = 'locales/en/common.json'
const agreed = { 'en/common': { title: 'Title', bye: 'Bye' } }

/** Services keep to the right time. */
const { now } = Date
const startServiceOnTime = () => startProject({ service: { now } })

/** This process's wall clock is so far off until the test is over; `jump` moves it by as much again. */
function shiftClock(step: number) {
  const RealDate = Date
  let shift = step
  const ShiftedDate = class extends RealDate {
    constructor(...values: [] | [number]) {
      super(...((values.length === 0 ? [RealDate.now() + shift] : values) as [number]))
    }
    static override now = () => RealDate.now() + shift
  }
  vi.stubGlobal('Date', ShiftedDate)
  onTestFinished(() => void vi.unstubAllGlobals())
  return {
    jump() {
      shift += step
    },
  }
}

test.each([
  ['ahead', DAY],
  ['behind', -DAY],
])('a dev server a day %s of the service, whose clock jumps by another day', async (_, shift) => {
  const project = await startServiceOnTime()
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(agreed)
  const root = await createApp(agreed, proxy, { pull: { intervalMs: 1000, write: true } })
  const path = join(root, FILE)
  const { jump } = shiftClock(shift)
  const server = await startDevServer(root, project.apiKey, proxy)
  await save(path, { title: 'Edited', bye: 'Bye' })
  await serviceHas(project, { 'en/common': { title: 'Edited', bye: 'Bye' } })
  await project.setText('en', 'common', 'bye', 'Farewell')
  const both = { 'en/common': { title: 'Edited', bye: 'Farewell' } }
  await expect.poll(() => fileTexts(root, ['en/common']), { timeout: 90_000 }).toEqual(both)
  jump()
  await save(path, { title: 'Edited again', bye: 'Farewell' })
  // A day and a year ago: a file that is older than before is another file all the same.
  await utimes(path, now() / 1000 - YEAR_S, now() / 1000 - YEAR_S)
  const last = { 'en/common': { title: 'Edited again', bye: 'Farewell' } }
  await serviceHas(project, last)
  // Touched, by a clock of next year: nothing was edited.
  const before = proxy.patches.length
  await utimes(path, now() / 1000 + YEAR_S, now() / 1000 + YEAR_S)
  await save(join(root, 'locales/en/other.json'), { marker: 'last' })
  await serviceHas(project, { ...last, 'en/other': { marker: 'last' } })
  expect(proxy.patches.slice(before).map(({ text }) => text)).toEqual(['last'])
  row.kept(await serviceTexts(project), { ...last, 'en/other': { marker: 'last' } })
  row.kept(await fileTexts(root, ['en/common']), last)
  row.alsoTried(4)
  expect(server.lines().filter((line) => /conflict|held/.test(line))).toEqual([])
})

test.each([DAY, -DAY])('commands whose clock is %d ms off', async (shift) => {
  const project = await startServiceOnTime()
  await project.fill(agreed)
  const root = await createApp(agreed, project)
  const client = createClient({ proxy: false, baseUrl: project.baseUrl, apiKey: project.apiKey })
  onTestFinished(() => client.close())
  const run = (...args: string[]) => runHere(args, { root, config: configOf(root, project), client })
  shiftClock(shift)
  await run('push')
  await project.setText('en', 'common', 'bye', 'Farewell')
  await save(join(root, FILE), { title: 'Edited', bye: 'Bye' })
  await run('pull')
  await run('push')
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
  shiftClock(-DAY)
  row.kept((await buildFrom(service.url, options, root)).texts ?? {}, { title: 'Title' })
})
