/** Plugins that compress the output: the page runs from the compressed copies alone, those of the texts included. */
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { covers, importPackage, noPackages } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  PLACES,
  pageProject,
  showsBothLanguages,
} from '../helpers/compatibility-page.ts'

describe.skipIf(noChromium || noPackages).each(['vite', 'vite7'] as const)('vite-plugin-compression2, %s', (name) => {
  covers({ tool: 'vite-plugin-compression2', setting: 'gzip', bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const { compression } = await importPackage<{ compression(options: object): unknown }>('vite-plugin-compression2')
    const root = await pageProject(place)
    const options = { algorithms: ['gzip'], threshold: 0, skipIfLargerOrEqual: false, logLevel: 'silent' }
    await buildVitePage(name, { root, place }, { plugins: [compression(options)] })
    await runsCompressed(join(root, 'dist'))
  })
})

describe.skipIf(noChromium || noPackages).each(['webpack', '@rspack/core'] as const)(
  'compression-webpack-plugin, %s',
  (name) => {
    covers({ tool: 'compression-webpack-plugin', setting: 'gzip', bundlers: [name] })

    test.each(PLACES)('%s', async (place) => {
      const { default: CompressionPlugin } = await importPackage<{ default: new (options: object) => unknown }>(
        'compression-webpack-plugin',
      )
      const root = await pageProject(place)
      const options = { algorithm: 'gzip', threshold: 0, minRatio: Number.POSITIVE_INFINITY }
      await buildWebpackPage(name, { root, place }, { plugins: [new CompressionPlugin(options)] })
      await runsCompressed(join(root, 'dist'))
    })
  },
)

/** Puts each compressed copy in the place of its original, so that what has none is missing. */
async function runsCompressed(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && path.endsWith('.gz')) await rename(path, path.slice(0, -3))
  }
  const server = await serveFolder(folder, { 'Content-Encoding': 'gzip' })
  onTestFinished(() => server.close())
  const watched = await visit(`${server.origin}/`)
  await showsBothLanguages(watched)
  await watched.close()
}
