/** The table of texts with the keyboard alone: columns, cells, selection, deletion; in the page, the files, the service. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { noChromium, visit, type WatchedPage } from '../helpers/browser.ts'
import { firstDevServer } from '../helpers/dev-servers.ts'
import { type Inspected, MADE, openView, startInspected } from '../helpers/inspected.ts'
import { focused, pressTo, violations } from '../helpers/page.ts'

const LONG = { timeout: 90_000, interval: 50 }

async function search(page: Page, words: string, found: string): Promise<void> {
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.press('/')
  await expect.poll(() => page.evaluate('document.activeElement.type'), LONG).toBe('search')
  await page.keyboard.press('Control+A')
  await page.keyboard.type(words)
  await page.getByText(found, { exact: true }).waitFor()
  await page.locator('[data-row="0"]', { hasText: words }).waitFor()
  await expect
    .poll(() => page.url(), LONG)
    .toContain(`search=${new URLSearchParams([['', words]]).toString().slice(1)}`)
}

const headers = (page: Page) =>
  page.evaluate<readonly string[]>('[...document.querySelectorAll(".th code")].map(({ textContent }) => textContent)')

describe.skipIf(noChromium)('the table of texts, with the keyboard alone', () => {
  let inspected: Inspected
  let watched: WatchedPage
  let page: Page
  beforeAll(async () => {
    vi.stubEnv('CI', '')
    inspected = await startInspected(firstDevServer(), undefined)
    watched = await visit('about:blank', { viewport: { width: 1300, height: 844 }, bypassCSP: true })
    page = watched.page
    page.setDefaultTimeout(90_000)
    await openView(page, inspected, 'overview')
    // Both sides are known then.
    await page.getByRole('link', { name: /^2 Conflicts/ }).waitFor()
  })
  afterAll(async () => {
    await inspected?.close()
    vi.unstubAllEnvs()
  })

  const onService = (language: string, key: string) => inspected.project.readText(language, inspected.namespace, key)

  test('columns are chosen, stay so, and sort', async () => {
    await openView(page, inspected, 'texts')
    await page.getByRole('row', { name: /zz made edited/ }).waitFor()
    expect(await headers(page)).toEqual(['en', 'de', 'pl'])
    await pressTo(page, 'Tab', /Columns/)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Columns' })
    await dialog.waitFor()
    expect(await violations(page)).toEqual([])
    // The last one cannot be hidden.
    await dialog.getByRole('button', { name: 'Only en' }).click()
    await expect.poll(() => dialog.getByRole('checkbox', { checked: true }).isDisabled(), LONG).toBe(true)
    await dialog.getByRole('button', { name: 'Show all' }).click()
    await pressTo(page, 'Shift+Tab', /^checkbox English/)
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    await expect.poll(() => headers(page), LONG).toEqual(['de', 'pl'])
    await expect.poll(() => focused(page)).toMatch(/Columns \(2 of 3\)/)
    expect(new URL(page.url()).hash).toContain('columns=de%2Cpl')
    // Remembered where the address says nothing.
    await openView(page, inspected, 'overview')
    await openView(page, inspected, 'texts')
    await expect.poll(() => headers(page), LONG).toEqual(['de', 'pl'])
    // Sorts by its texts, the gaps last, in both directions.
    await page.getByRole('row', { name: /zz made edited/ }).waitFor()
    await pressTo(page, 'Tab', /^button German/)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('sort=text%3Ade')
    const firstKey = () => page.locator('[data-row="0"] .key-name').textContent()
    const german = page.getByRole('columnheader', { name: /German/ })
    await expect.poll(() => german.getAttribute('aria-sort'), LONG).toBe('ascending')
    await expect.poll(firstKey, LONG).toBe(MADE.edited)
    await page.keyboard.press('Enter')
    await expect.poll(() => german.getAttribute('aria-sort'), LONG).toBe('descending')
    await expect.poll(firstKey, LONG).toBe('title')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).not.toContain('sort=')
  })

  test('texts are written in their cells, one after the other, and saved together', async () => {
    await openView(page, inspected, 'texts?columns=en,de,pl')
    await search(page, MADE.edited, '1 key')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focused(page), LONG).toMatch(/Edit me.* 2$/)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), LONG).toMatch(/^cell-en /)
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Edited in its cell')
    await page.keyboard.press('Enter')
    await expect.poll(() => inspected.textInFile('en', MADE.edited), LONG).toBe('Edited in its cell')
    await expect.poll(() => onService('en', MADE.edited), LONG).toBe('Edited in its cell')
    // The focus is back on the cell.
    await expect.poll(() => focused(page), LONG).toMatch(/Edited in its cell.* 2$/)

    await page.keyboard.press('F2')
    await expect.poll(() => focused(page), LONG).toMatch(/^cell-en /)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('One more')
    await page.keyboard.press('Tab')
    await expect.poll(() => focused(page), LONG).toMatch(/^cell-de /)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Noch einer')
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page), LONG).toMatch(/Noch einer.*not saved.* 3$/)
    expect(await inspected.textInFile('de', MADE.edited)).toBe('Edit me')
    await page.keyboard.press('Control+s')
    await expect.poll(() => inspected.textInFile('en', MADE.edited), LONG).toBe('One more')
    await expect.poll(() => inspected.textInFile('de', MADE.edited), LONG).toBe('Noch einer')
    await expect.poll(() => page.getByText('not saved').count(), LONG).toBe(0)
  })

  test('a finding keeps the cell open, and an error is saved only when it is confirmed', async () => {
    await search(page, MADE.greeting, '1 key')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), LONG).toMatch(/^cell-de /)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Hallo')
    await page.locator('.cell-editor .said').getByText('lacks {name}').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Not saved yet').waitFor()
    expect(await inspected.textInFile('de', MADE.greeting)).toBe('Hello, {name}, well met')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Hallo {name}')
    await page.keyboard.press('Enter')
    await expect.poll(() => inspected.textInFile('de', MADE.greeting), LONG).toBe('Hallo {name}')
  })

  test('keys are selected, reviewed, and deleted from the files after a preview', async () => {
    await openView(page, inspected, 'texts?columns=en,de,pl')
    await search(page, 'zz made', '7 keys')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+a')
    await page.getByText('7 keys selected').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByText('7 keys selected').count(), LONG).toBe(0)
    // "edited" and the one behind it.
    await pressTo(page, 'ArrowDown', new RegExp(MADE.edited))
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 keys selected').waitFor()
    expect(await violations(page)).toEqual([])

    await pressTo(page, 'Shift+Tab', /Review/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Review 2 keys' }).waitFor()
    expect(await violations(page)).toEqual([])
    await pressTo(page, 'Tab', /Mark as reviewed/)
    await page.keyboard.press('Enter')
    const statusOf = async (key: string) => {
      const query = new URLSearchParams({ language: 'de', namespace: inspected.namespace, key })
      return (await inspected.project.api('GET', `/api/v2/translations?${query}`)).body.data[0]?.reviewStatus
    }
    await expect.poll(() => statusOf(MADE.edited), LONG).toBe('REVIEWED')
    await page
      .getByRole('row', { name: new RegExp(MADE.edited) })
      .getByText('reviewed', { exact: true })
      .first()
      .waitFor()

    await expect.poll(() => page.getByRole('dialog').count(), LONG).toBe(0)
    await page.locator('[data-row="0"] .key-button').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete 2 keys?' })
    await dialog.getByText(/texts in 2 languages, deleted from 2 files/).waitFor()
    await dialog
      .getByText(new RegExp(`locales/de/${inspected.namespace}.json:\\d+:\\d+`))
      .first()
      .waitFor()
    expect(await violations(page)).toEqual([])
    await pressTo(page, 'Tab', /^button Delete /)
    await page.keyboard.press('Enter')
    await expect.poll(() => inspected.textInFile('de', MADE.edited), LONG).toBeUndefined()
    await expect.poll(() => inspected.textInFile('en', MADE.edited), LONG).toBeUndefined()
    // The service still has the keys, so the table shows them: the dialog said so, and the notice says it again.
    await page.getByText(/^deleted: \d+ texts; 2 keys still on the service, so the table still shows them$/).waitFor()
    await page.getByText('7 keys', { exact: true }).waitFor()
    await expect.poll(() => onService('en', MADE.edited)).toBe('One more')
    await expect
      .poll(() => page.getByRole('row', { name: new RegExp(MADE.edited) }).innerText(), LONG)
      .toContain('service')
    await expect.poll(() => page.getByText('keys selected').count(), LONG).toBe(0)
    await expect.poll(() => focused(page), LONG).toMatch(/ Texts /)
  })

  test('a key goes from the files and the service when a person says so', async () => {
    await openView(page, inspected, 'texts?columns=en,de,pl')
    await search(page, MADE.greeting, '1 key')
    await expect.poll(() => onService('en', MADE.greeting), LONG).toBe('Hello, {name}, well met')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog', { name: `Delete ${MADE.greeting}?` })
    await dialog.getByText('2 texts in 2 languages, deleted from 2 files:').waitFor()
    await dialog.getByText('The service keeps 1 key').waitFor()
    await pressTo(page, 'Tab', /^checkbox Delete on the service too/)
    await page.keyboard.press('Space')
    await dialog.getByText('On the service: 2 texts in 2 languages.').waitFor()
    expect(await violations(page)).toEqual([])
    await pressTo(page, 'Tab', /^button Delete in files and on the service/)
    await page.keyboard.press('Enter')
    await expect.poll(() => onService('en', MADE.greeting), LONG).toBeUndefined()
    await expect.poll(() => inspected.textInFile('en', MADE.greeting), LONG).toBeUndefined()
    await expect.poll(() => page.getByRole('dialog').count(), LONG).toBe(0)
    await expect.poll(() => page.getByRole('row', { name: new RegExp(MADE.greeting) }).count(), LONG).toBe(0)
  })

  test('a new key has a description and a limit, which is checked while a person types', async () => {
    await openView(page, inspected, 'texts?columns=en,de,pl')
    await page.getByRole('row', { name: /zz made edited/ }).waitFor()
    await pressTo(page, 'Tab', /^button New key/)
    await page.keyboard.press('Enter')
    // The form takes the focus when it has loaded.
    await page.locator('form[aria-label="New key"] :focus').waitFor()
    await pressTo(page, 'Tab', / Key /)
    await page.keyboard.type('zz made short')
    await pressTo(page, 'Tab', /^textarea English/)
    await page.keyboard.type('Brief')
    await pressTo(page, 'Tab', /For translators/)
    await page.keyboard.press('Enter')
    await pressTo(page, 'Tab', /^textarea Description/)
    await page.keyboard.type('On a small button')
    await pressTo(page, 'Tab', /^number Maximum characters/)
    await page.keyboard.type('8')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => inspected.textInFile('en', 'zz made short'), LONG).toBe('Brief')
    const details = page.getByRole('region', { name: 'For translators' })
    await details.getByText('On a small button').waitFor()
    await details.getByText('at most 8 characters').waitFor()
    await expect.poll(() => onService('en', 'zz made short'), LONG).toBe('Brief')
    await pressTo(page, 'Tab', /^text-de /)
    await page.keyboard.type('Viel zu lang')
    await page.locator('.panel').getByText('has 12 characters, but at most 8 are allowed').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
  })

  test('nothing went wrong on the way', () => {
    expect(watched.problems.filter((line) => !/ERR_ABORTED$/.test(line))).toEqual([])
  })
})
