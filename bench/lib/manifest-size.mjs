/** How many bytes the loader is that finds the texts, by how many languages and namespaces there are. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipped, runBuild } from './build.mjs'
import { languageNames, messagesOf, namespaceNames, writeLocales } from './catalog.mjs'
import { printTable, ratio, whole } from './print.mjs'
import { removeFolder, tempFolder } from './processes.mjs'
import { visit } from './site.mjs'

/** Texts do not matter here: one key each. */
const SIZES = [
  { languages: 20, namespaces: 20, keys: 1 },
  { languages: 40, namespaces: 50, keys: 1 },
  { languages: 50, namespaces: 40, keys: 1 },
]
const SMOKE = [
  { languages: 3, namespaces: 3, keys: 1 },
  { languages: 12, namespaces: 12, keys: 1 },
]

/** One `import()` for each language and namespace. */
const IMPORTS = ({ languages, namespaces }) => {
  const pairs = languageNames(languages).flatMap((language) =>
    namespaceNames(namespaces).map((namespace) => `${language}/${namespace}`),
  )
  const lines = pairs.map((pair) => `${JSON.stringify(pair)}: () => import('./locales/${pair}.json'),`)
  return `const files = {\n${lines.join('\n')}\n}\nglobalThis.show = async (language, namespace) => (await files[\`\${language}/\${namespace}\`]()).default\n`
}
const OURS = () =>
  "import { load } from 'virtual:translations'\nglobalThis.show = (language, namespace) => load(language, namespace)\n"

export async function measureManifests({ browser, dist, bundlers, smoke }) {
  const rows = []
  // Rollup reads no JSON, and Farm's output is no module.
  for (const bundler of bundlers.filter((name) => name !== 'rollup' && name !== 'farm')) {
    for (const size of smoke ? SMOKE : SIZES) {
      const root = tempFolder()
      writeLocales(root, size)
      const ours = {
        from: join(dist, `${bundler}.js`),
        options: { root, configFile: false, source: 'files', report: false },
      }
      const variants = [
        [IMPORTS(size), []],
        [OURS(size), [ours]],
      ]
      const loaders = []
      for (const [main, plugins] of variants) {
        writeFileSync(join(root, 'main.js'), main)
        await runBuild({ bundler, root, outDir: 'out', plugins, runtimeChunk: 'no-such-module' })
        loaders.push(await loaderOf(browser, bundler, join(root, 'out'), size))
      }
      const [imports, own] = loaders
      rows.push([
        `${bundler}, ${size.languages} x ${size.namespaces}`,
        whole(imports.raw),
        whole(imports.gzip),
        whole(own.raw),
        whole(own.gzip),
        ratio(own.gzip, imports.gzip),
      ])
      removeFolder(root)
    }
  }
  printTable(
    'The loader: bytes that a page fetches before the texts of one language and namespace, without the runtime of webpack and Rspack',
    ['languages x namespaces', 'import() each', 'gzip', 'ours', 'gzip', 'ratio of gzip'],
    rows,
  )
}

/** Everything the page fetched but the last file, which holds the texts. */
async function loaderOf(browser, bundler, folder, size) {
  const language = languageNames(size.languages).at(-1)
  const namespace = namespaceNames(size.namespaces).at(-1)
  const expected = messagesOf(size, size.languages - 1, size.namespaces - 1)
  const { values, fetched } = await visit(browser, bundler, folder, [[language, namespace]])
  const [[key, text]] = Object.entries(values[0])
  if (text !== Object.values(expected)[0]) throw new Error(`${bundler}: wrong texts in the built app`)
  const last = fetched.pop()
  if (!last.content.includes(key)) throw new Error(`${bundler}: the texts did not come last`)
  const loader = fetched.filter(({ path }) => path !== 'runtime.js')
  return {
    raw: loader.reduce((sum, { content }) => sum + content.length, 0),
    gzip: loader.reduce((sum, { content }) => sum + gzipped(content), 0),
  }
}
