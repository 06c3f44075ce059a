/** Editing in the app's own page: hold Alt, click, change, and it is in the file and in the page. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { type DevServerKind, devServers, firstDevServer } from '../helpers/dev-servers.ts'
import { holdAlt } from '../helpers/page.ts'
import { startProject } from '../helpers/project.ts'

const MAIN = `
import { load, onUpdate } from 'virtual:translations'
async function render() {
  const m = await load('en', 'common')
  const put = (id, text) => { document.getElementById(id).textContent = text }
  put('title', m.title)
  put('greeting', m.greeting.replace('{{name}}', 'Ada'))
  put('files', m.files_one)
  document.getElementById('tagged').innerHTML = m.tagged.replace('<0>', '<b>').replace('</0>', '</b>').replace('{name}', 'Ada')
  put('same', m.save)
  document.getElementById('field').placeholder = m.field
  document.getElementById('field').title = m.tip
  document.body.dataset.ready = 'yes'
}
render()
onUpdate(render)
document.addEventListener('click', () => { document.body.dataset.clicked = 'yes' })
`

const BODY = `<h1 id="title"></h1><p id="greeting"></p><p id="files"></p><p id="tagged"></p><button id="same"></button>
<input id="field"><p id="rendered">Rendered on the server</p><p id="foreign">Written by hand</p>`

const TEXTS = {
  title: 'A title',
  greeting: 'Hello, {{name}}!',
  files_one: '{count, plural, one {One file} other {# files}}',
  tagged: 'Read <0>{name}</0> the rules',
  save: 'Save',
  store: 'Save',
  field: 'Your name',
  tip: 'Shown to others',
  ssr: 'Rendered on the server',
  lonely: '{name}',
}

describe.skipIf(noChromium)('editing in the page', () => {
  const open = async (kind: DevServerKind, edit: boolean) => {
    const files = {
      'main.js': MAIN.replace('m.files_one)', '"3 files")').replace(
        'import',
        `document.body.innerHTML = ${JSON.stringify(BODY)}\nimport`,
      ),
      'package.json': { type: 'module' },
      'locales/en/common.json': TEXTS,
      'locales/de/common.json': { title: 'Ein Titel' },
    }
    const plugin = { kind, options: { edit, defaultLanguage: 'en', keySeparator: '::' } }
    const { root, server } = await startProject({ files, plugin })
    const watched = await visit(server.address)
    await watched.page.waitForFunction('document.body.dataset.ready')
    const textIn = async (language: string, key: string) =>
      (JSON.parse(await readFile(join(root, `locales/${language}/common.json`), 'utf8')) as Record<string, string>)[key]
    return { server, watched, page: watched.page, textIn }
  }

  describe.each(devServers.filter(({ name }) => name !== 'vite7'))('$name', (kind) => {
    test('texts, attributes and filled placeholders lead to their keys; what cannot be traced says so', async () => {
      const { server, watched, page, textIn } = await open(kind, true)
      const before = await page.evaluate<string>('document.body.innerHTML')
      await holdAlt(page)
      const keys = await page.evaluate<string[]>(
        '[...document.querySelector("localization-edit").shadowRoot.querySelectorAll(".box[data-key]")].map((box) => box.dataset.key)',
      )
      expect([...new Set(keys)].sort()).toEqual([
        'field',
        'files_one',
        'greeting',
        'save',
        'ssr',
        'tagged',
        'tip',
        'title',
      ])
      // Nothing is put into the app's own document.
      expect(await page.evaluate<string>('document.body.innerHTML')).toBe(before)

      await page.locator('#title').click({ modifiers: ['Alt'] })
      const popup = page.getByRole('dialog', { name: 'Translation' })
      await popup.getByRole('heading', { name: 'title' }).waitFor()
      expect(await page.evaluate('document.body.dataset.clicked')).toBeUndefined()
      await popup.getByLabel('English en').fill('A better title')
      await popup.getByRole('button', { name: 'Save: English' }).click()
      await expect.poll(() => textIn('en', 'title'), { timeout: 60_000 }).toBe('A better title')
      await expect.poll(() => page.locator('#title').textContent(), { timeout: 60_000 }).toBe('A better title')
      await popup.getByLabel('German de').fill('Ein besserer Titel')
      await page.keyboard.press('Control+Enter')
      await expect.poll(() => textIn('de', 'title'), { timeout: 60_000 }).toBe('Ein besserer Titel')
      await page.keyboard.press('Escape')
      await expect.poll(() => popup.count()).toBe(0)
      await page.keyboard.up('Alt')

      const pick = async (selector: string) => {
        // It lies beside the text it is for, over others.
        await page.keyboard.press('Escape')
        await holdAlt(page)
        await page.locator(selector).click({ modifiers: ['Alt'] })
        await page.keyboard.up('Alt')
        const heading = popup.getByRole('heading')
        await heading.waitFor()
        return heading.textContent()
      }
      expect(await pick('#greeting')).toBe('greeting')
      expect(await pick('#files')).toBe('files_one')
      expect(await pick('#tagged b')).toBe('tagged')
      expect(await pick('#rendered')).toBe('ssr')
      expect(await pick('#foreign')).toBe('No match found')
      expect(await pick('#same')).toBe('Which one?')
      await popup.getByRole('button', { name: /store/ }).click()
      await popup.getByRole('heading', { name: 'store' }).waitFor()
      expect(await pick('#field')).toBe('Which one?')
      await popup.getByRole('button', { name: /field.*attribute placeholder/ }).waitFor()
      await popup.getByRole('button', { name: /tip.*attribute title/ }).click()
      await popup.getByText('attribute title').waitFor()
      await page.keyboard.press('Escape')

      await page.locator('#foreign').click()
      expect(await page.evaluate('document.body.dataset.clicked')).toBe('yes')
      // An editor that is closed ends what it has asked for.
      expect(watched.problems.filter((line) => !/__localization\/api\/.*ERR_ABORTED$/.test(line))).toEqual([])
      await watched.close()
      await server.close()
    })
  })

  test('off by default: nothing of it is loaded', async () => {
    const { server, watched, page } = await open(firstDevServer(), false)
    await page.keyboard.press('Alt')
    expect(watched.requests.filter((address) => address.includes('/__localization'))).toEqual([])
    expect((await watched.bodies()).join()).not.toMatch(/\/__localization|__localizationParts/)
    await watched.close()
    await server.close()
  })
})
