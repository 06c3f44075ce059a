/**
 * The service's texts in the app's names, through the query: the one endpoint of the contract with namespaces,
 * customers and reviews.
 */
import type { Client } from '../api/client.ts'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import { partId, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { partOf } from '../files/files-state.ts'
import { groupBy } from '../shared/split.ts'
import { Remote } from '../sync/remote.ts'
import { projectLanguages } from './project-languages.ts'

interface ServiceText {
  readonly ref: TextRef
  readonly text: string
}

export async function readServiceCatalog(
  client: Client,
  config: ResolvedConfig,
  signal: AbortSignal,
): Promise<Catalog> {
  const texts: ServiceText[] = []
  await new Remote(client, config).readAll(signal, (page) => {
    for (const text of page) texts.push(text)
  })
  return serviceCatalog(texts, client, config)
}

export async function serviceCatalog(
  texts: readonly ServiceText[],
  client: Client,
  config: ResolvedConfig,
): Promise<Catalog> {
  const isDefault = (await projectLanguages(client, config))?.defaultLanguage
  return createCatalog({
    languages: isDefault === undefined ? [] : [{ key: isDefault, name: isDefault, isDefault: true }],
    parts: groupBy(texts, ({ ref }) => partId(ref)).map((group) => ({
      ...partOf((group[0] as ServiceText).ref),
      messages: group.map(({ ref, text }) => [ref.key, text] as const),
    })),
  })
}
