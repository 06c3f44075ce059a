/** Row 21: what came from the service never goes back to it: 0 PATCHes after a pull. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, DEV_BUNDLERS, fileTexts, serviceHas, serviceTexts, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { command } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(21)
const KEYS = 60
const texts = (word: string) => ({
  'en/common': Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`key${i}`, `${word} ${i}`])),
  'pl/deep': { only: `${word} ą` },
})

test.each(DEV_BUNDLERS)('%s: pulled into the files by the dev server itself', async (bundler) => {
  const project = await startProject({ service: { languages: ['pl'] } })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(texts('old'))
  const root = await createApp(texts('old'), proxy, { pull: { intervalMs: 1000, write: true } })
  await startDevServer(root, project.apiKey, proxy, { bundler })
  for (const word of ['new', 'newer', 'old']) {
    await project.fill(texts(word))
    await expect
      .poll(() => fileTexts(root, Object.keys(texts(word))), { timeout: 90_000, interval: 100 })
      .toEqual(texts(word))
    row.alsoTried(1)
  }
  // Whatever an echo had sent was accepted before this one.
  await save(join(root, 'locales/en/last.json'), { last: 'last' })
  await serviceHas(project, { ...texts('old'), 'en/last': { last: 'last' } })
  row.kept(await serviceTexts(project), { ...texts('old'), 'en/last': { last: 'last' } })
  expect(proxy.patches.map(({ text }) => text)).toEqual(['last'])
})

test('pulled by the command beside a running dev server', async () => {
  const project = await startProject({ service: { languages: ['pl'] } })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(texts('old'))
  const root = await createApp(texts('old'), proxy)
  await startDevServer(root, project.apiKey, proxy)
  // It has compared both sides then: before, what differs is a conflict to the command, as it should be.
  await save(join(root, 'locales/en/first.json'), { first: 'first' })
  await serviceHas(project, { ...texts('old'), 'en/first': { first: 'first' } })
  const words = ['new', 'newer', 'new again', 'newest']
  await project.fill(texts(words[0] as string))
  for (const [i, word] of words.entries()) {
    const { code, stdout, stderr } = await command(root, proxy.baseUrl, ['pull'], { apiKey: project.apiKey })
    // At once: the dev server has not read what was pulled.
    const next = words[i + 1]
    if (next !== undefined) await project.fill(texts(next))
    expect(code, stdout + stderr).toBe(0)
    row.kept(await fileTexts(root, Object.keys(texts(word))), texts(word))
  }
  await save(join(root, 'locales/en/last.json'), { last: 'last' })
  await serviceHas(project, { ...texts('newest'), 'en/first': { first: 'first' }, 'en/last': { last: 'last' } })
  expect(proxy.patches.map(({ text }) => text)).toEqual(['first', 'last'])
})
