/** What the playground's tests read and do: its texts, as the files hold them, and the page's switches. */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { WatchedPage } from './browser.ts'
import { repository } from './bundlers.ts'
import { installPackage } from './consumer.ts'
import { PLAYGROUND_CATALOG, readRealCatalog } from './real-catalogs.ts'
import { tempFolder, writeTree } from './temp.ts'

export const PLAYGROUND = join(repository, 'playground/')
const NAMES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  pl: 'polski',
  ja: '日本語',
  ar: 'العربية',
}
export const LANGUAGES = Object.keys(NAMES)
export const NAMESPACES = ['common', 'shop', 'checkout']

/** A copy with the package installed beside it, and with a configuration of its own. Resolves to its folder. */
export async function installPlayground(config: object): Promise<string> {
  const folder = await tempFolder()
  await installPackage(folder)
  const own = /[/\\](?:dist-\w+|examples|start|\.[\w-]+|localization\.config\.ts|tsconfig\.json)$/
  await cp(PLAYGROUND, join(folder, 'playground'), { recursive: true, filter: (path) => !own.test(path) })
  await writeTree(folder, {
    'package.json': { type: 'module' },
    'playground/localization.config.json': { defaultLanguage: 'en', ...config },
  })
  return join(folder, 'playground')
}

/** `<language>/<namespace>` to key to text, read from the files by nobody's code but these helpers'. */
export type Texts = ReadonlyMap<string, ReadonlyMap<string, string>>

export async function readTexts(): Promise<Texts> {
  const catalog = [...(await readRealCatalog(PLAYGROUND_CATALOG))]
  return new Map(
    catalog.flatMap(([language, namespaces]) =>
      [...namespaces].map(([namespace, texts]) => [`${language}/${namespace}`, texts] as const),
    ),
  )
}

/** What the page must show: the language's own text, else the default language's. */
function expected(texts: Texts, language: string, id: string): string | undefined {
  const [namespace, key = ''] = id.split(':', 2)
  return texts.get(`${language}/${namespace}`)?.get(key) ?? texts.get(`en/${namespace}`)?.get(key)
}

/** Compares every element that says which text it shows. Answers how many there were. */
export async function compareTexts(page: Page, texts: Texts, language: string): Promise<number> {
  const shown = await page.$$eval('[data-text]', (elements) =>
    elements.map((element) => [element.getAttribute('data-text') ?? '', element.textContent] as const),
  )
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(shown.map(([id]) => [id, expected(texts, language, id)])),
  )
  return shown.length
}

/** How many texts the page says each module holds, of what it has fetched. */
export function moduleSizes(page: Page): Promise<Record<string, string>> {
  return page.$$eval('.behind tbody tr:not(.lazy)', (rows) =>
    Object.fromEntries(rows.map((row) => [row.querySelector('code')?.textContent, row.lastElementChild?.textContent])),
  )
}

export function expectedSize(texts: Texts, language: string, namespace: string): number {
  const keys = [language, 'en'].flatMap((key) => [...(texts.get(`${key}/${namespace}`)?.keys() ?? [])])
  return new Set(keys).size
}

/** The page says English before it has rendered anything: a text must be there too. */
export const shownLanguage = (page: Page, language: string) =>
  page.waitForSelector(`html[lang="${language}"] [data-text]`, { state: 'attached' })

export async function switchTo(page: Page, language: string): Promise<void> {
  await page.getByText(NAMES[language] ?? '', { exact: true }).click()
  await shownLanguage(page, language)
}

export async function openBasket(page: Page): Promise<void> {
  await page.locator('.open-basket').click()
  await page.waitForSelector('dialog[open]')
}

export async function closeBasket(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'hidden' })
}

const scripts = ({ requests }: WatchedPage): string[] =>
  requests.filter((address) => /\.m?js$/.test(new URL(address).pathname))

/** The scripts that `work` made the page fetch. */
export async function scriptsOf(watched: WatchedPage, work: () => Promise<void>): Promise<string[]> {
  const before = scripts(watched).length
  await work()
  await watched.page.waitForLoadState('networkidle')
  return scripts(watched).slice(before)
}
