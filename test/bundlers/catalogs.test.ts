/** Every text of the real catalogs, static and lazy, out of every bundler. */
import { FILE_ENDINGS } from '../../src/shared/file-endings.ts'
import { type Builder, bundlers } from '../helpers/bundlers.ts'
import { describeCatalogs, isInSample, type Source } from '../helpers/catalog-suite.ts'
import { generatedFiles } from '../helpers/generated.ts'
import { repeats } from '../helpers/repeats.ts'

const EACH = process.env.EACH === 'all'
const VITE_SOURCES: readonly Source[] = ['export', 'hosting', 'query', 'files']
const OTHER_SOURCES: readonly Source[] = ['export', 'hosting']

const carriers: readonly Builder[] = [...bundlers, generatedFiles]

/**
 * Each of `bundlers` carries the playground's catalog and one more; generated files that run in Node carry the
 * playground's. Vite carries the playground's from each of its sources, and every other from one. With `THOROUGH=1`, every bundler carries
 * every catalog from one source and every source with one catalog or another, Vite each with each, and one bundler each
 * catalog in each format. With `EACH=all` beside it, every bundler carries each catalog from each source and in each
 * format.
 */
function sourcesOf(catalog: number, index: number): readonly Source[] {
  const { name } = carriers[index] as Builder
  if (name === generatedFiles.name) return repeats(catalog === 0 ? ['export'] : [], OTHER_SOURCES)
  if (name === 'vite') return repeats(catalog === 0, true) ? VITE_SOURCES : [catalog % 2 === 0 ? 'files' : 'export']
  const one = OTHER_SOURCES.filter((_, i) => i === (catalog + index) % 2)
  return repeats(isInSample(catalog, index) ? one : [], EACH ? OTHER_SOURCES : one)
}

describeCatalogs({
  sources: (catalog) =>
    carriers.flatMap((bundler, index) => sourcesOf(catalog, index).map((source) => ({ bundler, source }))),
  formats: (catalog) =>
    FILE_ENDINGS.slice(1).flatMap((ending, at) => {
      const bundler = bundlers[(catalog + at) % bundlers.length] as Builder
      const all = repeats(ending === '.yaml' && catalog === 0 ? [bundler] : [], EACH ? bundlers : [bundler])
      return all.map((each) => ({ bundler: each, ending }))
    }),
})
