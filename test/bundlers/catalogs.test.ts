/** Every text of the real catalogs, static and lazy, out of every bundler. */
import { FILE_ENDINGS } from '../../src/shared/file-pattern.ts'
import { type Builder, bundlers } from '../helpers/bundlers.ts'
import { describeCatalogs, isInSample, type Source } from '../helpers/catalog-suite.ts'
import { generatedFiles } from '../helpers/generated.ts'
import { repeats } from '../helpers/repeats.ts'

const EACH = process.env.EACH === 'all'
const IS_OTHERS = process.env.BUNDLERS !== undefined
const VITE_SOURCES: readonly Source[] = ['export', 'hosting', 'query', 'files']
const OTHER_SOURCES: readonly Source[] = ['export', 'hosting']

const carriers: readonly Builder[] = [...bundlers, generatedFiles]

/**
 * In `npm test`, each bundler carries the playground's catalog, Vite from the two sources that the others leave. With
 * `BUNDLERS=others`, each of those carries one more, and so do generated files that run in Node. With `THOROUGH=1`, every
 * bundler carries every catalog from one source and every source with one catalog or another, Vite each with each, and
 * one bundler each catalog in each format. With `EACH=all` beside it, every bundler carries each catalog from each source
 * and in each format.
 */
function sourcesOf(catalog: number, index: number): readonly Source[] {
  const { name } = carriers[index] as Builder
  const isSample = catalog === 0 || (IS_OTHERS && isInSample(catalog, index))
  if (name === generatedFiles.name) return repeats(IS_OTHERS && catalog === 0 ? ['export'] : [], OTHER_SOURCES)
  if (name === 'vite') return repeats<readonly Source[]>(isSample ? ['query', 'files'] : [], VITE_SOURCES)
  const one = OTHER_SOURCES.filter((_, i) => i === (catalog + index) % 2)
  return repeats(isSample ? one : [], EACH ? OTHER_SOURCES : one)
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
