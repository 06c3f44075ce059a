/** Saves that break a file, and others that bring back what it held before: the page always shows the last good text. */
import { join } from 'node:path'
import fc from 'fast-check'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { launchChromium, noChromium, openPage } from '../helpers/browser.ts'
import { LIVE_MAIN, showsTexts } from '../helpers/dev-process.ts'
import { devServers } from '../helpers/dev-servers.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import '../helpers/seed.ts'
import { save } from '../helpers/temp.ts'

const BROKEN = '{ "title": '
/** The bundler has seen `two` before it is saved again. */
const FIRST = ['two', BROKEN, 'two', 'three', BROKEN, 'three', 'two', 'one']
const STEPS = repeats(8, 40)
/** What a page asks for after one save, with room for saves that a watcher reports twice. */
const MOST_REQUESTS = 25

describe.skipIf(noChromium)('a page that runs', () => {
  let browser: Browser
  const said: string[] = []
  beforeAll(async () => {
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
    browser = await launchChromium()
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await browser?.close()
  })

  test.each(devServers)('$name', async (kind) => {
    const { root, server } = await startProject({
      files: { 'main.js': LIVE_MAIN, 'package.json': { type: 'module' }, 'locales/en/common.json': { title: 'one' } },
      plugin: { kind },
    })
    const watched = await openPage(browser, server.address)
    await watched.live()
    const shows = (title: string) => showsTexts(watched, (all) => all.en?.common, { title })
    await shows('one')
    const walk = [...FIRST, ...fc.sample(fc.constantFrom('one', 'two', 'three', BROKEN), STEPS)]
    let last = 'one'
    let isBroken = false
    for (const [at, next] of walk.entries()) {
      const asked = watched.requests.length
      said.length = 0
      const path = join(root, 'locales/en/common.json')
      await save(path, next === BROKEN ? BROKEN : { title: next })
      // A file that is broken and undone before anyone looks was never broken, and nothing is said.
      if (isBroken !== (next === BROKEN))
        await expect.poll(() => said.join('')).toMatch(isBroken ? /common\.json: fixed/ : /common\.json/)
      if (next !== BROKEN) last = next
      isBroken = next === BROKEN
      const done = walk.slice(0, at + 1).join(', ')
      await shows(last).catch((error) => expect.fail(`${done}: ${error}`))
      expect(watched.requests.length - asked, done).toBeLessThan(MOST_REQUESTS)
    }
    await watched.close()
    await server.close()
  })
})
