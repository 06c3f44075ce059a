/** Edits on disk reach an open page without a reload: a token planted in it survives all of them. */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { HotUpdateOptions } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, noChromium, openPage, type WatchedPage } from '../helpers/browser.ts'
import { allDevServers, type DevServer, oldestVite } from '../helpers/dev-servers.ts'
import { LIVE_MAIN, save, shownTexts, showsTexts } from '../helpers/live-page.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const EDITS = repeats(2, 20)
/** The oldest Vite is installed from the registry. */
const KINDS = repeats(allDevServers, [...allDevServers, oldestVite])

describe.skipIf(noChromium)('a page that runs', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  describe.each(KINDS)('$name', ({ name, start }) => {
    async function open(files: Record<string, object | string>, more: Partial<Parameters<typeof start>[0]> = {}) {
      const root = await tempFolder()
      await writeTree(root, { 'main.js': LIVE_MAIN, 'package.json': { type: 'module' }, ...files })
      const server = await start({ root, ...more })
      const watched = await openPage(browser, server.address)
      await watched.live()
      // What is saved while a page still loads is a test of its own.
      await watched.page.waitForFunction('document.body.dataset.texts ?? document.body.dataset.title', undefined, {
        timeout: 90_000,
      })
      await watched.page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
      return {
        root,
        server,
        watched,
        save: (name: string, content: object | string) => save(join(root, name), content),
      }
    }

    async function finish({ server, watched }: { server: DevServer; watched: WatchedPage }) {
      expect(await watched.page.evaluate('globalThis.planted')).toBe('token')
      await watched.close()
      await server.close()
    }

    describe('through all of this', () => {
      let app: Awaited<ReturnType<typeof open>>
      beforeAll(async () => {
        app = await open({
          'locales/en/edits.json': { title: 'Title 0', nested: { deep: 'deep 0' } },
          'locales/en/keys.json': { title: 'Title' },
          'locales/en/common.json': { title: 'Title' },
          'locales/en/other.json': { word: 'word' },
          'locales/de/other.json': { word: 'Wort' },
          'locales/en/broken.json': { title: 'Title 0' },
          'locales/en/beside.json': { word: 'word 0' },
          'locales/en/folder.json': { title: 'Title' },
          'locales/fr/folder.json': { title: 'Titre' },
        })
      })
      afterAll(() => finish(app))

      test(`${EDITS} edits of a file, plain and atomic saves in turn, nested and flat`, async () => {
        for (let i = 1; i <= EDITS; i++) {
          const content = { title: `Title ${i}`, nested: { deep: `deep ${i}` } }
          if (i % 2 === 0) await app.save('locales/en/edits.json', content)
          else {
            await app.save('saved.tmp', content)
            await rename(join(app.root, 'saved.tmp'), join(app.root, 'locales/en/edits.json'))
          }
          const shown = { title: `Title ${i}`, 'nested.deep': `deep ${i}` }
          await showsTexts(app.watched, (texts) => texts.en?.edits, shown)
        }
      })

      test(`a key added and removed ${EDITS} times`, async () => {
        for (let i = 1; i <= EDITS; i++) {
          const content = i % 2 === 1 ? { title: 'Title', added: `added ${i}` } : { title: 'Title' }
          await app.save('locales/en/keys.json', content)
          await showsTexts(app.watched, (texts) => texts.en?.keys, content)
        }
      })

      test(`a language's file created and deleted ${EDITS} times, the fallback between`, async () => {
        await showsTexts(app.watched, (texts) => texts.de?.common, { title: 'Title' })
        for (let i = 1; i <= EDITS; i++) {
          if (i % 2 === 1) await app.save('locales/de/common.json', { title: `Titel ${i}` })
          else await rm(join(app.root, 'locales/de/common.json'))
          await showsTexts(app.watched, (texts) => texts.de?.common, { title: i % 2 === 1 ? `Titel ${i}` : 'Title' })
        }
      })

      test(`${EDITS} new namespaces and ${EDITS} new languages`, async () => {
        for (let i = 1; i <= EDITS; i++) {
          await app.save(`locales/en/views/part${i}.json`, { word: `word ${i}` })
          await showsTexts(app.watched, (texts) => texts.en?.[`views/part${i}`], { word: `word ${i}` })
        }
        for (let i = 1; i <= EDITS; i++) {
          const language = `x${String.fromCharCode(96 + i)}`
          await app.save(`locales/${language}/common.json`, { title: `Title in ${language}` })
          await showsTexts(app.watched, (texts) => texts[language]?.common, { title: `Title in ${language}` })
        }
      })

      test(`a broken file ${EDITS} times: the last good texts stay, the page too, the mend shows`, async () => {
        for (let i = 1; i <= EDITS; i++) {
          await app.save('locales/en/broken.json', `{ "title": "Broken ${i}",`)
          await app.save('locales/en/beside.json', { word: `word ${i}` })
          await showsTexts(app.watched, (texts) => texts.en?.beside, { word: `word ${i}` })
          expect((await shownTexts(app.watched)).en?.broken).toEqual({ title: `Title ${i - 1}` })
          await app.save('locales/en/broken.json', { title: `Title ${i}` })
          await showsTexts(app.watched, (texts) => texts.en?.broken, { title: `Title ${i}` })
        }
      })

      test('a folder that is removed and comes back', async () => {
        for (let i = 1; i <= 3; i++) {
          await rm(join(app.root, 'locales/fr'), { recursive: true })
          await app.save('locales/en/folder.json', { title: `Title ${i}` })
          await showsTexts(app.watched, (texts) => texts.en?.folder, { title: `Title ${i}` })
          await app.save('locales/fr/folder.json', { title: `Titre ${i}` })
          await showsTexts(app.watched, (texts) => texts.fr?.folder, { title: `Titre ${i}` })
        }
      })
    })

    // How files are read does not depend on the bundler.
    if (repeats(['vite', 'webpack'], [name]).includes(name)) {
      test('inside the root of a file, names with dots; another root keeps the last good texts', async () => {
        const path = 'locales/en.json'
        const file = (title: string, root = 'en') => ({ other: { title: 'outside' }, [root]: { 'a.b': { '': title } } })
        const files = { pattern: 'locales/{language}.json', root: '{language}' }
        const app = await open({ [path]: file('Title 0') }, { options: { files, keySeparator: false } })
        const shows = (title: string) => showsTexts(app.watched, (texts) => texts.en?.default, { 'a.b\u241f': title })
        await shows('Title 0')
        await app.save(path, file('Title 1'))
        await shows('Title 1')
        await app.save(path, file('Title 2', 'fr'))
        // The next good content is seen after the wrong one.
        await app.save('locales/de.json', { de: { word: 'Wort' } })
        await showsTexts(app.watched, (texts) => texts.de?.default, { word: 'Wort', 'a.b\u241f': 'Title 1' })
        await shows('Title 1')
        await app.save(path, file('Title 3'))
        await shows('Title 3')
        await finish(app)
      })

      test('edits of a YAML file, a broken one between', async () => {
        const app = await open({
          'localization.config.json': { files: 'locales/{language}/{namespace}.yaml' },
          'locales/en/common.yaml': 'title: Title 0 # of the page\nnested:\n  no: no\n',
        })
        for (const title of ['Title 1', '*broken', 'Title 2']) {
          await app.save('locales/en/common.yaml', `title: ${title} # of the page\nnested:\n  no: no\n`)
          if (title === '*broken') continue
          await showsTexts(app.watched, (texts) => texts.en?.common, { title, 'nested.no': 'no' })
        }
        await finish(app)
      })
    }

    // Elsewhere every module is in the page's own script.
    if (!name.startsWith('vite') || !repeats(['vite'], [name]).includes(name)) return
    test('an edit while texts are on their way to the page shows', async () => {
      const app = await open({ 'locales/en/common.json': { title: 'Title 0' } })
      const { page } = app.watched
      const served = async (url: string) => (await fetch(url, { headers: { accept: '*/*' } })).text()
      await page.route(
        '**/en.common.js*',
        async (route) => {
          const old = await route.fetch()
          await app.save('locales/en/common.json', { title: 'Title 1' })
          await expect.poll(() => served(route.request().url())).toContain('Title 1')
          await route.fulfill({ response: old })
        },
        { times: 1 },
      )
      await page.reload()
      await showsTexts(app.watched, (texts) => texts.en?.common, { title: 'Title 1' })
      await app.watched.close()
      await app.server.close()
    })

    test('an edit while the server asks its environments about the last one shows', async () => {
      let saveBetween: (() => Promise<void>) | undefined
      const plugin = {
        name: 'saves-between-environments',
        async hotUpdate(this: { environment: { name: string } }, { file, server }: HotUpdateOptions) {
          if (this.environment.name !== 'client' || !file.endsWith('common.json')) return
          // The watcher drops an event that comes less than 50 ms after another of the same file.
          server.watcher.unwatch(file)
          await saveBetween?.()
          saveBetween = undefined
        },
      }
      const app = await open({ 'locales/en/common.json': { title: 'Title 0' } }, { plugins: [plugin] })
      saveBetween = () => app.save('locales/en/common.json', { title: 'Title 1' })
      await app.save('locales/en/common.json', { title: 'Title 0' })
      // Vite 5 has no environments, and does not call the hook.
      await showsTexts(app.watched, (texts) => texts.en?.common, { title: name === 'vite5' ? 'Title 0' : 'Title 1' })
      await finish(app)
    })

    test('a language that goes before the page asks for it costs no reload', async () => {
      const app = await open({
        'main.js': EN_ONLY_MAIN,
        'locales/en/common.json': { title: 'Title' },
        'locales/de/common.json': { title: 'Titel' },
      })
      const { page, requests } = app.watched
      await expect.poll(() => page.evaluate('document.body.dataset.title')).toBe('Title')
      const request = requests.find((url) => url.includes('/en.common.js'))
      await rm(join(app.root, 'locales/de'), { recursive: true })
      await expect.poll(() => page.evaluate('document.body.dataset.languages')).toBe('en')
      const late = JSON.stringify(request?.replace('/en.common.js', '/de.common.js'))
      expect(await page.evaluate(`import(${late}).then((module) => module.default)`)).toEqual({})
      await app.save('locales/en/common.json', { title: 'Title 2' })
      await expect.poll(() => page.evaluate('document.body.dataset.title')).toBe('Title 2')
      await finish(app)
    })
  })
})

const EN_ONLY_MAIN = `
import { languages, load, onUpdate } from 'virtual:translations'
async function render() {
  document.body.dataset.title = (await load('en', 'common')).title
  document.body.dataset.languages = languages.map(({ key }) => key).join()
}
render()
onUpdate(render)
`
