/** The inspector for everybody: axe-core finds nothing, at any width and theme, and 100,000 texts are a few rows. */
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type BuildReport, type ChunkReport, printReport } from '../../src/report/report.ts'
import { noChromium, visit } from '../helpers/browser.ts'
import { firstDevServer } from '../helpers/dev-servers.ts'
import { type Inspected, MADE, openView, startInspected } from '../helpers/inspected.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { writeTree } from '../helpers/temp.ts'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const pageReport = (name: string, kind: 'entry' | 'lazy', namespaces: Record<string, number>): ChunkReport => {
  const bytes = Object.values(namespaces).reduce((sum, each) => sum + each, 0)
  return {
    name,
    kind,
    keys: 7,
    shared: 2,
    others: 0,
    bytes,
    language: 'de',
    byLanguage: { de: bytes },
    namespaces: Object.entries(namespaces).map(([namespace, own]) => ({ namespace, bytes: own })),
  }
}
/** Of an app with many chunks. */
const REPORT = {
  version: 1,
  chunks: [
    pageReport('index.html', 'entry', { common: 14_000, shop: 5_000, tiny: 10 }),
    ...Array.from({ length: 20 }, (_, at) =>
      pageReport(`src/pages/page-${at}.tsx`, 'lazy', { common: 2_900 - at * 100 }),
    ),
  ],
} satisfies Partial<BuildReport>

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(axeFile, 'utf8'))
  const { violations: found } = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })')
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  )
}

