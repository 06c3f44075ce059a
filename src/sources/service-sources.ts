/** The sources that load from the service, and the client that they use. */
import type { Client } from '../api/client.ts'
import type { SourceName } from '../config/sources.ts'
import { readFileInputs } from './files.ts'
import type { ServiceSource, SourceContext } from './source.ts'
import { type Inputs, storableValidator } from './validator.ts'

/** Each source is imported only when it is used. */
export const SERVICE_SOURCES: { readonly [name in SourceName]?: () => Promise<ServiceSource> } = {
  export: async () => (await import('./export.ts')).exportSource,
  hosting: async () => (await import('./hosting.ts')).hostingSource,
  query: async () => (await import('./query.ts')).querySource,
}

export async function withClient<T>(
  { openClient }: { readonly openClient: () => Promise<Client> },
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await openClient()
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/**
 * The inputs that a load would have now, without loading the texts; `undefined` if the source cannot tell whether they
 * have changed.
 */
export async function readInputs(
  options: Omit<SourceContext, 'client'> & { readonly openClient: () => Promise<Client> },
  known: Inputs,
): Promise<Inputs | undefined> {
  const { config, resourceCache, signal } = options
  const source = await SERVICE_SOURCES[config.source]?.()
  const read = source?.inputs
  if (source && !read) return undefined
  const [files, service] = await Promise.all([
    readFileInputs(config),
    read && withClient(options, (client) => read({ config, client, resourceCache, signal }, known.validator)),
  ])
  const own = { files }
  if (!service) return own
  if (!service.inputs) return { ...own, service: known.service, validator: known.validator }
  const validator = storableValidator(service.validator, service.staleMs)
  return { ...own, service: service.inputs, validator }
}
