/** The service's texts in the app's names, through the query: the one endpoint of the contract that carries namespaces, customers and review states. */
import type { Client } from '../api/client.ts'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { createRemote } from '../sync/remote.ts'
import { projectLanguages } from './project-languages.ts'

export async function readServiceCatalog(
  client: Client,
  config: ResolvedConfig,
  signal: AbortSignal,
): Promise<Catalog> {
  const [{ texts }, known] = await Promise.all([
    createRemote(client, config).readAll(signal),
    projectLanguages(client, config),
  ])
  const parts = new Map<
    string,
    { language: string; namespace: string; customer?: string; messages: Map<string, string> }
  >()
  for (const { ref, text } of texts) {
    const { language, namespace, customer } = ref
    const id = JSON.stringify([language, namespace, customer])
    const part = parts.get(id) ?? {
      language,
      namespace,
      ...(customer !== undefined && { customer }),
      messages: new Map(),
    }
    parts.set(id, part)
    part.messages.set(ref.key, text)
  }
  const isDefault = known?.defaultLanguage
  return createCatalog({
    languages: isDefault === undefined ? [] : [{ key: isDefault, name: isDefault, isDefault: true }],
    parts: parts.values(),
  })
}
