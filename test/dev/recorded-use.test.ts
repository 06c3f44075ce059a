/** The dev servers take the keys that pages ask for, from pages of their own only. */
import { describe, expect, test } from 'vitest'
import { readRecordings } from '../../src/usage/recorded/recordings.ts'
import { noChromium, visit } from '../helpers/browser.ts'
import { devServers } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const MAIN = `
import { load, onUpdate } from 'virtual:translations'
load('en', 'common').then((messages) => {
  document.title = messages.title + messages.steps.join()
  onUpdate((update) => {
    document.title = update.messages.later
  })
})
`

async function project(env: string): Promise<string> {
  const root = await tempFolder()
  const texts = { title: 'Title', steps: ['One', 'Two'], later: 'Later', unused: 'Nobody' }
  await writeTree(root, { 'main.js': MAIN, '.env': env, 'locales/en/common.json': texts })
  return root
}

const options = { configFile: false, report: false } as const

describe.skipIf(noChromium).each(devServers)('$name', ({ start }) => {
  test('records what the page asks for, also after an update', async () => {
    const root = await project('LOCALIZATION_RECORD=1\n')
    const server = await start({ root, options })
    const watched = await visit(server.address)
    const keys = async () => (await readRecordings(root)).requests.map(({ key }) => key).sort()
    await expect.poll(keys).toEqual(['steps', 'title'])
    await watched.live()
    await writeTree(root, {
      'locales/en/common.json': { title: 'T', steps: ['One', 'Two'], later: 'Changed', unused: 'Nobody' },
    })
    await expect.poll(() => watched.page.title()).toBe('Changed')
    await expect.poll(keys).toEqual(['later', 'steps', 'title'])
    await watched.close()
  })
})

test('the address takes nothing from elsewhere, and nothing without the switch', async () => {
  const [vite] = devServers
  const root = await project('LOCALIZATION_RECORD=1\n')
  const server = await vite?.start({ root, options })
  const origin = server?.address.slice(0, -1) ?? ''
  const post = (headers: Readonly<Record<string, string>>, body: string, method = 'POST') =>
    fetch(`${origin}/__localization/recorded`, { method, headers, ...(method === 'POST' && { body }) })
  const json = { 'content-type': 'application/json' }
  const line = '[["common","title"]]'
  expect((await post({ ...json, origin: 'http://elsewhere.example' }, line)).status).toBe(403)
  expect((await post(json, line)).status).toBe(403)
  expect((await post({ ...json, origin }, '[["common",1]]')).status).toBe(400)
  expect((await post({ ...json, origin }, '{')).status).toBe(400)
  expect((await post({ origin, 'content-type': 'text/plain' }, line)).status).toBe(415)
  expect((await post({ origin }, '', 'GET')).status).toBe(405)
  expect((await readRecordings(root)).requests).toEqual([])
  expect((await post({ ...json, origin }, line)).status).toBe(204)
  expect((await readRecordings(root)).requests).toEqual([{ namespace: 'common', key: 'title', isFound: true }])

  const silent = await project('')
  const other = await vite?.start({ root: silent, options })
  const answer = await fetch(`${other?.address}__localization/recorded`, {
    method: 'POST',
    headers: { ...json, origin: other?.address.slice(0, -1) ?? '' },
    body: line,
  })
  expect(answer.status).toBe(404)
  expect((await readRecordings(silent)).files).toEqual([])
})
