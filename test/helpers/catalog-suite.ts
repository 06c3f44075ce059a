/**
 * The main job on real catalogs: into the service over HTTP, through each bundler or tool, run, and compared text by
 * text. Prints how many texts were compared.
 */
import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import type { FileEnding } from '../../src/shared/file-pattern.ts'
import { type CollectedManifest, importing, loadingEverything } from './apps.ts'
import type { Builder } from './bundlers.ts'
import { PRINTERS } from './file-formats.ts'
import { type Project, startProject } from './project.ts'
import { expectedTexts, type RawCatalog, readRealCatalog, realCatalogs, type Texts } from './real-catalogs.ts'
import { runEntry } from './run.ts'
import { tempFolder, writeTree } from './temp.ts'

export type Source = NonNullable<PluginOptions['source']>

export interface CatalogCases {
  /** By the catalog's place in `realCatalogs`. */
  readonly sources: (catalog: number) => readonly { readonly bundler: Builder; readonly source: Source }[]
  /** Builds from files of another format. Default: none. */
  readonly formats?: (catalog: number) => readonly { readonly bundler: Builder; readonly ending: FileEnding }[]
}

/** Whether the bundler at this place of its list carries this catalog in a sample: the playground's and one more. */
export function isInSample(catalog: number, bundler: number): boolean {
  return catalog === 0 || catalog === 1 + (bundler % (realCatalogs.length - 1))
}

export function describeCatalogs({ sources, formats = () => [] }: CatalogCases): void {
  const figures: string[] = []
  let total = 0

  afterAll(() => {
    process.stdout.write(
      `\ntexts compared, static + lazy:\n${figures.join('\n')}\ntotal: ${total.toLocaleString('en')}\n`,
    )
  })

  // In Vitest, a suite without tests fails.
  const carried = realCatalogs.filter((_, catalog) => sources(catalog).length + formats(catalog).length > 0)
  describe.each(carried)('$name', (layout) => {
    let project: Project
    let raw: RawCatalog
    let expected: ReadonlyMap<string, ReadonlyMap<string, Texts>>

    const catalog = realCatalogs.indexOf(layout)
    const cases = sources(catalog).map((one) => ({ ...one, title: `${one.bundler.name}, ${one.source}` }))

    beforeAll(async () => {
      raw = await readRealCatalog(layout)
      expected = expectedTexts(raw, 'en')
      if (cases.every(({ source }) => source === 'files')) return
      project = await startProject({ service: { languages: [] } })
      for (const [language, namespaces] of raw) {
        for (const [namespace, texts] of namespaces) {
          await project.importTexts(language, namespace, Object.fromEntries(texts))
        }
      }
      await project.publish()
    })

    it.each(cases)('$title', async ({ bundler, source }) => {
      const root = await tempFolder()
      const { keySeparator } = layout
      if (source === 'files') {
        await cp(layout.folder, join(root, 'locales'), { recursive: true })
        // Whoever has a file among the catalogs that is none leaves it out, or takes it away: both below.
        const without = layout.without.map((name) => `!${name}`)
        const options = { source, files: layout.files, keySeparator, ...(without.length > 0 && { languages: without }) }
        await buildAndCompare(bundler, root, options)
        for (const name of layout.without) await rm(join(root, 'locales', `${name}.json`))
        if (without.length > 0) await buildAndCompare(bundler, root, { source, files: layout.files, keySeparator })
      } else {
        const { apiKey, baseUrl, cdnUrl } = project
        await buildAndCompare(bundler, root, { source, service: { apiKey, baseUrl, cdnUrl }, keySeparator })
      }
    })

    const formatted = formats(catalog).map((one) => ({ ...one, title: `${one.bundler.name}, files as ${one.ending}` }))
    it.each(formatted)('$title', async ({ bundler, ending }) => {
      const root = await tempFolder()
      const from = layout.folder
      for (const file of await readdir(from, { recursive: true })) {
        const name = file.slice(0, -'.json'.length)
        if (!file.endsWith('.json') || layout.without.includes(name)) continue
        const tree = JSON.parse(await readFile(join(from, file), 'utf8')) as object
        await writeTree(root, { [`locales/${name}${ending}`]: PRINTERS[ending](tree) })
      }
      const files = layout.files.replace('.json', ending)
      await buildAndCompare(bundler, root, { source: 'files', files, keySeparator: layout.keySeparator }, ending)
    })

    async function buildAndCompare(bundler: Builder, root: string, options: PluginOptions, format = ''): Promise<void> {
      const parts = [...expected].flatMap(([language, namespaces]) =>
        [...namespaces.keys()].map((namespace) => ({ language, namespace })),
      )
      const requests = parts.map(({ language, namespace }) => `virtual:translations/${language}/${namespace}`)
      await writeTree(root, { 'static.js': importing(requests), 'lazy.js': loadingEverything })
      const output = await bundler.build({
        root,
        entries: { static: 'static.js', lazy: 'lazy.js' },
        options: { configFile: false, ...options },
        // The same texts come from every source: minified from one of them, as written from the others.
        minify: options.source === 'export',
      })

      const run = bundler.run ?? runEntry
      const imported = await run<Record<string, string>[]>(output.entryFile('static'))
      const { texts, ...manifest } = await run<CollectedManifest>(output.entryFile('lazy'))
      expect(manifest.languages.map(({ key }) => key).sort()).toEqual([...expected.keys()].sort())
      expect(manifest.languages.filter(({ isDefault }) => isDefault).map(({ key }) => key)).toEqual(['en'])
      expect(manifest.defaultLanguage).toBe('en')
      expect([...manifest.namespaces].sort()).toEqual([...(expected.get('en')?.keys() ?? [])].sort())

      const comparison = createComparison()
      parts.forEach(({ language, namespace }, i) => {
        const wanted = expected.get(language)?.get(namespace) ?? new Map()
        comparison.compare(`static ${language}/${namespace}`, imported[i], wanted)
        comparison.compare(`lazy ${language}/${namespace}`, texts[language]?.[namespace], wanted)
      })
      expect(comparison.differences.slice(0, 20)).toEqual([])
      expect(comparison.compared).toBeGreaterThan(2 * raw.size)
      total += comparison.compared
      figures.push(
        `  ${layout.name}, ${bundler.name}, ${options.source}${format}: ${comparison.compared.toLocaleString('en')} texts of ${parts.length} parts`,
      )
    }
  })
}

/** Counts what it compares: a comparison of nothing is none. */
function createComparison() {
  const differences: string[] = []
  let compared = 0
  return {
    differences,
    get compared() {
      return compared
    },
    compare(place: string, actual: Record<string, string> | undefined, expected: Texts): void {
      if (actual === undefined) return void differences.push(`${place}: not there`)
      const found = new Map(Object.entries(actual))
      for (const [key, text] of expected) {
        compared++
        if (found.get(key) !== text) {
          differences.push(`${place} ${JSON.stringify(key)}: ${JSON.stringify([found.get(key), text])}`)
        }
      }
      for (const key of found.keys()) if (!expected.has(key)) differences.push(`${place} ${JSON.stringify(key)}: extra`)
    },
  }
}
