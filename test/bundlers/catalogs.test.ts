/** Every text of the real catalogs, static and lazy, out of every bundler. */
import { FILE_ENDINGS } from '../../src/shared/file-endings.ts'
import { type Builder, bundlers } from '../helpers/bundlers.ts'
import { describeCatalogs, type Source } from '../helpers/catalog-suite.ts'
import { generatedFiles } from '../helpers/generated.ts'
import { repeats } from '../helpers/repeats.ts'

const SOURCES: Readonly<Record<string, readonly Source[]>> = {
  vite: ['export', 'hosting', 'query', 'files'],
  vite7: ['export'],
}
const OTHER_SOURCES: readonly Source[] = ['export', 'hosting']

const carriers: readonly Builder[] = [...bundlers, generatedFiles]
const HEADLAMP_SAMPLE = ['webpack', 'esbuild']

/**
 * Every bundler carries the playground's catalog, Vite from each of its sources. Vite carries every catalog from one
 * source, and so do generated files that run in Node. With `THOROUGH=1`, as in `.ci/run`, every bundler carries every
 * catalog from each source, and one bundler each catalog in each format; with `FORMATS=all` beside it, every bundler each
 * catalog in each format.
 */
const fewSources = (catalog: number, index: number): readonly Source[] => {
  const { name } = carriers[index] as Builder
  if (name === generatedFiles.name) return [catalog % 2 === 0 ? 'export' : 'files']
  if (catalog === 0) return SOURCES[name] ?? [index % 2 === 0 ? 'export' : 'hosting']
  if (name === 'vite') return [catalog % 2 === 0 ? 'files' : 'export']
  return catalog === 1 && HEADLAMP_SAMPLE.includes(name) ? ['hosting'] : []
}

describeCatalogs({
  sources: (catalog) =>
    carriers.flatMap((bundler, index) => {
      const few = fewSources(catalog, index)
      return repeats(few, SOURCES[bundler.name] ?? OTHER_SOURCES).map((source) => ({ bundler, source }))
    }),
  formats: (catalog) =>
    FILE_ENDINGS.slice(1).flatMap((ending, at) => {
      const bundler = bundlers[(catalog + at) % bundlers.length] as Builder
      const all = repeats(
        ending === '.yaml' && catalog === 0 ? [bundler] : [],
        process.env.FORMATS === 'all' ? bundlers : [bundler],
      )
      return all.map((each) => ({ bundler: each, ending }))
    }),
})
