/**
 * `compile: 'icu'` with the real react-intl in Chromium, FormatJS's parser left out of the page as its documentation
 * says.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit, type WatchedPage } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { expectedTexts, installExample, LANGUAGES } from '../helpers/examples.ts'
import { isSampled } from '../helpers/repeats.ts'
import { writeTree } from '../helpers/temp.ts'

const configOf = (alias: boolean) => `
import react from '@vitejs/plugin-react'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  cacheDir: '.tmp/vite',
  publicDir: '../public',
  resolve: {
    alias: ${alias ? "[{ find: /^@formatjs\\/icu-messageformat-parser$/, replacement: '@formatjs/icu-messageformat-parser/no-parser.js' }]" : '[]'},
  },
  plugins: [react(), localization({ defaultLanguage: 'en', compile: 'icu' })],
})
`

const PACKAGE = 'node_modules/@formatjs/icu-messageformat-parser'
/** Only the parser holds it. */
const PARSER = 'EXPECT_ARGUMENT_CLOSING_BRACE'

describe.skipIf(noChromium)('react-intl without a parser', () => {
  async function example({ alias = true } = {}): Promise<string> {
    const root = await installExample('react-intl')
    await writeTree(root, { 'vite.config.ts': configOf(alias) })
    return root
  }

  async function showsTexts({ page, problems }: WatchedPage, languages: readonly string[]): Promise<void> {
    await page.waitForSelector('h1')
    await page.fill('input', 'Karl')
    await page.click('.tea')
    for (const language of languages) {
      await page.click(`nav [lang="${language}"]`)
      const number = (count: number) => new Intl.NumberFormat(language).format(count)
      await shows(page, await expectedTexts(language, { name: 'Karl', open: true, number }))
    }
    expect(problems).toEqual([])
  }

  test.each([true, false].filter((alias) => isSampled(String(alias), ['true'])))(
    'built: every language, with the parser left out of the page: %s',
    async (alias) => {
      const root = await example({ alias })
      await build({ root, logLevel: 'silent' })
      const server = await serveFolder(join(root, 'dist'))
      onTestFinished(() => server.close())
      const watched = await visit(`${server.origin}/`)
      await showsTexts(watched, LANGUAGES)
      expect((await watched.bodies()).some((body) => body.includes(PARSER))).toBe(!alias)
      await watched.close()
    },
  )

  test('the parser is what holds the mark', async () => {
    const files = ['index.js', 'no-parser.js'].map((name) => join(repository, PACKAGE, name))
    const [parser, none] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    expect([parser?.includes(PARSER), none?.includes(PARSER)]).toEqual([true, false])
  })

  test('in development: a text edited from a string to a message and back, in place', async () => {
    const root = await example()
    const server = await startVite({ root })
    const watched = await visit(server.resolvedUrls?.local[0] as string)
    const { page } = watched
    await showsTexts(watched, ['pl', 'en'])
    expect((await watched.bodies()).some((body) => body.includes(PARSER))).toBe(false)
    await page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
    const edit = async (greeting: string, shown: string) => {
      const path = join(root, 'locales/en/common.json')
      const texts = JSON.parse(await readFile(path, 'utf8'))
      await writeFile(path, JSON.stringify({ ...texts, greeting: { ...texts.greeting, named: greeting } }))
      await shows(page, { '.greeting': shown })
    }
    await edit('Plain now', 'Plain now')
    await edit("It's {name}", "It's Karl")
    await edit('{name} and {name} again', 'Karl and Karl again')
    expect(watched.problems).toEqual([])
    // No message: react-intl says so, and shows it as it stands.
    await edit('Open {name', 'Open {name')
    expect(watched.problems.join('\n')).toMatch(/common\.greeting\.named/)
    await edit('Whole, {name}', 'Whole, Karl')
    expect(await page.evaluate('globalThis.planted')).toBe('token')
    await watched.close()
  })
})

async function shows(page: Page, expected: object): Promise<void> {
  await expect
    .poll(
      () =>
        page.evaluate<object>(
          `Object.fromEntries(${JSON.stringify(Object.keys(expected))}.map((name) => [name, document.querySelector(name)?.textContent]))`,
        ),
      { timeout: 60_000, interval: 20 },
    )
    .toEqual(expected)
}
