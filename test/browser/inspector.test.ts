/** The inspector as a person uses it, in Chromium: every control, on real catalogs, against the local service. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { devServers } from '../helpers/dev-servers.ts'
import { type Inspected, MADE, openView, startInspected } from '../helpers/inspected.ts'
import { realCatalogs } from '../helpers/real-catalogs.ts'
import { repeats } from '../helpers/repeats.ts'

const LONG = { timeout: 90_000, interval: 50 }
const catalogOf = (name: string) => realCatalogs.find((catalog) => catalog.name === name)

/** The page's own global: these tests know no DOM. */
interface Focused {
  readonly document: { readonly activeElement: unknown }
}

describe.skipIf(noChromium)('the inspector', () => {
  beforeAll(async () => {
    vi.stubEnv('CI', '')
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
  })

  // Large catalogs take their time: of the service, not of the page. `inspector-edit.test.ts` has each dev server.
  const few = [
    ['vite', 'playground'],
    ['webpack', 'small'],
  ]
  const all = [
    ['vite', 'headlamp'],
    ['vite', 'frigate'],
    ['webpack', 'playground'],
    ['rspack', 'small'],
  ]
  describe.each(repeats(few, all))('%s, the catalog %s', (server, name) => {
    let inspected: Inspected
    let page: Page
    let problems: readonly string[]
    beforeAll(async () => {
      const kind = devServers.find((one) => one.name === server)
      if (!kind) throw new Error(server)
      inspected = await startInspected(kind, catalogOf(name))
      // The app's own page: webpack begins to sync when it has compiled.
      const app = await visit(inspected.server.address)
      await app.page.getByText('Edit me').first().waitFor()
      const watched = await visit(`${inspected.address}#/overview`, {
        viewport: { width: 1300, height: 800 },
      })
      page = watched.page
      page.setDefaultTimeout(90_000)
      problems = watched.problems
    })
    afterAll(() => inspected?.close())

    test('the overview shows coverage, and leads to what is missing', async () => {
      await openView(page, inspected, 'overview')
      const row = page.getByRole('row', { name: /^Polish pl/ })
      await row
        .getByRole('link', { name: /missing/ })
        .first()
        .waitFor()
      await expect.poll(() => page.getByRole('link', { name: /^2 Conflicts/ }).count(), LONG).toBe(1)
      await expect.poll(() => page.getByRole('link', { name: /^2 Held/ }).count(), LONG).toBe(1)
      await row
        .getByRole('link', { name: /missing/ })
        .first()
        .click()
      await expect.poll(() => page.url()).toMatch(/#\/texts\?.*language=pl/)
      await expect.poll(() => page.getByLabel('Show').inputValue()).toBe('missing')
      await page.goBack()
      await page.getByRole('heading', { name: 'Coverage' }).waitFor()
    })

    test('a text is found, opened by keyboard, changed, and is in file, app and service', async () => {
      const app = await visit(inspected.server.address)
      await openView(page, inspected, 'texts')
      const search = page.getByRole('searchbox')
      await search.waitFor()
      await page.keyboard.press('/')
      await expect
        .poll(
          () => search.evaluate((field) => field === (globalThis as unknown as Focused).document.activeElement),
          LONG,
        )
        .toBe(true)
      await page.keyboard.type('edit me')
      const row = page.getByRole('row', { name: new RegExp(MADE.edited) })
      await row.waitFor()
      await expect.poll(() => page.getByRole('row').count(), LONG).toBe(2)
      await row.getByRole('button').focus()
      await page.keyboard.press('Enter')
      await page.getByRole('complementary', { name: `Text ${MADE.edited}` }).waitFor()

      for (const [language, text] of [
        ['en', 'Edited "here" <b>'],
        ['de', 'Hier geändert'],
      ] as const) {
        const field = page.locator(`#text-${language}`)
        const before = await readFile(inspected.fileOf(language), 'utf8')
        await field.fill(text)
        await field.press('Control+Enter')
        await expect.poll(() => inspected.textInFile(language, MADE.edited), LONG).toBe(text)
        const [old, now] = [before.split('\n'), (await readFile(inspected.fileOf(language), 'utf8')).split('\n')]
        expect(now.filter((line, i) => line !== old[i])).toHaveLength(1)
        await expect.poll(() => inspected.project.readText(language, inspected.namespace, MADE.edited), LONG).toBe(text)
        await expect.poll(() => page.getByRole('button', { name: /^Save/ }).count(), LONG).toBe(0)
      }
      await expect.poll(() => app.page.locator('h1').textContent(), LONG).toBe('Edited "here" <b>')
      await page.keyboard.press('Escape')
      await expect.poll(() => page.getByRole('complementary').count()).toBe(0)
      await app.close()
    })

    test('a language whose file is not there gets one', async () => {
      await openView(page, inspected, `texts?key=${encodeURIComponent(MADE.fileless)}&of=${inspected.namespace}`)
      const field = page.locator('#text-pl')
      await expect.poll(() => field.getAttribute('placeholder'), LONG).toBe('Only English has it')
      await field.fill('Mam plik')
      await page.getByRole('button', { name: 'Save: Polish' }).click()
      await expect.poll(() => inspected.textInFile('pl', MADE.fileless), LONG).toBe('Mam plik')
      await expect
        .poll(() => inspected.project.readText('pl', inspected.namespace, MADE.fileless), LONG)
        .toBe('Mam plik')
    })

    test('a file that was saved meanwhile is not written over', async () => {
      await openView(page, inspected, `texts?key=${encodeURIComponent(MADE.greeting)}&of=${inspected.namespace}`)
      const field = page.locator('#text-de')
      await field.fill('Mein Entwurf')
      const { fileOf, textInFile } = inspected
      const content = JSON.parse(await readFile(fileOf('de'), 'utf8')) as object
      await writeFile(fileOf('de'), `${JSON.stringify({ ...content, [MADE.greeting]: 'Vom Editor' }, null, 4)}\n`)
      const german = page.getByRole('region', { name: 'German' })
      await german.getByText('The file has changed since you started editing').waitFor()
      expect(await field.inputValue()).toBe('Mein Entwurf')
      await page.getByRole('button', { name: 'Save: German' }).click()
      // It says what the text lacks, and writes nothing; then it refuses.
      await page.getByRole('button', { name: 'Save anyway: German' }).click()
      await page.getByText(/someone changed it in the meantime/).waitFor()
      expect(await textInFile('de', MADE.greeting)).toBe('Vom Editor')
      // What was typed is there when the page is loaded again.
      await page.reload()
      await german.getByText('Vom Editor').first().waitFor()
      expect(await field.inputValue()).toBe('Mein Entwurf')
      await german.getByRole('button', { name: "Take the file's text: German" }).click()
      expect(await field.inputValue()).toBe('Vom Editor')
    })

    test('conflicts are decided, held texts taken from the file or the service', async () => {
      await openView(page, inspected, 'sync')
      await page.getByRole('heading', { name: '2 conflicts' }).waitFor()
      await page
        .getByRole('button', { name: `Take the file's text: de/${inspected.namespace} ${MADE.conflictOurs}` })
        .click()
      await expect
        .poll(() => inspected.project.readText('de', inspected.namespace, MADE.conflictOurs), LONG)
        .toBe('of the file one')
      await page.getByRole('heading', { name: '1 conflict', exact: true }).waitFor()
      await page.getByRole('button', { name: "Take the service's text for all conflicts" }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      expect(await inspected.textInFile('de', MADE.conflictTheirs)).toBe('of the file two')
      await page.getByRole('button', { name: "Take the service's text for all conflicts" }).click()
      await page.getByRole('dialog').getByRole('button', { name: "Take the service's text for all conflicts" }).click()
      await expect.poll(() => inspected.textInFile('de', MADE.conflictTheirs), LONG).toBe('agreed two')
      await expect.poll(() => page.getByRole('heading', { name: /conflict/ }).count(), LONG).toBe(0)
      expect(await inspected.textInFile('de', MADE.conflictOurs)).toBe('of the file one')

      await page.getByRole('button', { name: `Take the file's text: de/${inspected.namespace} ${MADE.held}` }).click()
      await expect.poll(() => inspected.project.readText('de', inspected.namespace, MADE.held), LONG).toBe('held one')
      await page
        .getByRole('button', { name: `Take the service's text: de/${inspected.namespace} ${MADE.dropped}` })
        .click()
      await page.getByRole('dialog').getByRole('button', { name: "Take the service's text" }).click()
      await expect.poll(() => inspected.textInFile('de', MADE.dropped), LONG).toBeUndefined()
      await page.getByText('Files and service are in sync').waitFor()
      expect(await inspected.project.readText('de', inspected.namespace, MADE.dropped)).toBeUndefined()
      expect(await inspected.textInFile('de', MADE.held)).toBe('held one')
    })

    test("the service's edits show without a reload, and what happened is in the log", async () => {
      await openView(page, inspected, 'texts?search=zz%20made%20conflict%20one')
      await page.getByRole('row', { name: new RegExp(MADE.conflictOurs) }).waitFor()
      await page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
      await inspected.project.setText('de', inspected.namespace, MADE.conflictOurs, 'vom Dienst')
      // Asked for: of a large project the service is read rarely.
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('button', { name: 'Reload from the service' }).click()
      await page.goBack()
      await page.getByLabel('Language').selectOption('de')
      await page.getByText('vom Dienst').waitFor()
      await page.getByText('changed on the service').waitFor()
      expect(await page.evaluate('globalThis.planted')).toBe('token')
      await page.getByRole('link', { name: 'Log' }).click()
      await page
        .getByText(/pushed 1 text \(de\//)
        .first()
        .waitFor()
      await page.getByLabel('Warnings and errors only').check()
      await expect.poll(() => page.getByText(/pushed 1 text/).count()).toBe(0)
    })

    test('publishing asks first; a job shows how far it is', async () => {
      await openView(page, inspected, 'service')
      const tile = page.getByRole('listitem').filter({ hasText: '_latest' })
      await tile.getByRole('button', { name: 'Publish: _latest' }).click()
      await page.getByRole('dialog', { name: 'Publish to _latest?' }).getByRole('button', { name: 'Cancel' }).click()
      expect(await tile.getByText('not published yet').count()).toBe(1)
      await tile.getByRole('button', { name: 'Publish: _latest' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await tile.getByText(/\d texts/).waitFor({ timeout: 60_000 })

      await page.getByLabel(/^Polish/).check()
      await page.getByRole('button', { name: 'Translate', exact: true }).click()
      const job = page.getByRole('listitem').filter({ hasText: /success/ })
      await job.filter({ hasText: 'Polish' }).waitFor({ timeout: 60_000 })
    })

    test('reading the service anew tells review states', async () => {
      await openView(page, inspected, 'overview')
      await page.getByRole('button', { name: 'Reload from the service' }).click()
      await openView(page, inspected, 'texts?filter=unreviewed')
      await page.getByRole('row').nth(2).waitFor()
    })

    test('nothing went wrong on the way, and the key is nowhere', async () => {
      // What is asked for again before it is answered is ended by the page itself.
      expect(problems.filter((line) => !/__localization\/api\/.*ERR_ABORTED$/.test(line))).toEqual([])
      const { project } = inspected
      for (const path of ['', 'page.js', 'page.css', 'edit.js']) {
        expect(await (await fetch(inspected.address + path)).text()).not.toContain(project.apiKey)
      }
    })
  })
})
