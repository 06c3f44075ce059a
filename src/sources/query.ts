/** The `query` source, which reads all translations page by page. It is the only source that includes review states. */
import { createCatalog } from '../catalog/model.ts'
import { type PartRef, partId } from '../catalog/text-id.ts'
import { count } from '../shared/figures.ts'
import { projectInfo, type ServiceSource, type SourceContext, type SourceResult } from './source.ts'

export const querySource: ServiceSource = {
  load: loadFromQuery,
  isComplete: ({ reviewed }) => !reviewed,
}

async function loadFromQuery(context: SourceContext): Promise<SourceResult> {
  const layers = [undefined, ...context.config.customers]
  const [info, ...perLayer] = await Promise.all([
    projectInfo(context),
    ...layers.map((customer) => queryLayer(context, customer)),
  ])
  const parts = perLayer.flat()
  const rows = parts.reduce((sum, part) => sum + part.messages.size, 0)
  return {
    catalog: createCatalog({ languages: info?.languages ?? [], parts }),
    detail: `query, ${count(rows, 'row')}`,
    diagnostics: [],
  }
}

async function queryLayer({ client, config, signal }: SourceContext, customer: string | undefined) {
  const parts = new Map<string, PartRef & { readonly messages: Map<string, string> }>()
  const query = {
    ...(customer !== undefined && { customerId: customer }),
    ...(config.reviewed && { reviewsStatus: 'REVIEWED' as const }),
  }
  for await (const { key, namespace, language, text, customerId } of client.translations.queryAll(query, { signal })) {
    // Some services return the customers' texts too.
    if ((customerId ?? customer) !== customer) continue
    const id = partId({ language, namespace })
    let part = parts.get(id)
    if (!part) {
      part = { language, namespace, ...(customer !== undefined && { customer }), messages: new Map() }
      parts.set(id, part)
    }
    part.messages.set(key, text)
  }
  return [...parts.values()]
}
