/**
 * `prune.perChunk` in a page of two routes: each fetches its texts, in the language that is shown, through every glue.
 */
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { installPackage } from '../helpers/consumer.ts'
import { buildLikeWebpack, buildWithRsbuild, buildWithVite, type PageBuild } from '../helpers/page-builds.ts'
import { isSampled, repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const LANGUAGES = { en: 'English', de: 'Deutsch', pl: 'Polski' }

/** One app on four runtimes: i18next, react-intl, vue-i18n and none. */
const MAIN = `
import i18next from 'i18next'
import { createIntl } from 'react-intl'
import { createIntlStore } from 'unplugin-localization/react-intl'
import { createBackend } from 'unplugin-localization/i18next'
import { createLanguageLoader } from 'unplugin-localization/vue-i18n'
import * as translations from 'virtual:translations'
import { createI18n } from 'vue-i18n'

const vue = createI18n({ legacy: false, locale: 'en', messages: {} })
const loader = createLanguageLoader(vue, translations, { namespaces: ['common'] })
const store = createIntlStore(translations, { namespaces: ['common'] })
const routes = { home: () => import('./pages/home.js'), shop: () => import('./pages/shop.js') }
let route
const show = () => {
  const intl = createIntl(store.getSnapshot())
  document.body.dataset.texts = JSON.stringify([i18next.t('title'), ...(route?.texts({ i18n: i18next, intl, vue: vue.global }) ?? [])])
}
globalThis.use = async (language) => {
  await Promise.all([i18next.changeLanguage(language), store.setLanguage(language), loader.setLanguage(language)])
  show()
}
globalThis.go = async (name) => {
  route = await routes[name]()
  show()
}
i18next.use(createBackend(translations))
i18next.init({ lng: 'en', fallbackLng: false, ns: ['common'], defaultNS: 'common' }).then(() => globalThis.use('en'))
`
const page = (name: string) => `
import i18next from 'i18next'
export const heading = i18next.t('${name}')
export const texts = ({ i18n, intl, vue }) => [heading, i18n.t('${name}'), intl.formatMessage({ id: 'common.${name}' }), vue.t('common.${name}')]
`
const html = (script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body>${script}</body></html>\n`

const FILES = {
  'package.json': { type: 'module' },
  'main.js': MAIN,
  'pages/home.js': page('home'),
  'pages/shop.js': page('shop'),
  'index.html': html('<script type="module" src="/main.js"></script>'),
  ...Object.fromEntries(
    Object.entries(LANGUAGES).map(([language, name]) => [
      `locales/${language}/common.json`,
      { title: `${name} title`, home: `${name} home`, shop: `${name} shop`, unused: `${name} unused` },
    ]),
  ),
}
const OPTIONS = {
  configFile: false,
  defaultLanguage: 'en',
  defaultNamespace: 'common',
  prune: { perChunk: true },
} as const

const LIVE = { ...OPTIONS, delivery: 'live' } as const
const allBuilds: readonly (readonly [string, PageBuild])[] = [
  ['vite', buildWithVite('vite', OPTIONS)],
  ['vite7', buildWithVite('vite7', OPTIONS)],
  ['webpack', buildLikeWebpack('webpack', OPTIONS, html)],
  ['rspack', buildLikeWebpack('@rspack/core', OPTIONS, html)],
  ['rsbuild', buildWithRsbuild(OPTIONS, html)],
  ['vite, live', buildWithVite('vite', LIVE)],
  ['webpack, live', buildLikeWebpack('webpack', LIVE, html)],
]
/** `prebuilt-addresses.test.ts` has chunks that bring texts in pages of the other kinds of bundlers. */
const builds = allBuilds.filter(([name]) => isSampled(name, ['vite', 'vite, live']))

const BASES = ['/', './', '/deep/app/']

describe.skipIf(noChromium).each(builds)('%s', (name, build) => {
  // Each base with a bundler, and each bundler with a base.
  const base = BASES[(1 + builds.findIndex(([other]) => other === name)) % BASES.length] as string

  test.each(repeats([base], BASES))('base %s: two routes, back and forth, in every language', async (base) => {
    const root = await tempFolder()
    await installPackage(root)
    await writeTree(root, FILES)
    await build(root, base)
    await mkdir(join(root, 'www/deep'), { recursive: true })
    await rename(join(root, 'dist'), join(root, base === '/' ? 'www/all' : 'www/deep/app'))
    const server = await serveFolder(join(root, base === '/' ? 'www/all' : 'www'))
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}${base === '/' ? '/' : '/deep/app/'}`)
    const { page } = watched
    const shown = () => page.evaluate('JSON.parse(document.body.dataset.texts ?? null)')
    const all = (language: keyof typeof LANGUAGES, route?: string) => {
      const name = LANGUAGES[language]
      return [`${name} title`, ...(route ? Array.from({ length: 3 }, () => `${name} ${route}`) : [])]
    }
    let seen = 0
    const fetched = () => {
      const texts = watched.requests.filter((request) => /\/localization\/.*\.js$/.test(request))
      const fresh = texts.slice(seen).map((request) => request.replace(/^.*localization\/(.*)\.[0-9a-f]{8}\.js$/, '$1'))
      seen = texts.length
      return fresh.sort()
    }
    const heading = async () => ((await shown()) as string[])[1]
    const texts = async () => ((await shown()) as string[]).filter((_, i) => i !== 1)

    await expect.poll(shown).toEqual(all('en'))
    expect(fetched()).toEqual(['en/common'])
    await page.evaluate("go('home')")
    // Read while the module was evaluated.
    expect(await heading()).toBe('English home')
    expect(await texts()).toEqual(all('en', 'home'))
    expect(fetched()).toEqual(['en/common.chunk'])
    await page.evaluate("go('shop')")
    expect(await heading()).toBe('English shop')
    expect(await texts()).toEqual(all('en', 'shop'))
    expect(fetched()).toEqual(['en/common.chunk'])
    for (const language of ['de', 'pl', 'en'] as const) {
      await page.evaluate(`use('${language}')`)
      expect(await texts()).toEqual(all(language, 'shop'))
      expect(fetched()).toEqual(
        language === 'en' ? [] : [`${language}/common`, `${language}/common.chunk`, `${language}/common.chunk`],
      )
    }
    for (const route of ['home', 'shop', 'home']) {
      await page.evaluate(`go('${route}')`)
      expect(await texts()).toEqual(all('en', route))
    }
    expect(fetched()).toEqual([])
    const bodies = await Promise.all(
      watched.requests
        .filter((request) => /\/localization\/.*\.js$/.test(request))
        .map(async (at) => (await fetch(at)).text()),
    )
    expect(bodies.filter((body) => body.includes('unused'))).toEqual([])
    expect(watched.problems).toEqual([])
    await watched.close()
  })
})
