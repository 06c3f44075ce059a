/** The service's texts as a catalog, read through the query: only this endpoint has namespaces, customers and reviews. */
import type { Client } from '../api/client.ts'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import { partId, partOf } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { groupBy } from '../shared/split.ts'
import type { ServiceText } from '../sync/records.ts'
import { Remote } from '../sync/remote.ts'
import { projectLanguages } from './filters.ts'

export async function readServiceCatalog(
  client: Client,
  config: ResolvedConfig,
  signal: AbortSignal,
): Promise<Catalog> {
  const texts: ServiceText[] = []
  await new Remote(client, config).readAll(signal, (page) => texts.push(...page))
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
