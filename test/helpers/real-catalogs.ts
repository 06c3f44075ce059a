/**
 * Real catalogs: the playground's own, and those under `../shared/catalogs` where that folder is there. They are read
 * and flattened here,
 * without the package's code, so that a fault of the package shows.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repository } from './bundlers.ts'

export type Texts = ReadonlyMap<string, string>
/** Language to namespace to key to text. The namespace `''` is the service's default one. */
export type RawCatalog = ReadonlyMap<string, ReadonlyMap<string, Texts>>

export interface CatalogLayout {
  readonly name: string
  /** Absolute. */
  readonly folder: string
  /** Where the files are in the app, as in the option `files`; the folder is copied to `locales`. */
  readonly files: string
  readonly keySeparator: string
  /** Files of the folder that are no catalog. */
  readonly without: readonly string[]
}

const shared = join(repository, '../shared/catalogs')
const layout = (name: string, path: string, files: string, keySeparator: string, ...without: string[]) => ({
  name,
  folder: join(shared, name, path),
  files,
  keySeparator,
  without,
})

const layouts: readonly CatalogLayout[] = [
  layout('headlamp', 'frontend/src/i18n/locales', 'locales/{language}/{namespace}.json', '.'),
  layout('excalidraw', 'packages/excalidraw/locales', 'locales/{language}.json', '.', 'percentages'),
  layout('mattermost-mobile', 'assets/base/i18n', 'locales/{language}.json', '.'),
  // Three of its keys collide when joined with a dot.
  layout('frigate', 'web/public/locales', 'locales/{language}/{namespace}.json', '::'),
]

const found = layouts.filter(({ name, folder }) => {
  if (existsSync(folder)) return true
  process.stdout.write(`real catalog skipped: ${name} is not there\n`)
  return false
})

export const PLAYGROUND_CATALOG: CatalogLayout = {
  name: 'playground',
  folder: join(repository, 'playground/locales'),
  files: 'locales/{language}/{namespace}.json',
  keySeparator: '.',
  without: [],
}

/** A line on standard output names each catalog that is missing. */
export const realCatalogs: readonly CatalogLayout[] = [PLAYGROUND_CATALOG, ...found]

export async function readRealCatalog({ folder, files, keySeparator, without }: CatalogLayout): Promise<RawCatalog> {
  const catalog = new Map<string, Map<string, Texts>>()
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    if (!file.endsWith('.json')) continue
    const path = file.slice(0, -'.json'.length)
    const cut = files.includes('{namespace}') ? path.indexOf('/') : path.length
    const [language, namespace] = [path.slice(0, cut), path.slice(cut + 1)]
    if (without.includes(language)) continue
    const texts = new Map<string, string>()
    flattenInto(texts, JSON.parse(await readFile(join(folder, file), 'utf8')), '', keySeparator)
    if (!catalog.has(language)) catalog.set(language, new Map())
    catalog.get(language)?.set(namespace, texts)
  }
  return catalog
}

function flattenInto(texts: Map<string, string>, value: object, prefix: string, separator: string): void {
  for (const [name, child] of Object.entries(value) as [string, unknown][]) {
    if (typeof child === 'object' && child !== null) flattenInto(texts, child, prefix + name + separator, separator)
    else if (typeof child !== 'string') throw new Error(`${prefix}${name} is no text`)
    else if (texts.has(prefix + name)) throw new Error(`${prefix}${name} is there twice`)
    else texts.set(prefix + name, child)
  }
}

/** The languages that a language is a region of, the nearest last: `ar` for `ar-SA`, but not `zh` for `zh-TW`. */
function parentsOf(language: string, all: readonly string[]): string[] {
  const tagOf = (name: string) => name.replaceAll('_', '-')
  const scriptOf = (name: string) => new Intl.Locale(tagOf(name)).maximize().script
  const isParent = (other: string) =>
    tagOf(language).startsWith(`${tagOf(other)}-`) && scriptOf(other) === scriptOf(language)
  return all.filter(isParent).sort((a, b) => a.length - b.length)
}

/**
 * What the app must see: a gap, which an empty text is too, is filled from the language's parents and the default
 * language; a key with no text is absent.
 */
export function expectedTexts(catalog: RawCatalog, defaultLanguage: string): Map<string, Map<string, Texts>> {
  const namespaces = new Set([...catalog.values()].flatMap((byNamespace) => [...byNamespace.keys()]))
  const expected = new Map<string, Map<string, Texts>>()
  for (const language of catalog.keys()) {
    const own = new Map<string, Texts>()
    for (const namespace of namespaces) {
      const languages = [defaultLanguage, ...parentsOf(language, [...catalog.keys()]), language]
      const layers = languages.map((each) => catalog.get(each)?.get(namespace))
      const texts = layers.flatMap((layer) => [...(layer ?? [])].filter(([, text]) => text !== ''))
      own.set(namespace === '' ? 'default' : namespace, new Map(texts))
    }
    expected.set(language, own)
  }
  return expected
}
