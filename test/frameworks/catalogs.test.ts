/** Every text of the real catalogs, static and lazy, in each tool that takes no plugins. */
import { describeCatalogs } from '../helpers/catalog-suite.ts'
import { bun, deno, metro, parcel } from '../helpers/tool-builds.ts'
import { isAsked } from '../helpers/tools.ts'

const tools = [deno, bun, parcel, metro].filter(({ name }) => isAsked(name))

describeCatalogs({
  sources: (catalog) =>
    tools.map((bundler, at) => ({ bundler, source: (catalog + at) % 2 === 0 ? 'files' : 'export' })),
})
