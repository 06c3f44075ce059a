/**
 * The whole loop in a real browser: a saved file is on the page and in the service, a text changed in the service is on
 * the page.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { launchChromium, noChromium, openPage, type WatchedPage } from '../helpers/browser.ts'
import { devServers } from '../helpers/dev-servers.ts'
import { LIVE_MAIN, save, shownTexts, showsTexts } from '../helpers/live-page.ts'
import { type LocalProject, startProject } from '../helpers/local-project.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const EDITS = repeats(2, 20)

describe.skipIf(noChromium)('between files, page and service', () => {
  let browser: Browser
  beforeAll(async () => {
    // Nothing is pushed on a continuous-integration machine, and this is what is tested here.
    vi.stubEnv('CI', '')
    browser = await launchChromium()
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await browser?.close()
  })

  describe.each(devServers.filter(({ name }) => name !== 'vite7'))('$name', ({ name, start }) => {
    test(`${EDITS} edits of each kind, and as many from the service`, async () => {
      const root = await tempFolder()
      const project = await startProject({ languages: ['de', 'pl'] })
      const title = { title: 'Title 0', stays: 'Stays' }
      await project.importTexts('en', 'common', title)
      await project.importTexts('de', 'common', { title: 'Titel 0' })
      await writeTree(root, {
        'main.js': LIVE_MAIN,
        'package.json': { type: 'module' },
        'locales/en/common.json': title,
        'locales/de/common.json': { title: 'Titel 0' },
      })
      const server = await start({
        root,
        options: {
          service: { baseUrl: project.baseUrl, apiKey: project.apiKey },
          defaultLanguage: 'en',
          pull: { intervalMs: 200, write: true },
        },
      })
      const watched = await openPage(browser, server.address)
      await watched.live()
      await watched.page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
      await shows(watched, 'en', 'common', 'title', 'Title 0')

      for (let i = 1; i <= EDITS; i++) {
        await save(join(root, 'locales/en/common.json'), {
          title: `Title ${i}`,
          stays: 'Stays',
          [`added${i}`]: `added ${i}`,
        })
        await shows(watched, 'en', 'common', 'title', `Title ${i}`)
        await serviceHas(project, 'en', 'common', 'title', `Title ${i}`)
        await serviceHas(project, 'en', 'common', `added${i}`, `added ${i}`)

        await save(join(root, `locales/en/part${i}.json`), { word: `word ${i}` })
        await shows(watched, 'en', `part${i}`, 'word', `word ${i}`)
        await serviceHas(project, 'en', `part${i}`, 'word', `word ${i}`)

        await project.setText('de', 'common', 'title', `Titel ${i}`)
        await shows(watched, 'de', 'common', 'title', `Titel ${i}`)
        await expect
          .poll(() => readFile(join(root, 'locales/de/common.json'), 'utf8'), { timeout: 60_000 })
          .toContain(`Titel ${i}`)
      }

      // A new language of the project: its file arrives as well.
      await save(join(root, 'locales/pl/common.json'), { title: 'Tytuł' })
      await shows(watched, 'pl', 'common', 'title', 'Tytuł')
      await serviceHas(project, 'pl', 'common', 'title', 'Tytuł')

      // A deleted key never travels.
      await save(join(root, 'locales/en/common.json'), { title: 'Title at last' })
      await serviceHas(project, 'en', 'common', 'title', 'Title at last')
      await serviceHas(project, 'en', 'common', 'stays', 'Stays')
      // The service's text fills the gap, as it is now. Without it there is none.
      await shows(watched, 'en', 'common', 'stays', 'Stays')
      await project.setText('en', 'common', 'stays', 'Stays longer')
      await shows(watched, 'en', 'common', 'stays', 'Stays longer')
      await project.api('DELETE', '/api/v1/translation-keys?namespace=common&key=stays')
      await shows(watched, 'en', 'common', 'stays', undefined)

      expect(await watched.page.evaluate('globalThis.planted')).toBe('token')
      expect(watched.problems).toEqual([])
      // The key is in nothing that the page was sent.
      for (const body of await watched.bodies()) expect(body).not.toContain(project.apiKey)
      await watched.close()
      await server.close()
      await project.close()
    })

    const shapes =
      name === 'vite' ? (['flat', 'nested'] as const) : repeats(['nested'] as const, ['flat', 'nested'] as const)
    test.each(shapes)('an edited element of an array, %s', async (shape) => {
      const root = await tempFolder()
      const project = await startProject({ languages: [] })
      await project.importTexts('en', 'common', { 'steps.0': 'One', 'steps.1.title': 'Two' })
      const file = (first: string, more: object) => ({ steps: [first, { title: 'Two' }], ...more })
      await writeTree(root, {
        'main.js': LIVE_MAIN,
        'package.json': { type: 'module' },
        'locales/en/common.json': file('One', { size: 1 }),
      })
      const { baseUrl, apiKey } = project
      const options = { service: { baseUrl, apiKey }, defaultLanguage: 'en', shape }
      const server = await start({ root, options })
      const watched = await openPage(browser, server.address)
      await watched.live()
      const shown = async () => (await shownTexts(watched)).en?.common
      const showsAll = (all: object) => expect.poll(shown, { timeout: 60_000, interval: 20 }).toEqual(all)
      await showsAll(file('One', { size: 1 }))
      await save(join(root, 'locales/en/common.json'), file('Uno', { size: 2, on: null }))
      await showsAll(file('Uno', { size: 2, on: null }))
      await serviceHas(project, 'en', 'common', 'steps.0', 'Uno')
      expect(watched.problems).toEqual([])
      await watched.close()
      await server.close()
      await project.close()
    })
  })
})

async function shows(
  watched: WatchedPage,
  language: string,
  namespace: string,
  key: string,
  text: string | undefined,
): Promise<void> {
  await showsTexts(watched, (texts) => texts[language]?.[namespace]?.[key], text)
}

async function serviceHas(
  project: LocalProject,
  language: string,
  namespace: string,
  key: string,
  text: string,
): Promise<void> {
  await expect
    .poll(() => project.readText(language, namespace, key), {
      timeout: 60_000,
      interval: 20,
      message: `${language}/${namespace} ${key} in the service`,
    })
    .toBe(text)
}
