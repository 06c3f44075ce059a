/** Row 24: both sides edited: nothing is overwritten; base, ours and theirs are shown; a person decides. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, fileTexts, serviceHas, serviceTexts, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { command } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(24)
const agreed = { 'en/common': { title: 'Agreed', other: 'Other' } }
const ours = { 'en/common': { title: 'Ours', other: 'Other' } }
const theirs = { 'en/common': { title: 'Theirs', other: 'Other' } }

test.each([
  ['pull without writing', { intervalMs: 1000, write: false }],
  ['pull into files', { intervalMs: 1000, write: true }],
  ['no pull', false],
] as const)('a dev server, %s', async (_, pull) => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(agreed)
  const root = await createApp(agreed, proxy, { pull })
  const path = join(root, 'locales/en/common.json')
  const server = await startDevServer(root, project.apiKey, proxy)
  // Edits that arrive: from then on both sides have agreed.
  for (const other of ['Before', 'Other']) {
    await save(path, { title: 'Agreed', other })
    await serviceHas(project, { 'en/common': { title: 'Agreed', other } })
  }
  await server.close()
  const before = proxy.patches.length
  // While nobody looks, both change it.
  await project.setText('en', 'common', 'title', 'Theirs')
  await save(path, ours['en/common'])
  const again = await startDevServer(root, project.apiKey, proxy)
  await expect.poll(() => again.lines().join('\n'), { timeout: 90_000 }).toMatch(/Agreed[\s\S]*Ours[\s\S]*Theirs/)
  row.kept(await serviceTexts(project), theirs)
  row.kept(await fileTexts(root, ['en/common']), ours)
  expect(proxy.patches).toHaveLength(before)
})

test.each([
  ['--ours', ours],
  ['--theirs', theirs],
] as const)('the commands, and resolve %s', async (side, outcome) => {
  const project = await startProject({ service: true })
  await project.fill(agreed)
  const root = await createApp(agreed, project)
  const run = (...args: string[]) => command(root, project.baseUrl, args, { apiKey: project.apiKey })
  expect((await run('push')).code).toBe(0)
  await project.setText('en', 'common', 'title', 'Theirs')
  await save(join(root, 'locales/en/common.json'), ours['en/common'])
  for (const name of ['push', 'pull']) {
    expect((await run(name)).code).toBe(1)
    row.kept(await serviceTexts(project), theirs)
    row.kept(await fileTexts(root, ['en/common']), ours)
  }
  const { stdout } = await run('diff', '--conflicts', '--json')
  expect(JSON.parse(stdout).differences).toMatchObject([{ base: 'Agreed', ours: 'Ours', theirs: 'Theirs' }])
  expect((await run('resolve', side)).code).toBe(0)
  row.kept(await serviceTexts(project), outcome)
  row.kept(await fileTexts(root, ['en/common']), outcome)
})
