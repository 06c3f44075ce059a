/** A service's texts as a build's files have them: as the modules that a page fetches, without the gaps. */
import { type Catalog, createCatalog, type LazyTexts, type Messages, type PartInput } from '../catalog/model.ts'
import { createTextWriter, lazyModule, type TextWriter, textModule } from '../catalog/text-module.ts'
import { hashOf } from '../shared/hash.ts'

/** The same texts. A part that cannot be a module stays as it is. */
export function packCatalog(catalog: Catalog): Catalog {
  const writer = createTextWriter()
  const parts = catalog.parts.map(({ language, namespace, customer, messages }): PartInput => {
    const names = { language, namespace, ...(customer !== undefined && { customer }) }
    const lazy = packTexts(namespace, messages, writer)
    return lazy ? { ...names, lazy } : { ...names, messages }
  })
  return createCatalog({ languages: catalog.languages, parts })
}

function packTexts(namespace: string, messages: Messages, writer: TextWriter): LazyTexts | undefined {
  const tokens = [...messages.values()].map((text) => JSON.stringify(text))
  const written = writer.write(namespace, [...messages.keys()], tokens)
  const code = written && textModule(written.json)
  if (!code) return undefined
  const bytes = Buffer.from(code)
  return lazyModule({ bytes, hash: hashOf(bytes) }, written.keys, written.count)
}
