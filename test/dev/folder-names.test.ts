/** Dev servers of projects in folders whose names have characters of addresses and requests. */
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, noChromium, openPage } from '../helpers/browser.ts'
import { LIVE_MAIN, showsTexts } from '../helpers/dev-process.ts'
import { devServers } from '../helpers/dev-servers.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'main.js': LIVE_MAIN,
  'package.json': { type: 'module' },
  'locales/en/common.json': { title: 'Title' },
}

/** Vite's dev server leaves all imports as they are below a folder with "#" or "?", and says so when it starts. */
const nameFor = (server: string) => (server.startsWith('vite') ? 'a %23 [b]' : 'c# 100%')

describe.skipIf(noChromium)('a page of a project in a folder with a name like "c#"', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  test.each(devServers)('$name: shows its texts, and edits', async (kind) => {
    const root = join(await tempFolder(), nameFor(kind.name))
    await writeTree(root, FILES)
    const server = await kind.start({ root, options: { configFile: false, source: 'files' } })
    const watched = await openPage(browser, server.address)
    await watched.live()
    const shows = (title: string) => showsTexts(watched, (all) => all.en?.common, { title })
    await shows('Title')
    await save(join(root, 'locales/en/common.json'), { title: 'Edited' })
    await shows('Edited')
    expect(watched.problems).toEqual([])
    await watched.close()
    await server.close()
  })
})
