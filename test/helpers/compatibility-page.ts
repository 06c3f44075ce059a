/**
 * The page that the compatibility suite builds: with this plugin or, as the control, with texts that are modules of the
 * page itself.
 */
import { join } from 'node:path'
import type { InlineConfig } from 'vite'
import { expect } from 'vitest'
import type { Compiler, Configuration, Stats } from 'webpack'
import type { PluginOptions } from '../../src/index.ts'
import type { WatchedPage } from './browser.ts'
import { builtPlugin, runWebpack } from './bundlers.ts'
import { tempFolder, writeTree } from './temp.ts'

/** Where this plugin stands in the list of plugins. `control`: nowhere. */
export type Place = 'control' | 'first' | 'last'
export const PLACES: readonly Place[] = ['control', 'first', 'last']

export const TEXTS = { en: 'Title', pl: 'Tytuł' } as const
export const OPTIONS = { configFile: false, defaultLanguage: 'en' } as const

/** Shows the text of the language in `document.documentElement.lang`; `show(language)` loads another one. */
export const MAIN = `
import { load } from 'virtual:translations'
globalThis.show = async (language) => {
  const { title } = await load(language, 'common')
  document.body.dataset.text = title
}
globalThis.show(document.documentElement.lang)
`

const CONTROL = `
globalThis.isControl = true
const texts = { en: () => import('./texts/en.js'), pl: () => import('./texts/pl.js') }
export const load = async (language) => (await texts[language]()).default
`

export const htmlPage = (scripts: string) =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Page</title></head>
<body>${scripts}</body>
</html>
`

/** A fresh folder with the page's sources: `main.js`, `index.html`, the texts. */
export async function pageProject(
  place: Place,
  files: Readonly<Record<string, string | object>> = {},
): Promise<string> {
  const root = await tempFolder()
  const sources = {
    'main.js': MAIN,
    'index.html': htmlPage('<script type="module" src="/main.js"></script>'),
    ...files,
  }
  for (const [name, content] of Object.entries(sources)) {
    const isReplaced = place === 'control' && typeof content === 'string'
    await writeTree(root, { [name]: isReplaced ? content.replace("'virtual:translations'", "'./load.js'") : content })
  }
  if (place === 'control') await writeTree(root, { 'load.js': CONTROL })
  for (const [language, title] of Object.entries(TEXTS)) {
    if (place === 'control')
      await writeTree(root, { [`texts/${language}.js`]: `export default ${JSON.stringify({ title })}\n` })
    else await writeTree(root, { [`locales/${language}/common.json`]: { title } })
  }
  return root
}

/**
 * The page shows its language, then another one whose texts it fetches only now, and nothing goes wrong.
 *
 * @param texts `chunks`: texts are modules in the output, whose names tell no language.
 */
export async function showsBothLanguages(
  { page, problems, requests }: WatchedPage,
  texts: 'files' | 'chunks' = 'files',
): Promise<void> {
  const shown = () => page.evaluate('document.body.dataset.text')
  await expect.poll(async () => problems.length > 0 || (await shown()) !== undefined).toBe(true)
  expect(problems).toEqual([])
  expect(await shown()).toBe(TEXTS.en)
  const before = textsIn(requests)
  const count = requests.length
  await page.evaluate("globalThis.show('pl')")
  expect(await shown()).toBe(TEXTS.pl)
  expect(problems).toEqual([])
  if (await page.evaluate('globalThis.isControl')) return
  if (texts === 'chunks') expect(requests.length).toBe(count + 1)
  else expect([before, textsIn(requests)]).toEqual([['en'], ['en', 'pl']])
}

/** The languages whose files were fetched. */
function textsIn(requests: readonly string[]): string[] {
  const languages = requests.map((request) => /localization\/(\w+)\/common\./.exec(request)?.[1])
  return [...new Set(languages.filter((language) => language !== undefined))]
}

/** The plugins with this one before them, after them, or without it. */
async function placed(
  bundler: string,
  place: Place,
  plugins: readonly unknown[],
  options: PluginOptions,
): Promise<never[]> {
  if (place === 'control') return [...plugins] as never[]
  const own = await builtPlugin(bundler, { ...OPTIONS, ...options })
  return (place === 'first' ? [own, ...plugins] : [...plugins, own]) as never[]
}

export interface PageBuild {
  readonly root: string
  readonly place: Place
  /** This plugin's. */
  readonly options?: PluginOptions
}

/** Into `dist`, unless the configuration says otherwise. */
export async function buildVitePage(
  name: 'vite' | 'vite7',
  { root, place, options = {} }: PageBuild,
  { plugins = [], ...config }: Omit<InlineConfig, 'plugins'> & { readonly plugins?: readonly unknown[] } = {},
): Promise<unknown> {
  const { build } = (await import(name)) as typeof import('vite')
  const all = await placed('vite', place, plugins, options)
  return build({ root, configFile: false, logLevel: 'silent', ...config, plugins: all })
}

/** Into `dist`. The page is an asset like others, with its scripts as they are named here. */
export async function buildWebpackPage(
  name: 'webpack' | '@rspack/core',
  { root, place, options = {} }: PageBuild,
  { plugins = [], ...config }: Omit<Configuration, 'plugins'> & { readonly plugins?: readonly unknown[] } = {},
  prepare?: (compiler: Compiler) => void,
): Promise<Stats> {
  const page = {
    apply: ({ hooks, webpack }: Compiler) =>
      hooks.thisCompilation.tap('page', (compilation) =>
        compilation.hooks.processAssets.tap({ name: 'page', stage: -2000 }, () =>
          compilation.emitAsset(
            'index.html',
            new webpack.sources.RawSource(htmlPage('<script src="main.js"></script>')),
          ),
        ),
      ),
  }
  const configuration = {
    context: root,
    mode: 'production',
    entry: './main.js',
    performance: false,
    ...config,
    output: { path: join(root, 'dist'), publicPath: '/', filename: '[name].js', ...config.output },
    plugins: [page, ...(await placed(name === 'webpack' ? 'webpack' : 'rspack', place, plugins, options))],
  }
  return runWebpack(name, configuration, prepare)
}
