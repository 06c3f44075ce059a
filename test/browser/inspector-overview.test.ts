/** What is wrong comes first; locations open in the editor; nothing moves when a person begins to type. */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { firstDevServer } from '../helpers/dev-servers.ts'
import { type Inspected, MADE, openView, startInspected } from '../helpers/inspected.ts'
import { holdAlt, violations } from '../helpers/page.ts'
import { tempFolder } from '../helpers/temp.ts'

const LONG = { timeout: 90_000, interval: 50 }

describe.skipIf(noChromium)('the inspector', () => {
  let inspected: Inspected
  let folder: string
  beforeAll(async () => {
    vi.stubEnv('CI', '')
    folder = await tempFolder()
    const editor = join(folder, 'editor.sh')
    await writeFile(editor, '#!/bin/sh\nprintf "%s:%s:%s" "$@" > "$(dirname "$0")/opened"\n')
    await chmod(editor, 0o755)
    vi.stubEnv('LAUNCH_EDITOR', editor)
    inspected = await startInspected(firstDevServer(), undefined, { edit: true })
  })
  afterAll(async () => {
    await inspected?.close()
    vi.unstubAllEnvs()
  })

  const opened = () => readFile(join(folder, 'opened'), 'utf8').catch(() => '')
  const start = async (width = 1300) => {
    const visited = await visit('about:blank', { viewport: { width, height: 844 }, bypassCSP: true })
    visited.page.setDefaultTimeout(90_000)
    return visited
  }
  /** The places and sizes of what must not move. */
  const boxesOf = (page: Page, parts: string) =>
    page.evaluate<readonly string[]>(
      `[...document.querySelectorAll(${JSON.stringify(parts)})].map((part) => {
        const { x, y, width, height } = part.getBoundingClientRect()
        return [part.className, x, y, width, height].join(' ')
      })`,
    )

  test.each([1300, 390])(
    '%d pixels wide: the source is beside the cell, and the first keystroke moves nothing',
    async (width) => {
      const { page, close } = await start(width)
      // A gap, whose field is as high as its placeholder; and a text.
      for (const key of [MADE.fileless, MADE.edited]) {
        await openView(page, inspected, `texts?language=de&search=${encodeURIComponent(key)}`)
        const row = page.getByRole('row', { name: new RegExp(key) })
        await row.getByRole('gridcell').last().dblclick()
        const field = page.locator('.cell-editor textarea')
        await field.waitFor()
        const english = key === MADE.edited ? 'Edit me' : 'Only English has it'
        const source = page.getByRole('region', { name: 'English, the source' })
        await expect.poll(() => source.locator('.source-text').textContent(), LONG).toBe(english)
        const [own, cell] = await Promise.all([source.boundingBox(), field.boundingBox()])
        if (width > 700) expect((own?.x ?? 0) + (own?.width ?? 0)).toBeLessThanOrEqual(cell?.x ?? 0)
        else expect((own?.y ?? 0) + (own?.height ?? 0)).toBeLessThanOrEqual(cell?.y ?? 0)
        const parts = '.cell-editor, .cell-editor textarea, .cell-editor .foot, .table, .bar'
        const before = await boxesOf(page, parts)
        await page.keyboard.press('x')
        await page.locator('.cell-editor .chip-draft').waitFor()
        expect(await boxesOf(page, parts)).toEqual(before)
        expect(await violations(page)).toEqual([])
        await page.keyboard.press('Backspace')
        await page.keyboard.press('Escape')
      }
      await close()
    },
  )

  test('in the panel, the first keystroke moves nothing either', async () => {
    const { page, close } = await start()
    await openView(page, inspected, `texts?key=${encodeURIComponent(MADE.greeting)}&of=${inspected.namespace}`)
    await page.locator('#text-de').focus()
    await page.getByText(/^Used in/).waitFor()
    const parts = '.panel .editor, .panel textarea, .panel .foot, .table, .bar'
    const before = await boxesOf(page, parts)
    await page.keyboard.press('x')
    await page.locator('.panel .chip-draft').waitFor()
    expect(await boxesOf(page, parts)).toEqual(before)
    await page.keyboard.press('Backspace')
    await close()
  })

  test('a source of 5,000 characters stays in sight beside a long text', async () => {
    const { page, close } = await start()
    const long = (word: string) => `${word} `.repeat(1_000)
    for (const [language, word] of [
      ['en', 'tea!'],
      ['de', 'Tee!'],
    ] as const) {
      const path = inspected.fileOf(language)
      const texts = JSON.parse(await readFile(path, 'utf8')) as object
      await writeFile(path, JSON.stringify({ ...texts, [`zz long ${'k'.repeat(290)}`]: long(word) }, null, 4))
    }
    await openView(page, inspected, 'texts?language=de&search=zz%20long')
    const row = page.getByRole('row', { name: /zz long/ })
    await row.getByText('Tee!').first().waitFor()
    await row.getByRole('gridcell').last().dblclick()
    await page.locator('.cell-editor textarea').waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('x')
    await page.locator('.cell-editor .chip-draft').waitFor()
    const [own, box] = await Promise.all([
      page.locator('.cell-editor .source').boundingBox(),
      page.locator('.cell-editor').boundingBox(),
    ])
    expect(own?.y).toBeGreaterThanOrEqual(box?.y ?? 0)
    expect((own?.y ?? 0) + (own?.height ?? 0)).toBeLessThanOrEqual(844)
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1300)
    await close()
  })

  test('the location of a text and of its uses open in the editor, also from the app itself', async () => {
    const { page, problems, close } = await start()
    await openView(page, inspected, `texts?key=${encodeURIComponent(MADE.edited)}&of=${inspected.namespace}`)
    const path = `locales/de/${inspected.namespace}.json`
    await page.getByRole('button', { name: new RegExp(`^${path}:\\d+:5: open in your editor$`) }).click()
    await expect.poll(opened, LONG).toMatch(new RegExp(`^${join(inspected.root, path)}:\\d+:5$`))
    // `messages["zz made edited"]`
    await page.getByText('Used in 2 places').waitFor()
    await page.getByRole('button', { name: 'main.js:7:46: open in your editor' }).click()
    await expect.poll(opened, LONG).toBe(`${join(inspected.root, 'main.js')}:7:46`)

    await page.goto(inspected.server.address)
    await page.locator('#greeting').getByText('well met').waitFor()
    await holdAlt(page)
    await page.locator('#greeting').click({ modifiers: ['Alt'] })
    await page.keyboard.up('Alt')
    const popup = page.getByRole('dialog', { name: 'Translation' })
    await popup.getByRole('button', { name: /^main\.js:8:\d+: open in your editor$/ }).click()
    await expect.poll(opened, LONG).toMatch(/main\.js:8:\d+$/)
    expect(problems.filter((line) => !/ERR_ABORTED$/.test(line))).toEqual([])
    await close()
  })

  test('a silent server is not "live", and neither is one whose service does not respond', async () => {
    const { page, close } = await start()
    await page.clock.install()
    await openView(page, inspected, 'overview')
    await page.getByText(/^live, \d\d:\d\d:\d\d$/).waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page
      .getByText(/^no response since \d\d:\d\d:\d\d$/)
      .first()
      .waitFor()
    await page.clock.resume()
    await page.locator('.live.on').waitFor()
    await close()
  })

  test('a broken file and a failed contact come first; the language is not complete', async () => {
    const { page, close } = await start()
    await openView(page, inspected, 'overview')
    const german = page.getByRole('row', { name: /^German de/ })
    await german.getByText(/%/).first().waitFor()
    await writeFile(inspected.fileOf('de'), '{\n    "title": "Titel",,\n}\n')
    const path = `locales/de/${inspected.namespace}.json`
    await page.getByRole('region', { name: '1 broken file' }).getByText('unexpected comma').waitFor()
    expect(await page.locator('main h2').first().textContent()).toBe('1 broken file')
    expect(await german.innerText()).toMatch(/unknown\s+1 broken file/)
    expect(await german.innerText()).not.toMatch(/100%|complete/)
    await page.getByRole('button', { name: `${path}:2:22: open in your editor` }).click()
    await expect.poll(opened, LONG).toBe(`${join(inspected.root, path)}:2:22`)

    await inspected.project.close()
    await page.getByRole('alert').getByText('The last request to the service failed.').waitFor()
    await page
      .getByRole('alert')
      .getByText(/Last successful request: \d\d:\d\d:\d\d\./)
      .waitFor()
    await page.locator('.live:not(.on)').getByText('last request failed').first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1300, 390]) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme })
        expect(await violations(page), `${colorScheme} ${width}`).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      }
    }
    await close()
  })
})
