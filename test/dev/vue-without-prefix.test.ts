/** A Vue app with vue-i18n's usual files, one for each language, and keys without a namespace before them. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import vue from '@vitejs/plugin-vue'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { launchChromium, noChromium, openPage, type WatchedPage } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { installPackage } from '../helpers/consumer.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { save } from '../helpers/live-page.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = {
  configFile: false,
  files: ['locales/{language}.json', 'locales/{language}/{namespace}.json'],
  defaultLanguage: 'en',
  namespacePrefix: false,
  prune: true,
  types: { file: 'localization.d.ts', vueI18n: true },
}

const APP = {
  'package.json': { type: 'module' },
  'index.html': '<!doctype html><div id="app"></div><script type="module" src="/main.js"></script>',
  'main.js': `
import { createLanguageLoader } from 'unplugin-localization/vue-i18n'
import * as translations from 'virtual:translations'
import { createApp } from 'vue'
import { createI18n } from 'vue-i18n'
import App from './app.vue'

const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: false })
const loader = createLanguageLoader(i18n, translations)
await loader.setLanguage('en')
createApp(App).use(i18n).provide('loader', loader).mount('#app')
`,
  'app.vue': `<script setup>
import { inject } from 'vue'
import { useI18n } from 'vue-i18n'
const { t } = useI18n()
const loader = inject('loader')
</script>
<template>
  <p>{{ $t('title') }} | {{ t('menu.file', { name: 'Ada' }) }} | {{ t('default.title') }} | {{ $t('default.kept') }}</p>
  <button @click="loader.setLanguage('pl')">pl</button>
</template>
`,
  'locales/en.json': {
    title: 'Title',
    menu: { file: 'File of {name}' },
    default: { kept: 'Kept' },
    unused: 'Unused text',
  },
  'locales/pl.json': { title: 'Tytuł', menu: { file: 'Plik: {name}' } },
}

const EN = 'Title | File of Ada | default.title | Kept'

describe.skipIf(noChromium)('vue-i18n with namespacePrefix: false', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  async function settings() {
    const root = await tempFolder()
    await installPackage(root)
    await writeTree(root, APP)
    const plugins = [vue(), (await builtPlugin('vite', OPTIONS)) as never]
    const optimizeDeps = { include: ['vue', 'vue-i18n', 'unplugin-localization/vue-i18n'] }
    return { root, configFile: false, logLevel: 'silent', plugins, optimizeDeps } as const
  }

  const open = async (address: string) => {
    const watched = await openPage(browser, address)
    onTestFinished(() => watched.close())
    return watched
  }
  const shown = ({ page }: WatchedPage) => expect.poll(() => page.textContent('p'))

  test('built, with unused keys left out', async () => {
    const { build, preview } = await import('vite')
    const config = await settings()
    await build(config)
    const server = await preview({ ...config, plugins: [], preview: { host: '127.0.0.1', port: 0 } })
    onTestFinished(() => server.close())
    const watched = await open(server.resolvedUrls?.local[0] ?? '')
    await shown(watched).toBe(EN)
    await watched.page.click('button')
    await shown(watched).toBe('Tytuł | Plik: Ada | default.title | Kept')
    const files = await readdir(join(config.root, 'dist'), { recursive: true })
    const scripts = files.filter((file) => file.endsWith('.js'))
    const built = await Promise.all(scripts.map((file) => readFile(join(config.root, 'dist', file), 'utf8')))
    expect(built.join()).toContain('File of {name}')
    expect(built.join()).not.toContain('Unused text')
  })

  test('a build with two namespaces fails', async () => {
    const { build } = await import('vite')
    const config = await settings()
    await writeTree(config.root, { 'locales/en/shop.json': { cart: 'Cart' } })
    await expect(build(config)).rejects.toThrow('namespacePrefix is false, and there are 2 namespaces: default, shop')
  })

  test('in development: an edit reaches the page, and a second namespace is an error', async () => {
    const config = await settings()
    const server = await startVite({ ...config, cacheDir: join(config.root, '.vite') })
    const watched = await open(server.resolvedUrls?.local[0] ?? '')
    await watched.live()
    await shown(watched).toBe(EN)
    await watched.page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
    await save(join(config.root, 'locales/en.json'), { ...APP['locales/en.json'], title: 'Edited' })
    await shown(watched).toBe(EN.replace('Title', 'Edited'))
    expect(await watched.page.evaluate('globalThis.planted')).toBe('token')
    const types = await readFile(join(config.root, 'localization.vue-i18n.d.ts'), 'utf8')
    expect(types).toContain(
      "  export interface DefineLocaleMessage {\n    readonly 'default': {\n      readonly 'kept'",
    )
    const second = join(config.root, 'locales/en/shop.json')
    await save(second, { cart: 'Cart' })
    const overlay = () =>
      watched.page.evaluate('document.querySelector("[data-localization-error]")?.dataset.localizationError')
    await expect.poll(overlay).toContain('and there are 2 namespaces: default, shop. Choose one with')
    await rm(second)
    await expect.poll(overlay).toBe(undefined)
    await save(join(config.root, 'locales/en.json'), { ...APP['locales/en.json'], title: 'Edited again' })
    await shown(watched).toBe(EN.replace('Title', 'Edited again'))
    expect(await watched.page.evaluate('globalThis.planted')).toBe('token')
  })
})
