/**
 * Edits on disk reach an open page without a reload: a token planted in it survives all of them. With a service, they
 * reach it too, and its changes reach the page and the files. One server and one page for all edits.
 */
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { HotUpdateOptions, Plugin } from 'vite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { launchChromium, noChromium, openPage, type WatchedPage } from '../helpers/browser.ts'
import { LIVE_MAIN, shownTexts, showsTexts } from '../helpers/dev-process.ts'
import { allDevServers, type DevServer, type DevServerInput, devServers, oldestVite } from '../helpers/dev-servers.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { save, type Tree } from '../helpers/temp.ts'

const EDITS = repeats(2, 20)
const ROUNDS = EDITS / 2
const SECOND_SAVES = repeats(5, 50)
/** The oldest Vite is installed from the registry. */
const KINDS = repeats(devServers, [...allDevServers, oldestVite])

const CONFIG = {
  files: ['locales/{language}/{namespace}.json', { pattern: 'rooted/{language}.yaml', root: '{language}' }],
}
const rooted = (title: string, root = 'en') => `other:\n  title: outside\n${root}:\n  title: ${title} # of the page\n`

/** Set by a test, and called between the events of Vite's environments. */
let saveBetween: (() => Promise<void>) | undefined
const savesBetween = {
  name: 'saves-between-environments',
  async hotUpdate(this: { environment: { name: string } }, { file, server }: HotUpdateOptions) {
    if (saveBetween === undefined || this.environment.name !== 'client') return
    // The watcher drops an event that comes less than 50 ms after another of the same file.
    server.watcher.unwatch(file)
    await saveBetween()
    saveBetween = undefined
  },
} as Plugin

/** As `rspack serve` has it, which sets this where the project sets nothing. */
const ERRORS_ALONE = { overlay: { errors: true, warnings: false } }

/** Rsbuild's overlay shows errors alone: a broken file is a warning, in its terminal. */
const overlayOf = (name: string) =>
  name.startsWith('vite')
    ? `document.querySelector('[data-localization-error]')?.dataset.localizationError ?? ''`
    : `[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument?.body.innerText).join('')`

