/** The example apps, each with the real library, in Chromium: in development, built, and rendered on the server. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit, type WatchedPage } from '../helpers/browser.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
import { expectedTexts, installExample, LANGUAGES, type Shown } from '../helpers/examples.ts'
import { isSampled, repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { writeTree } from '../helpers/temp.ts'

/** Run by Node alone, as a server is. */
const RENDER = `
import { render } from './dist-server/server.mjs'
globalThis.collect = async () =>
  Object.fromEntries(await Promise.all(${JSON.stringify(LANGUAGES)}.map(async (language) => [language, await render(language)])))
`

interface Example {
  readonly name: string
  readonly server?: string
  /** The app's own translation runtime, where there is no library. */
  readonly runtime?: string
  /** How the library writes a number into a plural form. */
  readonly number?: (language: string) => (count: number) => string
}

const examples: readonly Example[] = [
  { name: 'react-i18next', server: 'src/server.tsx' },
  { name: 'vue-i18n', server: 'src/server.ts' },
  {
    name: 'react-intl',
    server: 'src/server.tsx',
    number: (language) => (count) => new Intl.NumberFormat(language).format(count),
  },
  { name: 'svelte', runtime: 'src/texts*' },
  { name: 'plain', runtime: 'src/texts*' },
]
/** Plural forms of Arabic. */
const COUNTS = repeats([2, 3], [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
const LAST = COUNTS.at(-1) as number
const LITERALS = { onUnknown: 'literals', perChunk: true }
/** In development with a library, built without one. */
const SAMPLE = ['react-i18next in development', 'plain pruned']

const isRun = (example: string, kind: string) => isSampled(`${example} ${kind}`, SAMPLE)
const KINDS = ['in development', 'built', 'pruned', 'on the server']
const run = examples.filter(({ name }) => KINDS.some((kind) => isRun(name, kind)))

describe.skipIf(noChromium).each(run)('$name', (example) => {
  const testSampled = (kind: string) => (isRun(example.name, kind) ? test : () => {})
  const { name, server: serverEntry, runtime, number = () => String } = example
  const expected = (language: string, state: { name?: string; count?: number; open?: boolean } = {}) =>
    expectedTexts(language, { ...state, number: number(language) })

  testSampled('in development')(
    'in development: every language, each fetched when chosen; edits shown in place, state kept',
    async () => {
      const root = await installExample(name)
      const server = await startVite({ root })
      const watched = await openExample(server.resolvedUrls?.local[0] as string)
      const { page } = watched
      await shows(page, await expected('en'))
      expect(fetchedTexts(watched)).toEqual(['en.common'])

      await page.fill('input', 'Karl')
      for (const language of LANGUAGES.slice(1)) {
        await choose(page, language)
        await shows(page, await expected(language, { name: 'Karl' }))
      }
      expect(fetchedTexts(watched)).toEqual(LANGUAGES.map((language) => `${language}.common`).sort())
      for (const count of COUNTS) {
        await page.click('.more')
        await shows(page, await expected('ar', { name: 'Karl', count }))
      }
      await choose(page, 'pl')
      await shows(page, await expected('pl', { name: 'Karl', count: LAST }))

      await page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
      await page.click('.tea')
      const state = { name: 'Karl', count: LAST, open: true }
      await shows(page, await expected('pl', state))
      expect(fetchedTexts(watched).filter((id) => id.endsWith('.details'))).toEqual(['pl.details'])

      await watches(server, join(root, 'locales/pl/common.json'))
      for (const title of ['Najpierw to.', 'Potem tamto.']) {
        await edit(root, 'pl/common', (texts) => ({ ...texts, title }))
        await shows(page, { ...(await expected('pl', state)), h1: title })
      }
      await edit(root, 'pl/common', (texts) => ({ ...texts, greeting: { named: 'Cześć' } }))
      await edit(root, 'pl/details', () => ({ note: 'Inna nuta.' }))
      await shows(page, {
        ...(await expected('pl', state)),
        h1: 'Potem tamto.',
        '.greeting': 'Cześć',
        '.note': 'Inna nuta.',
      })
      // A text that is gone is the default language's again.
      await edit(root, 'pl/common', ({ title: _, ...texts }) => texts)
      await shows(page, { h1: (await expected('en')).h1, '.note': 'Inna nuta.' })
      // Another language's texts change while it is not shown.
      await edit(root, 'de/common', (texts) => ({ ...texts, title: 'Später.' }))
      await choose(page, 'de')
      await shows(page, { ...(await expected('de', state)), h1: 'Später.' })

      expect(await page.evaluate('globalThis.planted')).toBe('token')
      expect(watched.problems).toEqual([])
      await watched.close()
    },
  )

  testSampled('built')('built with Vite: a language switch fetches one chunk for each namespace in use', async () => {
    const root = await installExample(name)
    await build({ root, logLevel: 'silent' })
    const server = await serveFolder(join(root, 'dist'))
    onTestFinished(() => server.close())
    const watched = await openExample(`${server.origin}/`)
    const { page } = watched
    await shows(page, await expected('en'))
    const fetchedBy = async (act: () => Promise<void>, after: Shown) => {
      const before = watched.requests.length
      await act()
      await shows(page, after)
      await page.waitForLoadState('networkidle')
      return watched.requests.slice(before).length
    }
    expect(await fetchedBy(() => choose(page, 'de'), await expected('de'))).toBe(1)
    expect(await fetchedBy(() => page.click('.tea'), await expected('de', { open: true }))).toBe(1)
    for (const language of ['pl', 'ja', 'ar'])
      expect(await fetchedBy(() => choose(page, language), await expected(language, { open: true }))).toBe(2)
    expect(await fetchedBy(() => choose(page, 'de'), await expected('de', { open: true }))).toBe(0)
    expect(await page.getAttribute('main', 'dir')).toBe('ltr')
    expect(watched.problems).toEqual([])
    await watched.close()
  })

  for (const prune of repeats<readonly object[]>([LITERALS], [LITERALS, {}])) {
    const title = `built with Vite and pruned (${JSON.stringify(prune)}): the same page, without unused texts`
    testSampled('pruned')(title, async () => {
      const root = await installExample(name)
      for (const language of LANGUAGES) {
        await edit(root, `${language}/common`, (texts) => ({ ...texts, leftover: { old: 'asked for by nobody' } }))
        await writeTree(root, { [`locales/${language}/retired.json`]: { heading: 'asked for by nobody' } })
      }
      await writeTree(root, {
        'localization.config.json': { prune: { ...prune, ...(runtime && { ignoreIn: [runtime] }) }, report: 'json' },
      })
      await build({ root, logLevel: 'silent' })
      const report = JSON.parse(await readFile(join(root, '.localization/report.json'), 'utf8'))
      expect(report.unknownCalls.filter(({ isIgnored }: { isIgnored: boolean }) => !isIgnored)).toEqual([])
      expect(report.bytes).toBeLessThan(report.bytesUnpruned)
      const folder = join(root, 'dist/assets/localization')
      for (const file of await readdir(folder, { recursive: true })) {
        expect(file).not.toContain('retired')
        if (file.endsWith('.js')) expect(await readFile(join(folder, file), 'utf8')).not.toContain('nobody')
      }

      const server = await serveFolder(join(root, 'dist'))
      onTestFinished(() => server.close())
      const watched = await openExample(`${server.origin}/`)
      const { page } = watched
      await page.click('.tea')
      await page.fill('input', 'Karl')
      for (const language of LANGUAGES) {
        await choose(page, language)
        await shows(page, await expected(language, { name: 'Karl', open: true }))
      }
      for (const count of COUNTS) {
        await page.click('.more')
        await shows(page, await expected('ar', { name: 'Karl', count, open: true }))
      }
      expect(watched.problems).toEqual([])
      await watched.close()
    })
  }

  // Two of the examples are for the browser alone.
  if (serverEntry === undefined) return
  testSampled('on the server')(
    'on the server: in development after an edit, and built, every language, then hydrated',
    async () => {
      const root = await installExample(name)
      const server = await startVite({ root })
      const renderInDev = async (language: string) => {
        const { render } = await server.ssrLoadModule(`/${serverEntry}`)
        return (await render(language)) as string
      }
      for (const language of LANGUAGES) expect(await renderInDev(language)).toContain((await expected(language)).h1)
      await watches(server, join(root, 'locales/ja/common.json'))
      await edit(root, 'ja/common', (texts) => ({ ...texts, title: '新しい見出し' }))
      await expect.poll(() => renderInDev('ja')).toContain('新しい見出し')

      await build({ root, logLevel: 'silent' })
      await build({ root, logLevel: 'silent', build: { ssr: serverEntry, outDir: 'dist-server' } })
      await writeTree(root, { 'render.mjs': RENDER })
      const rendered = await runEntry<Record<string, string>>(join(root, 'render.mjs'))
      const page = await readFile(join(root, 'dist/index.html'), 'utf8')
      const files = LANGUAGES.map((language) => {
        const body = page
          .replace('lang="en"', `lang="${language}"`)
          .replace('<div id="app">', `<div id="app">${rendered[language]}`)
        return [`${language}/index.html`, body] as const
      })
      await writeTree(join(root, 'dist'), Object.fromEntries(files))
      const built = await serveFolder(join(root, 'dist'))
      onTestFinished(() => built.close())
      for (const language of repeats<readonly string[]>(['ja', 'ar'], LANGUAGES)) {
        const title = language === 'ja' ? { h1: '新しい見出し' } : {}
        const address = `${built.origin}/${language}/`
        expect(await (await fetch(address)).text()).toContain(title.h1 ?? (await expected(language)).h1)
        const watched = await openExample(address)
        await expect.poll(() => hydrated(watched.page)).toBe(true)
        await watched.page.click('.more')
        await shows(watched.page, { ...(await expected(language, { count: 2 })), ...title })
        expect(watched.problems).toEqual([])
        await watched.close()
      }
    },
  )
})

async function openExample(address: string): Promise<WatchedPage> {
  const watched = await visit(address)
  await watched.page.waitForSelector('h1')
  return watched
}

/** Whether a library has taken the server's markup over. */
function hydrated(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    `Object.keys(document.getElementById('app')).some((key) => /^(?:__reactContainer|__vue_app__)/.test(key))`,
  )
}

/** `language.namespace` of what the page has asked a dev server for. */
function fetchedTexts({ requests }: WatchedPage): string[] {
  const found = requests.flatMap((address) => /localization\/namespace\/([\w.-]+)\.js/.exec(address)?.[1] ?? [])
  return [...new Set(found)].sort()
}

function choose(page: Page, language: string): Promise<void> {
  return page.click(`nav [lang="${language}"]`)
}

async function shows(page: Page, expected: Partial<Shown>): Promise<void> {
  const selectors = JSON.stringify(Object.keys(expected))
  const texts = `${selectors}.map((name) => document.querySelector(name)?.textContent?.trim() ?? '')`
  const isShown = `JSON.stringify(${texts}) === ${JSON.stringify(JSON.stringify(Object.values(expected)))}`
  await page.waitForFunction(isShown, undefined, { polling: 20, timeout: 60_000 }).catch(() => {})
  expect(await page.evaluate(`Object.fromEntries(${texts}.map((text, i) => [${selectors}[i], text]))`)).toEqual(
    expected,
  )
}

async function edit(root: string, name: string, change: (texts: Record<string, unknown>) => object): Promise<void> {
  const path = join(root, `locales/${name}.json`)
  await writeFile(path, `${JSON.stringify(change(JSON.parse(await readFile(path, 'utf8'))), null, 2)}\n`)
}
