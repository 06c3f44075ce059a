/** The editor in the page without a mouse: plurals of three languages, a conflict, a new key; in page, files, service. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { firstDevServer } from '../helpers/dev-servers.ts'
import { startProject } from '../helpers/project.ts'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const LONG = { timeout: 90_000, interval: 50 }

const MAIN = `
document.body.innerHTML = '<main><h1></h1><p id="files"></p><p id="wait"></p><p id="raw">Written by hand</p></main>'
import { load, onUpdate } from 'virtual:translations'
async function render() {
  const m = await load('pl', 'common')
  const form = new Intl.PluralRules('pl').select(2)
  document.querySelector('h1').textContent = m.title
  document.getElementById('files').textContent = m['files_' + form].replace('{{count}}', '2')
  document.getElementById('wait').textContent = m.wait
  document.documentElement.lang = 'pl'
  document.body.dataset.ready = 'yes'
}
render()
onUpdate(render)
`
const EN = { title: 'Title', files_one: '{{count}} file', files_other: '{{count}} files', wait: 'Wait a moment' }
const DE = { files_one: '{{count}} Datei', files_other: '{{count}} Dateien', title: 'Titel', wait: 'Moment bitte' }
const PL = {
  title: 'Tytuł',
  files_one: '{{count}} plik',
  files_few: '{{count}} pliki',
  files_many: '{{count}} plików',
  wait: 'Proszę czekać',
}

/** What the tests see of the editor. */
interface Editor {
  readonly activeElement: {
    readonly id: string
    readonly ariaLabel: string | null
    readonly textContent: string
  } | null
}

const focused = (page: Page) =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: { querySelector(selector: string): { shadowRoot: Editor } | null }
    }
    const element = document.querySelector('localization-edit')?.shadowRoot.activeElement
    return element ? `${element.id} ${element.ariaLabel ?? element.textContent}` : ''
  })

/** Tabs to the field with the id, or to the button with the name. */
async function tabTo(page: Page, wanted: RegExp, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (wanted.test(await focused(page))) return
    await page.keyboard.press(key)
  }
  throw new Error(`the focus does not come to ${wanted}: ${await focused(page)}`)
}

async function openByKeys(page: Page, key: string): Promise<void> {
  const boxes = page.locator('localization-edit .box')
  await expect
    .poll(async () => {
      if ((await boxes.count()) > 0) return true
      await page.keyboard.up('Alt')
      await page.keyboard.down('Alt')
      return false
    }, LONG)
    .toBe(true)
  const said = page.locator('localization-edit [role="status"]').first()
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('ArrowDown')
    if ((await said.textContent())?.includes(key)) break
  }
  expect(await said.textContent()).toContain(key)
  await page.keyboard.press('Enter')
  await page.keyboard.up('Alt')
  await page.getByRole('dialog', { name: 'Translation' }).waitFor()
}

describe.skipIf(noChromium)('with the keyboard alone', () => {
  beforeAll(() => void vi.stubEnv('CI', ''))
  afterAll(() => void vi.unstubAllEnvs())

  test('a plural is changed in three languages, a conflict decided, a key added', async () => {
    const { root, server, ...project } = await startProject({
      files: {
        'main.js': MAIN,
        'package.json': { type: 'module' },
        'locales/en/common.json': EN,
        'locales/de/common.json': DE,
        // Both sides have a text of their own that neither knew of.
        'locales/pl/common.json': { ...PL, wait: 'Chwileczkę proszę' },
      },
      service: {
        languages: ['de', 'pl'],
        texts: { 'en/common': EN, 'de/common': DE, 'pl/common': { ...PL, wait: 'Proszę chwilę czekać' } },
      },
      plugin: {
        kind: firstDevServer(),
        options: {
          edit: true,
          defaultLanguage: 'en',
          keySeparator: '::',
          push: { create: true },
          pull: { intervalMs: 300, write: false },
        },
      },
    })
    const { page, problems, close } = await visit(server.address)
    await page.waitForFunction('document.body.dataset.ready')
    const inFile = async (language: string, key: string) =>
      (JSON.parse(await readFile(join(root, `locales/${language}/common.json`), 'utf8')) as Record<string, string>)[key]
    const onBothSides = async (language: string, key: string, text: string) => {
      await expect.poll(() => inFile(language, key), LONG).toBe(text)
      await expect.poll(() => project.readText(language, 'common', key), LONG).toBe(text)
    }

    await openByKeys(page, 'files_few')
    // The page's own language is first, with a field for each form that it needs.
    await expect.poll(() => focused(page), LONG).toContain('text-pl-one')
    const polish = page.getByRole('region', { name: 'Polish', exact: true })
    expect(await polish.getByRole('textbox').count()).toBe(3)
    for (const [field, language, key, text] of [
      ['text-pl-few', 'pl', 'files_few', '{{count}} dokumenty'],
      ['text-en-other', 'en', 'files_other', '{{count}} documents'],
      ['text-de-other', 'de', 'files_other', '{{count}} Dokumente'],
    ] as const) {
      await tabTo(page, new RegExp(`^${field} `))
      await page.keyboard.press('Control+A')
      await page.keyboard.type(text)
      await page.keyboard.press('Control+Enter')
      await onBothSides(language, key, text)
    }
    await expect.poll(() => page.locator('#files').textContent(), LONG).toBe('2 dokumenty')
    await polish.getByText('22 dokumenty').waitFor()
    await page.evaluate(await readFile(axeFile, 'utf8'))
    const editor = '{ include: [["localization-edit"]] }'
    const axe = await page.evaluate<{ readonly violations: readonly { readonly id: string }[] }>(`axe.run(${editor})`)
    expect(axe.violations.map(({ id }) => id)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count(), LONG).toBe(0)

    // A text of both sides of the conflict, written and then taken.
    await openByKeys(page, 'wait')
    await tabTo(page, /^text-pl /)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Chwileczkę, proszę czekać')
    await page.keyboard.press('Control+Enter')
    await polish.locator('.sides').getByText('Chwileczkę, proszę czekać').waitFor()
    await tabTo(page, /Take the file's text/)
    await page.keyboard.press('Enter')
    await onBothSides('pl', 'wait', 'Chwileczkę, proszę czekać')
    await expect.poll(() => page.getByText("Take the file's text").count(), LONG).toBe(0)
    await page.keyboard.press('Escape')

    await openByKeys(page, 'no match found')
    await tabTo(page, /Create a key for it/)
    await page.keyboard.press('Enter')
    await tabTo(page, /Add key/)
    await page.keyboard.press('Enter')
    await page.getByText('main.js:2:').waitFor()
    await onBothSides('pl', 'written_by_hand', 'Written by hand')
    expect(problems.filter((line) => !/ERR_ABORTED$/.test(line))).toEqual([])
    await close()
    await server.close()
    await project.close()
  })
})
