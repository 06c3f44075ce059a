/** Row 22: half-typed JSON: the last good texts stay, nothing of it is pushed, the error clears itself. */
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createApp, DEV_BUNDLERS, serviceHas, serviceTexts, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { startProject } from '../helpers/project.ts'

const row = faultRow(22)
const FILE = 'locales/en/common.json'
const agreed = { 'en/common': { title: 'Title', bye: 'Bye', last: 'Last' } }

test.each(DEV_BUNDLERS)('%s: a file that is written letter by letter', async (bundler) => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(agreed)
  const root = await createApp(agreed, proxy)
  const server = await startDevServer(root, project.apiKey, proxy, { bundler })
  const path = join(root, FILE)
  const whole = `${JSON.stringify({ title: 'Edited', bye: 'Bye', last: 'Last' }, null, 2)}\n`
  for (let end = 0; end < whole.length - 2; end++) {
    writeFileSync(path, whole.slice(0, end))
    row.alsoTried(1)
    // As fast as somebody types: each state lies there long enough to be seen.
    await sleep(15)
  }
  // It stays broken until it is told.
  await expect.poll(() => server.lines().join('\n'), { timeout: 90_000 }).toMatch(/common\.json:\d+:\d+/)
  row.kept(await serviceTexts(project), agreed)
  expect(proxy.patches).toEqual([])
  const page = await fetch(new URL('main.js', server.address))
  expect(page.status).toBe(200)
  writeFileSync(path, whole)
  await serviceHas(project, { 'en/common': { title: 'Edited', bye: 'Bye', last: 'Last' } })
  expect(proxy.patches.map(({ text }) => text)).toEqual(['Edited'])
  expect(await readFile(path, 'utf8')).toBe(whole)
})
