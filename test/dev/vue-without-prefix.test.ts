/** vue-i18n's usual files, one for each language, and keys without a namespace before them. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vue from '@vitejs/plugin-vue'
import type { RunnableDevEnvironment } from 'vite'
import { beforeAll, expect, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { installPackage } from '../helpers/consumer.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

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
  'app.js': `
import { createLanguageLoader } from 'unplugin-localization/vue-i18n'
import * as translations from 'virtual:translations'
import { createSSRApp } from 'vue'
import { createI18n } from 'vue-i18n'
import App from './app.vue'

const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: false, missingWarn: false })
export const loader = createLanguageLoader(i18n, translations)
await loader.setLanguage('en')
export const createApp = () => createSSRApp(App).use(i18n).provide('loader', loader)
`,
  'main.js': `import { createApp } from './app.js'\ncreateApp().mount('#app')\n`,
  'render.js': `
import { renderToString } from 'vue/server-renderer'
import { createApp, loader } from './app.js'
export const render = async (language) => {
  await loader.setLanguage(language)
  return (await renderToString(createApp())).replace(/<.*?>/g, '')
}
`,
  'app.vue': `<script setup>
import { useI18n } from 'vue-i18n'
const { t } = useI18n()
</script>
<template>
  <p>{{ $t('title') }} | {{ t('menu.file', { name: 'Ada' }) }} | {{ t('default.title') }} | {{ $t('default.kept') }}</p>
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
const PL = 'Tytuł | Plik: Ada | default.title | Kept'

let root: string
beforeAll(async () => {
  root = await tempFolder()
  await installPackage(root)
  await writeTree(root, APP)
})

async function settings() {
  const plugins = [vue(), (await builtPlugin('vite', OPTIONS)) as never]
  return { root, configFile: false, logLevel: 'silent', plugins } as const
}

type Render = (language: string) => Promise<string>

test('built, with unused keys left out', async () => {
  const { build } = await import('vite')
  await build({ ...(await settings()), build: { ssr: 'render.js' } })
  const { render } = (await import(pathToFileURL(join(root, 'dist/render.js')).href)) as { render: Render }
  expect(await render('en')).toBe(EN)
  expect(await render('pl')).toBe(PL)
  const files = await readdir(join(root, 'dist'), { recursive: true })
  const scripts = files.filter((file) => file.endsWith('.js'))
  const built = await Promise.all(scripts.map((file) => readFile(join(root, 'dist', file), 'utf8')))
  expect(built.join()).toContain('File of {name}')
  expect(built.join()).not.toContain('Unused text')
})

test('a build with two namespaces fails', async () => {
  const { build } = await import('vite')
  await writeTree(root, { 'locales/en/shop.json': { cart: 'Cart' } })
  const failure = 'the option "namespacePrefix" is false, but there are 2 namespaces: default, shop'
  await expect(build(await settings())).rejects.toThrow(failure)
  await rm(join(root, 'locales/en/shop.json'))
})

test('in development: an edit shows, and a second namespace is an error in the page', async () => {
  const cacheDir = join(root, '.vite')
  const server = await startVite({ ...(await settings()), cacheDir, optimizeDeps: { noDiscovery: true } })
  const { ssr, client } = server.environments
  const send = vi.spyOn(client.hot, 'send')
  const sent = () => JSON.stringify(send.mock.calls)
  const { render } = (await (ssr as RunnableDevEnvironment).runner.import('/render.js')) as { render: Render }
  expect(await render('pl')).toBe(PL)
  expect(await render('en')).toBe(EN)
  const english = join(root, 'locales/en.json')
  await watches(server, english)
  await save(english, { ...APP['locales/en.json'], title: 'Edited' })
  await expect.poll(() => render('en')).toBe(EN.replace('Title', 'Edited'))
  const types = await readFile(join(root, 'localization.vue-i18n.d.ts'), 'utf8')
  expect(types).toContain("  export interface DefineLocaleMessage {\n    readonly 'default': {\n      readonly 'kept'")
  const second = join(root, 'locales/en/shop.json')
  await save(second, { cart: 'Cart' })
  await expect.poll(sent).toContain('but there are 2 namespaces: default, shop. Choose one with')
  await rm(second)
  await expect.poll(sent).toContain('localization:mended')
  await save(english, { ...APP['locales/en.json'], title: 'Edited again' })
  await expect.poll(() => render('en')).toBe(EN.replace('Title', 'Edited again'))
})
