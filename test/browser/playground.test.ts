import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { noChromium, type StaticServer, serveFolder, visit } from '../helpers/browser.ts'
import {
  closeBasket,
  compareTexts,
  expectedSize,
  installPlayground,
  LANGUAGES,
  moduleSizes,
  NAMESPACES,
  openBasket,
  PLAYGROUND,
  readTexts,
  scriptsOf,
  shownLanguage,
  switchTo,
  type Texts,
} from '../helpers/playground.ts'
import { repeats } from '../helpers/repeats.ts'
import { writeTree } from '../helpers/temp.ts'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
let texts: Texts

beforeAll(async () => {
  if (noChromium) return
  texts = await readTexts()
})

describe.skipIf(noChromium).each(['vite', 'webpack', 'esbuild'])('the playground, built by %s', (bundler) => {
  let server: StaticServer

  beforeAll(async () => {
    await buildPage(PLAYGROUND, bundler)
    server = await serveFolder(join(PLAYGROUND, `dist-${bundler}`))
  })
  afterAll(() => server?.close())

  const open = async (language = 'en') => {
    const watched = await visit(`${server.origin}/?language=${language}`)
    await shownLanguage(watched.page, language)
    return watched
  }

  it.each(['light', 'dark'] as const)(
    'axe finds nothing, %s, in a language of either direction',
    async (colorScheme) => {
      for (const language of ['en', 'de', 'ar']) {
        const watched = await visit(`${server.origin}/?language=${language}`, { colorScheme, bypassCSP: true })
        await shownLanguage(watched.page, language)
        await watched.page.evaluate(await readFile(axeFile, 'utf8'))
        const { violations } = await watched.page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          'axe.run(document, { resultTypes: ["violations"] })',
        )
        expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${language} ${id}: ${html}`))).toEqual([])
        await watched.close()
      }
    },
  )

  it('shows the texts of every language and fetches one more chunk for each namespace in use', async () => {
    const watched = await open()
    const { page } = watched
    expect(await compareTexts(page, texts, 'en')).toBe(19)
    expect(await moduleSizes(page)).toEqual({
      'virtual:translations/en/common': String(expectedSize(texts, 'en', 'common')),
      'virtual:translations/en/shop': String(expectedSize(texts, 'en', 'shop')),
    })

    for (const language of LANGUAGES.slice(1)) {
      expect(new Set(await scriptsOf(watched, () => switchTo(page, language))).size).toBe(2)
      expect(await compareTexts(page, texts, language)).toBe(19)
      expect(await page.getAttribute('html', 'dir')).toBe(language === 'ar' ? 'rtl' : 'ltr')
      expect(await page.title()).toBe(texts.get(`${language}/common`)?.get('title'))
    }
    expect(await scriptsOf(watched, () => switchTo(page, 'en'))).toEqual([])
    expect(watched.problems).toEqual([])
    await watched.close()
  })

  it('fetches the lazy namespace when its panel opens, once', async () => {
    const watched = await open('de')
    const { page } = watched
    expect(await scriptsOf(watched, () => openBasket(page))).toHaveLength(1)
    expect(await compareTexts(page, texts, 'de')).toBe(22)
    await closeBasket(page)
    expect(await scriptsOf(watched, () => openBasket(page))).toEqual([])
    await closeBasket(page)

    for (const language of LANGUAGES.filter((key) => key !== 'de')) {
      expect(await scriptsOf(watched, () => switchTo(page, language))).toHaveLength(3)
      expect(await compareTexts(page, texts, language)).toBe(22)
    }
    const sizes = LANGUAGES.flatMap((language) =>
      NAMESPACES.map((name) => [
        `virtual:translations/${language}/${name}`,
        String(expectedSize(texts, language, name)),
      ]),
    )
    expect(await moduleSizes(page)).toEqual(Object.fromEntries(sizes))
    expect(watched.problems).toEqual([])
    await watched.close()
  })

  it('stays as it is, and says so, when texts cannot be fetched', async () => {
    const watched = await open('de')
    const { page } = watched
    // With the query of the second attempt.
    const scripts = /\.js(\?|$)/
    await page.route(scripts, (route) => route.abort())
    await page.getByText('polski', { exact: true }).click()
    await page.locator('[role="alert"]', { hasText: texts.get('de/common')?.get('loadFailed') ?? 'none' }).waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    expect(await page.inputValue('input[name="language"]:checked')).toBe('de')
    expect(await compareTexts(page, texts, 'de')).toBe(19)
    await page.unroute(scripts)
    await switchTo(page, 'ja')
    expect(await page.locator('[role="alert"]').textContent()).toBe('')
    expect(await compareTexts(page, texts, 'ja')).toBe(19)
    await watched.close()
  })

  // What the page does by itself: not with each bundler.
  if (repeats(bundler !== 'vite', false)) return
  it('keeps what the visitor did, counts in the language shown, and falls back', async () => {
    const watched = await open('pl')
    const { page } = watched
    const count = page.locator('.open-basket .count')
    await page.fill('input[name="name"]', 'Zofia')
    const seen = [await count.textContent()]
    for (let bags = 1; bags <= 5; bags++) {
      await page.locator('[data-tea="mint"] .add').click()
      seen.push(await count.textContent())
    }
    expect(seen).toEqual(['0 torebek', '1 torebka', '2 torebki', '3 torebki', '4 torebki', '5 torebek'])
    expect(texts.get('pl/shop')?.has('announcement')).toBe(false)
    expect(await page.locator('.announcement').textContent()).toBe(texts.get('en/shop')?.get('announcement'))

    await switchTo(page, 'ar')
    expect(await count.textContent()).toBe('5 أكياس')
    expect(await page.locator('.greeting').textContent()).toBe('أهلًا وسهلًا، Zofia')
    expect(await page.inputValue('input[name="name"]')).toBe('Zofia')
    const edge = async (selector: string) => (await page.locator(selector).boundingBox())?.x
    expect(await edge('.brand')).toBeGreaterThan((await edge('.open-basket')) ?? Number.NaN)

    await switchTo(page, 'de')
    await openBasket(page)
    expect((await page.locator('dd.total').textContent())?.replace(/\s/g, ' ')).toBe('31,90 €')
    await page.locator('dialog .primary:visible').click()
    expect(await page.locator('dialog .message:visible h3').textContent()).toBe('Vielen Dank, Zofia!')
    expect(watched.problems).toEqual([])
    await watched.close()
  })

  it('works by keyboard', async () => {
    const watched = await open()
    const { page } = watched
    await page.locator('input[name="language"]:checked').focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector('html:not([lang="en"])', { state: 'attached' })
    await page.locator('.open-basket').focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog[open]')
    await closeBasket(page)
    expect(await page.locator(':focus').getAttribute('class')).toBe('open-basket')
    expect(watched.problems).toEqual([])
    await watched.close()
  })
})

/** `texts.ts` is the playground's own runtime. */
const PRUNE = { onUnknown: 'literals', perChunk: true, ignoreIn: ['src/texts.ts'] }
const RETIRED = { retired: 'asked for by nobody' }

describe.skipIf(noChromium)('the playground, pruned with literals and by chunk', () => {
  it.each(repeats(['vite'], ['vite', 'webpack', 'esbuild']))('built by %s: every text is the same', async (bundler) => {
    const root = await installPlayground({ prune: PRUNE })
    for (const language of LANGUAGES) {
      const common = Object.fromEntries(texts.get(`${language}/common`) ?? [])
      await writeTree(root, { [`locales/${language}/common.json`]: { ...common, ...RETIRED } })
    }
    await buildPage(root, bundler)
    const built = await serveFolder(join(root, `dist-${bundler}`))
    onTestFinished(() => built.close())
    for (const language of LANGUAGES) {
      const watched = await visit(`${built.origin}/?language=${language}`)
      await shownLanguage(watched.page, language)
      expect(await compareTexts(watched.page, texts, language)).toBe(19)
      await openBasket(watched.page)
      expect(await compareTexts(watched.page, texts, language)).toBe(22)
      expect((await watched.bodies()).join('')).not.toContain(RETIRED.retired)
      expect(watched.problems).toEqual([])
      await watched.close()
    }
  })
})

async function buildPage(playground: string, bundler: string): Promise<void> {
  const { LOCALIZATION_API_KEY: _key, LOCALIZATION_BASE_URL: _address, ...env } = process.env
  await promisify(execFile)(process.execPath, [join(playground, 'build.mjs'), bundler], { cwd: tmpdir(), env })
}
