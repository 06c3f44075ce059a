/** A service's texts as a build's files have them: as the modules that a page fetches, without the gaps. */
import { type Catalog, createCatalog, type PartInput } from '../catalog/model.ts'
import { createTextWriter } from '../files/text-writer.ts'

/** The same texts. A part that cannot be a module stays as it is. */
export function packCatalog(catalog: Catalog): Catalog {
  // Nothing is nested.
  const writer = createTextWriter('.')
  const parts = catalog.parts.map(({ language, namespace, customer, messages }): PartInput => {
    const names = { language, namespace, ...(customer !== undefined && { customer }) }
    const lazy = writer.write(namespace, Buffer.from(JSON.stringify(Object.fromEntries(messages))))
    return lazy ? { ...names, lazy } : { ...names, messages }
  })
  return createCatalog({ languages: catalog.languages, parts })
}