describe.skipIf(noChromium)('a page that runs', () => {
  let browser: Browser
  const said: string[] = []
  beforeAll(async () => {
    // Nothing is pushed on a continuous-integration machine, and this is what is tested here.
    vi.stubEnv('CI', '')
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
    browser = await launchChromium()
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    await browser?.close()
  })

  describe.each(KINDS)('$name', (kind) => {
    const { name } = kind
    const isVite = name.startsWith('vite')

    async function open(files: Tree, more: Partial<DevServerInput> = {}) {
      said.length = 0
      const { root, server } = await startProject({
        files: { 'main.js': LIVE_MAIN, 'package.json': { type: 'module' }, ...files },
        plugin: { kind, ...more },
      })
      const watched = await openPage(browser, server.address)
      await watched.live()
      // What is saved while a page still loads is a test of its own.
      await watched.page.waitForFunction('document.body.dataset.texts ?? document.body.dataset.title', undefined, {
        timeout: 90_000,
      })
      await plantToken(watched)
      return {
        root,
        server,
        watched,
        save: (name: string, content: object | string) => save(join(root, name), content),
        shows: (language: string, namespace: string, texts: object) =>
          showsTexts(watched, (all) => all[language]?.[namespace], texts),
      }
    }

    async function finish({ server, watched }: { server: DevServer; watched: WatchedPage }) {
      await keepsToken(watched)
      await watched.close()
      await server.close()
    }

    describe('through all of this', () => {
      let app: Awaited<ReturnType<typeof open>>
      beforeAll(async () => {
        app = await open(
          {
            'localization.config.json': CONFIG,
            'locales/en/common.json': { title: 'Title 0', nested: { deep: 'deep 0' } },
            'locales/en/other.json': { word: 'word 0' },
            'locales/de/other.json': { word: 'Wort' },
            'locales/fr/other.json': { word: 'mot' },
            'rooted/en.yaml': rooted('Title 0'),
          },
          isVite ? { plugins: [savesBetween] } : { command: { client: ERRORS_ALONE } },
        )
      })
      afterAll(() => finish(app))

      test(`${EDITS} edits of a file, plain and atomic saves in turn, nested and flat`, async () => {
        for (let i = 1; i <= EDITS; i++) {
          const content = { title: `Title ${i}`, nested: { deep: `deep ${i}` } }
          if (i % 2 === 0) await app.save('locales/en/common.json', content)
          else {
            await app.save('saved.tmp', content)
            await rename(join(app.root, 'saved.tmp'), join(app.root, 'locales/en/common.json'))
          }
          await app.shows('en', 'common', { title: `Title ${i}`, 'nested.deep': `deep ${i}` })
        }
      })

      test(`two files saved together, and one of them again as soon as its text shows, ${SECOND_SAVES} times`, async () => {
        for (let i = 1; i <= SECOND_SAVES; i++) {
          await app.save('locales/en/common.json', { title: `First ${i}` })
          await app.save('locales/en/other.json', { word: `word ${i}` })
          await app.shows('en', 'common', { title: `First ${i}` })
          // A watcher drops an event that comes less than 50 ms after another of the file.
          await app.save('locales/en/common.json', { title: `Again ${i}` })
          await app.shows('en', 'common', { title: `Again ${i}` })
        }
      })

      test(`a key added and removed ${EDITS} times`, async () => {
        for (let i = 1; i <= EDITS; i++) {
          const content = i % 2 === 1 ? { title: 'Title', added: `added ${i}` } : { title: 'Title' }
          await app.save('locales/en/common.json', content)
          await app.shows('en', 'common', content)
        }
      })

      test(`a language's file created and deleted ${EDITS} times, the fallback between`, async () => {
        await app.shows('de', 'common', { title: 'Title' })
        for (let i = 1; i <= EDITS; i++) {
          if (i % 2 === 1) await app.save('locales/de/common.json', { title: `Titel ${i}` })
          else await rm(join(app.root, 'locales/de/common.json'))
          await app.shows('de', 'common', { title: i % 2 === 1 ? `Titel ${i}` : 'Title' })
        }
      })

      test(`a broken file ${ROUNDS} times: the last good texts stay, the page too, the mend shows`, async () => {
        const overlay = () => app.watched.page.evaluate<string>(overlayOf(name))
        for (let i = 1; i <= ROUNDS; i++) {
          await app.save('locales/en/common.json', `{ "title": "Broken ${i}",`)
          if (name !== 'rsbuild') await expect.poll(overlay).toContain('locales/en/common.json:1')
          await app.save('locales/en/other.json', { word: `word ${i}` })
          await app.shows('en', 'other', { word: `word ${i}` })
          expect((await shownTexts(app.watched)).en?.common).toEqual({ title: i === 1 ? 'Title' : `Title ${i - 1}` })
          await app.save('locales/en/common.json', { title: `Title ${i}` })
          await app.shows('en', 'common', { title: `Title ${i}` })
          await expect.poll(overlay).toBe('')
        }
      })

      test('inside the root of a YAML file: edits show; a broken one or another root keeps the last good texts', async () => {
        for (const wrong of [rooted('*broken'), rooted('Never shown', 'fr')]) {
          await app.save('rooted/en.yaml', wrong)
          // The next good content is seen after the wrong one.
          const word = `word beside ${wrong}`
          await app.save('locales/en/other.json', { word })
          await app.shows('en', 'other', { word })
          expect((await shownTexts(app.watched)).en?.default).toEqual({ title: 'Title 0' })
        }
        await app.save('rooted/en.yaml', rooted('Title 1'))
        await app.shows('en', 'default', { title: 'Title 1' })
      })

      test(`a folder that is removed and comes back ${ROUNDS} times`, async () => {
        for (let i = 1; i <= ROUNDS; i++) {
          await rm(join(app.root, 'locales/fr'), { recursive: true })
          await app.save('locales/en/other.json', { word: `word in round ${i}` })
          await app.shows('en', 'other', { word: `word in round ${i}` })
          await app.save('locales/fr/other.json', { word: `mot ${i}` })
          await app.shows('fr', 'other', { word: `mot ${i}` })
        }
      })

      test(`${ROUNDS} new namespaces and ${ROUNDS} new languages`, async () => {
        for (let i = 1; i <= ROUNDS; i++) {
          await app.save(`locales/en/views/part${i}.json`, { word: `word ${i}` })
          await app.shows('en', `views/part${i}`, { word: `word ${i}` })
        }
        for (let i = 1; i <= ROUNDS; i++) {
          const language = `qa${String.fromCharCode(96 + i)}`
          await app.save(`locales/${language}/common.json`, { title: `Title in ${language}` })
          await app.shows(language, 'common', { title: `Title in ${language}` })
        }
      })

      if (/^(?:webpack|rspack)$/.test(name))
        test('the terminal names the address of the inspector', async () => {
          const { port } = new URL(app.server.address)
          await expect.poll(() => said.join('')).toContain(`Inspector: http://localhost:${port}/__localization/`)
          expect((await fetch(`${app.server.address}__localization/`)).status).toBe(200)
        })

      // Vite's server restarts: `config-edits.test.ts`.
      if (!isVite)
        test('an edited configuration is told', async () => {
          await app.save('localization.config.json', { ...CONFIG, values: 'keep' })
          await expect.poll(() => said.join('')).toContain('localization.config.json changed. Restart the bundler')
        })

      // Elsewhere every module is in the page's own script.
      if (!isVite) return
      test('an edit while texts are on their way to the page shows', async () => {
        const { page } = app.watched
        const served = async (url: string) => (await fetch(url, { headers: { accept: '*/*' } })).text()
        await page.route(
          '**/en.common.js*',
          async (route) => {
            const old = await route.fetch()
            await app.save('locales/en/common.json', { title: 'Saved on the way' })
            await expect.poll(() => served(route.request().url())).toContain('Saved on the way')
            await route.fulfill({ response: old })
          },
          { times: 1 },
        )
        await keepsToken(app.watched)
        await page.reload()
        await app.shows('en', 'common', { title: 'Saved on the way' })
        await plantToken(app.watched)
      })

      test('an edit while the server asks its environments about the last one shows', async () => {
        saveBetween = () => app.save('locales/en/common.json', { title: 'Saved between' })
        await app.save('locales/en/common.json', { title: 'Saved first' })
        // Vite 5 has no environments, and does not call the hook.
        await app.shows('en', 'common', { title: name === 'vite5' ? 'Saved first' : 'Saved between' })
      })
    })

    if (!isVite && repeats(process.env.BUNDLERS === 'others', true))
      test('an update stays on the server for pages that are some edits behind', async () => {
        const app = await open({ 'locales/en/common.json': { title: 'Title 0' } })
        const updates = () => app.watched.requests.filter((url) => url.includes('.hot-update.js'))
        const texts: string[] = []
        const fetched = updates().length
        for (const at of [1, 2, 3, 4]) {
          await app.save('locales/en/common.json', { title: `Title ${at}` })
          await app.shows('en', 'common', { title: `Title ${at}` })
        }
        for (const url of updates().slice(fetched)) texts.push(await (await fetch(url)).text())
        expect(texts.join('')).toContain('Title 1')
        await finish(app)
      })

    if (repeats(name === 'vite', isVite))
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

    if (isVite && name !== 'vite') return
    test.each(repeats([isVite ? 'flat' : 'nested'] as const, ['flat', 'nested'] as const))(
      `with a service, %s: ${ROUNDS} edits of each kind, and as many from the service`,
      async (shape) => {
        const project = await startProject({ service: { languages: ['de', 'pl'] } })
        const title = { title: 'Title 0', stays: 'Stays' }
        await project.importTexts('en', 'common', title)
        await project.importTexts('de', 'common', { title: 'Titel 0' })
        await project.importTexts('en', 'list', { 'steps.0': 'One', 'steps.1.title': 'Two' })
        const list = (first: string, more: object) => ({ steps: [first, { title: 'Two' }], ...more })
        const app = await open(
          {
            'locales/en/common.json': title,
            'locales/de/common.json': { title: 'Titel 0' },
            'locales/en/list.json': list('One', { size: 1 }),
          },
          {
            options: {
              service: { baseUrl: project.baseUrl, apiKey: project.apiKey },
              defaultLanguage: 'en',
              pull: { intervalMs: 200, write: true },
              shape,
            },
          },
        )
        const shows = (language: string, namespace: string, key: string, text: string | undefined) =>
          showsTexts(app.watched, (texts) => texts[language]?.[namespace]?.[key], text)
        await shows('en', 'common', 'title', 'Title 0')

        for (let i = 1; i <= ROUNDS; i++) {
          await app.save('locales/en/common.json', { title: `Title ${i}`, stays: 'Stays', [`added${i}`]: `added ${i}` })
          await shows('en', 'common', 'title', `Title ${i}`)
          await serviceHas(project, 'en', 'common', 'title', `Title ${i}`)
          await serviceHas(project, 'en', 'common', `added${i}`, `added ${i}`)

          await app.save(`locales/en/part${i}.json`, { word: `word ${i}` })
          await shows('en', `part${i}`, 'word', `word ${i}`)
          await serviceHas(project, 'en', `part${i}`, 'word', `word ${i}`)

          await project.setText('de', 'common', 'title', `Titel ${i}`)
          await shows('de', 'common', 'title', `Titel ${i}`)
          await expect.poll(() => readFile(join(app.root, 'locales/de/common.json'), 'utf8')).toContain(`Titel ${i}`)
        }

        // A new language of the project: its file arrives as well.
        await app.save('locales/pl/common.json', { title: 'Tytuł' })
        await shows('pl', 'common', 'title', 'Tytuł')
        await serviceHas(project, 'pl', 'common', 'title', 'Tytuł')

        // An element of an array travels, other values show.
        await app.shows('en', 'list', list('One', { size: 1 }))
        await app.save('locales/en/list.json', list('Uno', { size: 2, on: null }))
        await app.shows('en', 'list', list('Uno', { size: 2, on: null }))
        await serviceHas(project, 'en', 'list', 'steps.0', 'Uno')

        // A deleted key never travels.
        await app.save('locales/en/common.json', { title: 'Title at last' })
        await serviceHas(project, 'en', 'common', 'title', 'Title at last')
        await serviceHas(project, 'en', 'common', 'stays', 'Stays')
        // The service's text fills the gap, as it is now. Without it there is none.
        await shows('en', 'common', 'stays', 'Stays')
        await project.setText('en', 'common', 'stays', 'Stays longer')
        await shows('en', 'common', 'stays', 'Stays longer')
        await project.deleteKey('common', 'stays')
        await shows('en', 'common', 'stays', undefined)

        expect(app.watched.problems).toEqual([])
        // The key is in nothing that the page was sent.
        for (const body of await app.watched.bodies()) expect(body).not.toContain(project.apiKey)
        await finish(app)
      },
    )
  })
})

const plantToken = ({ page }: WatchedPage) => page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
const keepsToken = async ({ page }: WatchedPage) => expect(await page.evaluate('globalThis.planted')).toBe('token')

async function serviceHas(project: Project, language: string, namespace: string, key: string, text: string) {
  const message = `${language}/${namespace} ${key} in the service`
  await expect.poll(() => project.readText(language, namespace, key), { interval: 20, message }).toBe(text)
}

const EN_ONLY_MAIN = `
import { languages, load, onUpdate } from 'virtual:translations'
async function render() {
  document.body.dataset.title = (await load('en', 'common')).title
  document.body.dataset.languages = languages.map(({ key }) => key).join()
}
render()
onUpdate(render)
`
