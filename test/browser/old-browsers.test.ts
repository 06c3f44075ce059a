/** Outputs of webpack, Rspack and Rsbuild for old browsers: every file is of the edition that the target says. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin, isTested, runRsbuild, runWebpack } from '../helpers/bundlers.ts'
import { assertEdition } from '../helpers/syntax.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const MAIN = `
import { languages, load, loadLanguage } from 'virtual:translations'
import whole from 'virtual:translations/de'
import direct from 'virtual:translations/de/common'
Promise.all([load('de', 'common'), loadLanguage('en')]).then(function (loaded) {
  var texts = [languages.length, loaded[0].title, loaded[1].cart.title, whole.cart.title, direct.title]
  document.body.dataset.texts = texts.join()
})
`
const FILES = {
  'main.js': MAIN,
  'locales/en/common.json': { title: 'Title' },
  'locales/de/common.json': { title: 'Titel' },
  'locales/en/cart.json': { title: 'Cart' },
}
const PAGE = '<!doctype html><html><head><link rel="icon" href="data:,"></head><body>'

const likeWebpack =
  (name: 'webpack' | '@rspack/core', target: string | string[], mode = 'production') =>
  async (root: string, options: PluginOptions) => {
    await runWebpack(name, {
      context: root,
      mode,
      devtool: false,
      target,
      entry: join(root, 'main.js'),
      output: { path: join(root, 'dist'), publicPath: 'auto' },
      plugins: [await builtPlugin(name === 'webpack' ? 'webpack' : 'rspack', options)],
    })
    await writeTree(root, { 'dist/index.html': `${PAGE}<script src="main.js"></script></body></html>` })
  }

const rsbuild = (browsers: string[]) => async (root: string, options: PluginOptions) => {
  await writeTree(root, { 'template.html': `${PAGE}</body></html>` })
  await runRsbuild(root, {
    source: { entry: { index: './main.js' } },
    html: { template: './template.html' },
    output: { assetPrefix: 'auto', overrideBrowserslist: browsers },
    plugins: [(await builtPlugin('rsbuild', options)) as never],
  })
}

const builds = [
  ['webpack', 'es5', 5, likeWebpack('webpack', ['web', 'es5'])],
  ['webpack', 'es5, not minified', 5, likeWebpack('webpack', ['web', 'es5'], 'none')],
  ['webpack', 'a browserslist', 5, likeWebpack('webpack', 'browserslist:ie 11')],
  ['webpack', 'es2017', 2017, likeWebpack('webpack', ['web', 'es2017'])],
  ['rspack', 'es5', 5, likeWebpack('@rspack/core', ['web', 'es5'])],
  ['rspack', 'es5, not minified', 5, likeWebpack('@rspack/core', ['web', 'es5'], 'none')],
  ['rspack', 'a browserslist', 5, likeWebpack('@rspack/core', 'browserslist:ie 11')],
  ['rspack', 'es2017', 2017, likeWebpack('@rspack/core', ['web', 'es2017'])],
  ['rsbuild', 'a browserslist', 5, rsbuild(['ie 11'])],
] as const

describe.skipIf(noChromium).each(builds.filter(([name]) => isTested(name)))(
  '%s, %s',
  (_name, _target, edition, build) => {
    test.each([false, true])(
      'prune %s: every script is of the edition, and the page shows its texts',
      async (prune) => {
        const root = await tempFolder()
        await writeTree(root, FILES)
        await build(root, { configFile: false, defaultLanguage: 'en', prune: prune && { onUnknown: 'ignore' } })
        const dist = join(root, 'dist')
        const names = (await readdir(dist, { recursive: true })).filter((name) => /\.m?js$/.test(name))
        expect(names.length).toBeGreaterThan(1)
        for (const name of names) {
          const code = await readFile(join(dist, name), 'utf8')
          assertEdition(code, edition, name)
        }
        const server = await serveFolder(dist)
        const { page, problems } = await visit(`${server.origin}/`)
        await expect.poll(() => page.evaluate('document.body.dataset.texts')).toBe('2,Titel,Cart,Cart,Titel')
        expect(problems).toEqual([])
        await server.close()
      },
    )
  },
)
