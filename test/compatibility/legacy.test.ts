/** `@vitejs/plugin-legacy`: a page for browsers without modules, and the modern one beside it. */
import { readdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin, repository } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { npmInstall } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const MAIN = `
import { load } from 'virtual:translations'
let messages = {}
const t = (key) => messages[key]
async function show() {
  const texts = []
  for (const language of ['en', 'de']) {
    messages = await load(language, 'common')
    texts.push(t('title'))
  }
  const { lazy } = await import('./lazy.js')
  texts.push(lazy)
  document.body.dataset.shown = texts.join(', ')
}
show().catch((error) => { document.body.dataset.shown = error.message })
`
const FILES = {
  'main.js': MAIN,
  'lazy.js': "export const lazy = 'lazy'\n",
  'index.html': '<!doctype html><html lang="en"><body><script type="module" src="/main.js"></script></body></html>',
  'locales/en/common.json': { title: 'Title', unused: 'Not used' },
  'locales/de/common.json': { title: 'Titel', unused: 'Unbenutzt' },
}

/** The page as a browser sees it that knows no modules. */
const withoutModules = (html: string) =>
  html
    .replace(/<script type="module".*?<\/script>/gs, '')
    .replace(/<link rel="modulepreload".*?>/g, '')
    .replaceAll(' nomodule', '')

describe.skipIf(noChromium).each([
  ['vite', 8],
  ['vite7', 7],
] as const)('%s', (version, major) => {
  covers({
    tool: `@vitejs/plugin-legacy ${major}`,
    setting: 'both paths, `prune`, `preload`',
    bundlers: [version],
    limit: 'texts are modules in the output',
  })

  let folder = ''
  let legacy: (options: object) => unknown
  let build: typeof import('vite').build

  beforeAll(async () => {
    folder = await tempFolder()
    await writeTree(folder, { 'package.json': { private: true } })
    // Its peer is this repository's.
    await npmInstall(folder, '--legacy-peer-deps', `@vitejs/plugin-legacy@${major}`, 'terser@5')
    await symlink(join(repository, 'node_modules', version), join(folder, 'node_modules/vite'))
    const path = createRequire(join(folder, 'index.js')).resolve('@vitejs/plugin-legacy')
    const module = (await import(pathToFileURL(path).href)) as { default: typeof legacy }
    legacy = module.default
    build = ((await import(version)) as typeof import('vite')).build
  })

  async function buildPage(options: PluginOptions, legacyOptions: object = {}): Promise<string> {
    const root = await tempFolder()
    await writeTree(root, FILES)
    const plugins = [
      await builtPlugin('vite', { configFile: false, ...options }),
      legacy({ targets: ['chrome 58'], ...legacyOptions }),
    ]
    await build({ root, configFile: false, logLevel: 'silent', plugins: plugins as never })
    const dist = join(root, 'dist')
    await writeTree(dist, { 'old.html': withoutModules(await readFile(join(dist, 'index.html'), 'utf8')) })
    return dist
  }

  async function shows(dist: string, page: string) {
    const server = await serveFolder(dist)
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}/${page}`)
    await expect.poll(() => watched.page.evaluate('document.body.dataset.shown')).toBe('Title, Titel, lazy')
    await watched.close()
    return { bodies: await watched.bodies(), requests: watched.requests }
  }

  test('pruned texts, on the legacy path and on the modern one', async () => {
    const dist = await buildPage({ prune: { onUnknown: 'ignore' } })
    const isLegacy = (address: string) => address.includes('-legacy-')
    const old = await shows(dist, 'old.html')
    expect(old.requests.filter(isLegacy)).not.toEqual([])
    const modern = await shows(dist, '')
    expect(modern.requests.filter(isLegacy)).toEqual([])
    for (const body of [...old.bodies, ...modern.bodies]) expect(body).not.toContain('Unbenutzt')
    // What such browsers do not know would end a whole file, not only the call.
    const names = (await readdir(join(dist, 'assets'))).filter((name) => /-legacy-.*\.js$/.test(name))
    for (const name of names) {
      const code = await readFile(join(dist, 'assets', name), 'utf8')
      expect([name, /(?<![.\w$])(?:import\s*\(|export\b)/.exec(code)?.[0]]).toEqual([name, undefined])
    }
  })

  test('a page with legacy chunks only', async () => {
    await shows(await buildPage({}, { renderModernChunks: false }), '')
  })

  test('without legacy chunks, texts are files', async () => {
    const dist = await buildPage({}, { renderLegacyChunks: false })
    const { requests } = await shows(dist, '')
    expect(requests.filter((address) => address.includes('/localization/'))).toHaveLength(2)
  })

  test('preload asks for the texts of the modern page', async () => {
    const dist = await buildPage({ preload: true })
    await shows(dist, 'old.html')
    const html = await readFile(join(dist, 'index.html'), 'utf8')
    expect(html).toMatch(/<link rel="modulepreload" crossorigin href="\/assets\/en\.common-(?!legacy)[^"]+\.js">/)
    expect((await shows(dist, '')).requests.filter((address) => address.includes('en.common'))).toHaveLength(1)
  })
})
