/** Two pages of one build, written by a server from the bundler's manifest. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { covers, importPackage, noPackages } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  htmlPage,
  MAIN,
  type Place,
  pageProject,
  showsBothLanguages,
} from '../helpers/compatibility-page.ts'
import { writeTree } from '../helpers/temp.ts'

const PLACES = ['control', 'first'] as const
const LIMIT = 'the manifest does not say which entry fetches the files'

async function twoPages(place: Place): Promise<string> {
  const script = '<script type="module" src="/other.js"></script>'
  return pageProject(place, { 'other.js': `${MAIN}globalThis.other = true\n`, 'other/index.html': htmlPage(script) })
}

describe.skipIf(noChromium).each(['vite', 'vite7'] as const)('%s', (name) => {
  covers({ tool: 'two pages', setting: '`build.manifest`', bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const root = await twoPages(place)
    const input = [join(root, 'index.html'), join(root, 'other/index.html')]
    await buildVitePage(name, { root, place }, { build: { manifest: true, rollupOptions: { input } } })
    await runs(root, ['/', '/other/'])

    const text = await readFile(join(root, 'dist/.vite/manifest.json'), 'utf8')
    const manifest = JSON.parse(text) as Record<string, { readonly file: string }>
    const ours = Object.values(manifest).filter(({ file }) => file.includes('/localization/'))
    expect(ours).toHaveLength(place === 'control' ? 0 : 2)
    for (const page of ['index.html', 'other/index.html']) {
      const script = `<script type="module" src="/${manifest[page]?.file}"></script>`
      await writeTree(root, { [`dist/served/${page}`]: htmlPage(script) })
    }
    await runs(root, ['/served/', '/served/other/'])
  })
})

describe.skipIf(noChromium || noPackages).each(['webpack', '@rspack/core'] as const)('%s', (name) => {
  covers({ tool: 'webpack-manifest-plugin', setting: 'two pages', bundlers: [name], limit: LIMIT })

  test.each(PLACES)('%s', async (place) => {
    const { WebpackManifestPlugin } = await importPackage<{
      WebpackManifestPlugin: new (options: object) => unknown
    }>('webpack-manifest-plugin')
    const root = await twoPages(place)
    await buildWebpackPage(
      name,
      { root, place },
      {
        entry: { main: './main.js', other: './other.js' },
        output: { filename: '[name].[contenthash].js' },
        optimization: { runtimeChunk: 'single' },
        plugins: [new WebpackManifestPlugin({})],
      },
    )
    const manifest = JSON.parse(await readFile(join(root, 'dist/manifest.json'), 'utf8')) as Record<string, string>
    const ours = Object.values(manifest).filter((file) => file.includes('/localization/'))
    expect(ours).toHaveLength(place === 'control' ? 0 : 2)
    for (const page of ['main', 'other']) {
      const scripts = ['runtime.js', `${page}.js`].map((file) => `<script defer src="${manifest[file]}"></script>`)
      await writeTree(root, { [`dist/${page}/index.html`]: htmlPage(scripts.join('')) })
    }
    await runs(root, ['/main/', '/other/'])
  })
})

async function runs(root: string, [first = '', second = '']: readonly string[]): Promise<void> {
  const server = await serveFolder(join(root, 'dist'))
  onTestFinished(() => server.close())
  for (const [path, isOther] of [
    [first, undefined],
    [second, true],
  ] as const) {
    const watched = await visit(`${server.origin}${path}`)
    await showsBothLanguages(watched)
    expect(await watched.page.evaluate('globalThis.other')).toBe(isOther)
    await watched.close()
  }
}
