/**
 * Every text of real catalogs, static and lazy, in each tool that takes no plugins: the playground's and one more, with
 * `THOROUGH=1` all of them.
 */
import { describeCatalogs, isInSample } from '../helpers/catalog-suite.ts'
import { repeats } from '../helpers/repeats.ts'
import { bun, deno, metro, parcel } from '../helpers/tool-builds.ts'
import { isAsked } from '../helpers/tools.ts'

const tools = [deno, bun, parcel, metro].filter(({ name }) => isAsked(name))

describeCatalogs({
  sources: (catalog) =>
    tools.flatMap((bundler, at) => {
      return repeats(isInSample(catalog, at), true)
        ? [{ bundler, source: (catalog + at) % 2 === 0 ? 'files' : 'export' }]
        : []
    }),
})
