/** Fills a new project on the local service. */
import type { Client } from '../api/client.ts'
import { serviceLanguage, serviceNamespace } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { loadFromFiles } from '../sources/files.ts'

/** Imports the texts in the files into an empty project. Resolves to the number of texts. */
export async function importFiles(client: Client, config: ResolvedConfig): Promise<number> {
  const { catalog } = await loadFromFiles(config)
  let texts = 0
  for (const { language, namespace, customer, messages } of catalog.parts) {
    if (messages.size === 0) continue
    const members = [...messages].map(([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`)
    await client.imports.upload({
      file: `{${members.join(',')}}`,
      fileName: 'texts.json',
      uploadFormat: 'single-language-json',
      languageKey: serviceLanguage(language, config),
      namespace: serviceNamespace(namespace, config),
      ...(customer !== undefined && { customerId: customer }),
    })
    texts += messages.size
  }
  return texts
}