describe.skipIf(noChromium)('the inspector', () => {
  beforeAll(async () => {
    vi.stubEnv('CI', '')
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
  })

  describe('with everything in it', () => {
    let inspected: Inspected
    beforeAll(async () => {
      inspected = await startInspected(firstDevServer(), undefined, { pseudo: 'en-XA' })
      await writeTree(inspected.root, { '.localization/report.json': printReport(REPORT) })
    })
    afterAll(() => inspected?.close())

    type Look = readonly ['light' | 'dark', number]
    const few: readonly Look[] = [
      ['light', 1300],
      ['dark', 390],
    ]
    const others: readonly Look[] = [
      ['dark', 1300],
      ['light', 390],
    ]
    test.each(repeats(few, [...few, ...others]))(
      '%s, %d pixels wide: no violation, nothing sticks out',
      async (colorScheme, width) => {
        const { page, close } = await visit('about:blank', {
          colorScheme,
          viewport: { width, height: 844 },
          // Axe is put into the page by the test; the page's own policy is looked at elsewhere.
          bypassCSP: true,
        })
        const key = encodeURIComponent(MADE.conflictOurs)
        for (const view of [
          'overview',
          'texts',
          `texts?key=${key}&of=${inspected.namespace}`,
          'sync',
          'service',
          'log',
        ]) {
          await openView(page, inspected, view)
          const sign: Record<string, string> = {
            overview: 'Coverage',
            texts: 'zz made conflict one',
            sync: 'Both sides changed',
            service: '_production',
            log: 'texts in',
          }
          await page
            .getByText(sign[view] ?? 'of the file one')
            .first()
            .waitFor()
          expect(await violations(page), view).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBe(width)
        }
        await openView(page, inspected, 'service')
        await page.getByRole('button', { name: 'Publish: _latest' }).click()
        await page.getByRole('dialog').waitFor()
        expect(await violations(page), 'dialog').toEqual([])
        await close()
      },
    )

    test('a table shows what pages fetch, the largest first, and leads to the texts', async () => {
      const { page, problems, close } = await visit('about:blank', { viewport: { width: 820, height: 900 } })
      await openView(page, inspected, 'overview')
      const table = page.getByRole('region', { name: 'Texts by chunk' })
      await table.getByRole('row', { name: /^src\/pages\/page-19\.tsx later 1\.0 KB de 7 2 common 1\.0 KB$/ }).waitFor()
      const chunks = await table.getByRole('rowheader').allTextContents()
      expect(chunks).toEqual(REPORT.chunks.map(({ name }) => name))
      const first = table.getByRole('row', { name: /^index\.html first 19 KB de 7 2 common 14 KB, shop 5\.0 KB, tiny/ })
      await first.getByRole('link', { name: 'common' }).focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => page.url()).toMatch(/#\/texts\?namespace=common$/)
      expect(problems).toEqual([])
      await close()
    })

    test('everything can be reached with the keyboard, and shows where one is', async () => {
      const { page, close } = await visit('about:blank')
      await openView(page, inspected, 'texts')
      await page.getByText('zz made conflict one').first().waitFor()
      const names: string[] = []
      for (let i = 0; i < 20; i++) {
        await page.keyboard.press('Tab')
        const [name, outline] = await page.evaluate<[string, string]>(
          '[document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.slice(0, 20), getComputedStyle(document.activeElement).outlineStyle]',
        )
        names.push(name)
        expect(outline, name).toBe('solid')
      }
      expect(names.join()).toMatch(/Skip to the content.*Overview.*Theme.*Texts/)
      // From the search field to what it found, and back.
      await page.keyboard.press('/')
      await page.keyboard.type('zz made')
      await page.getByText('7 keys').waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowUp')
      await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search')
      await page.keyboard.press('Control+A')
      await page.keyboard.type('nothing has this')
      await page.getByText('No key or text contains “nothing has this”').waitFor()
      await page.getByRole('button', { name: 'Show everything' }).click()
      await page.getByText('zz made conflict one').first().waitFor()
      const focusedRow = () => page.evaluate('document.activeElement.closest("[data-row]")?.dataset.row')
      await page.locator('[data-row="0"] button').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await expect.poll(focusedRow, { timeout: 60_000 }).toBe('2')
      await page.keyboard.press('Enter')
      await page.getByRole('complementary').waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(focusedRow, { timeout: 60_000 }).toBe('2')
      await close()
    })

    test('a stale translation is found, with what changed word by word, until a person takes it for right', async () => {
      const width = 1300
      const { page, problems, close } = await visit('about:blank', {
        viewport: { width, height: 844 },
        bypassCSP: true,
      })
      await openView(page, inspected, 'overview')
      // Both sides are known then.
      await page.getByRole('link', { name: /^2 Conflicts/ }).waitFor()
      const file = inspected.fileOf('en')
      const content = await readFile(file, 'utf8')
      await writeFile(file, content.replace('Hello, {name}, well met', 'Hello, {name}, it is good to see you'))
      await page.getByRole('link', { name: /^1 Stale/ }).click()
      await expect.poll(() => page.getByLabel('Show').inputValue()).toBe('stale')
      const row = page.getByRole('row', { name: new RegExp(MADE.greeting) })
      await row.getByText('stale', { exact: true }).waitFor()
      await row.getByRole('button').click()
      const german = page.getByRole('region', { name: 'German' })
      const changes = german.locator('.changes')
      await expect.poll(() => changes.textContent()).toBe('Hello, {name}, well metit is good to see you')
      expect(await changes.locator('del').allTextContents()).toEqual(['well met'])
      expect(await changes.locator('ins').allTextContents()).toEqual(['it is good to see you'])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations(page), colorScheme).toEqual([])
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      await german.getByRole('button', { name: /^Still correct/ }).click()
      await page.getByText('marked as correct: 1 text').waitFor()
      await expect.poll(() => page.getByText('stale', { exact: true }).count()).toBe(0)
      await expect.poll(() => page.getByRole('row', { name: new RegExp(MADE.greeting) }).count()).toBe(0)
      expect(problems).toEqual([])
      await close()
    })

    test('drafts are there when the page was loaded again, and are saved together or discarded', async () => {
      const { page, problems, close } = await visit('about:blank', { bypassCSP: true })
      const { namespace, textInFile } = inspected
      await openView(page, inspected, `texts?key=${encodeURIComponent(MADE.fileless)}&of=${namespace}`)
      await page.locator('#text-de').fill('Erster')
      await page.locator('#text-pl').fill('Drugi')
      await page.locator('#text-en').fill('Nobody wants this')
      await page.keyboard.press('Escape')
      await page.reload()
      await page.getByText('3 not saved').click()
      await page.locator('.drafts ins').getByText('Erster').waitFor()
      expect(await violations(page), 'drafts').toEqual([])
      await page.getByRole('button', { name: `Discard: en/${namespace} ${MADE.fileless}` }).click()
      await page.getByRole('button', { name: 'Save all (2)' }).click()
      await expect.poll(() => textInFile('de', MADE.fileless), { timeout: 60_000 }).toBe('Erster')
      await expect.poll(() => textInFile('pl', MADE.fileless), { timeout: 60_000 }).toBe('Drugi')
      await expect.poll(() => page.getByText('not saved').count()).toBe(0)
      expect(await textInFile('en', MADE.fileless)).toBe('Only English has it')
      expect(problems.filter((line) => !/ERR_ABORTED$/.test(line))).toEqual([])
      await close()
    })

    test('texts of two lines are whole where the table is narrow', async () => {
      const { page, close } = await visit('about:blank', { viewport: { width: 390, height: 844 } })
      await openView(page, inspected, 'texts?language=de&search=zz')
      await page.getByText('of the file one').waitFor()
      const cut = await page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.td')].flatMap((cell) => {
          const box = cell.getBoundingClientRect()
          return [...cell.querySelectorAll('.cell-text, .cell-notes, .key-name, .soft')]
            .filter((part) => part.getBoundingClientRect().bottom > box.bottom + 0.5 || part.getBoundingClientRect().top < box.top - 0.5)
            .map((part) => part.textContent)
        })`,
      )
      expect(cut).toEqual([])
      await close()
    })

    test('a link to a key that is gone says so', async () => {
      const { page, close } = await visit(`${inspected.address}#/texts?key=gone&of=${inspected.namespace}`)
      await page.getByText('The project has no texts for this key.').waitFor()
      await close()
    })

    test('the page runs no script but its own, and no frame shows it', async () => {
      const { page, problems, close } = await visit(inspected.address)
      await page.getByText('Coverage').waitFor()
      await page
        .evaluate(
          'document.body.append(Object.assign(document.createElement("script"), { textContent: "globalThis.ran = 1" }))',
        )
        .catch(() => undefined)
      expect(await page.evaluate('globalThis.ran')).toBeUndefined()
      expect(problems.join()).toMatch(/Content Security Policy/)
      await close()
    })
  })

  test('of 100,000 texts only the rows that are seen are in the document', async () => {
    const texts = (language: string) =>
      Object.fromEntries(
        Array.from({ length: 50_000 }, (_, i) => [`key.${String(i).padStart(6, '0')}`, `${language} ${i}`]),
      )
    const { server } = await startProject({
      files: {
        'main.js': '',
        'package.json': { type: 'module' },
        'locales/en/common.json': texts('en'),
        'locales/de/common.json': texts('de'),
      },
      plugin: { kind: firstDevServer(), options: { keySeparator: '::' } },
    })
    const { page, close } = await visit(`${server.address}__localization/#/texts`)
    await page.getByText('50,000 keys').waitFor()
    await page.getByText('key.000000').waitFor()
    const rows = () => page.locator('[data-row]').count()
    expect(await rows()).toBeLessThan(60)
    const scrollTo = (share: number) =>
      page.evaluate(`{ const t = document.querySelector('.table'); t.scrollTop = t.scrollHeight * ${share} }`)
    await scrollTo(0.5)
    await page.getByText('key.025000').waitFor()
    await scrollTo(1)
    await page.getByText('key.049999').waitFor()
    expect(await rows()).toBeLessThan(60)
    await page.getByRole('searchbox').fill('de 4321')
    await page.getByText('11 keys').waitFor()
    await close()
    await server.close()
  })
})
