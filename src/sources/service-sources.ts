/** The sources that load from the service, and the client that they use. */
import type { Client } from '../api/client.ts'
import type { SourceName } from '../config/sources.ts'
import type { ServiceSource } from './source.ts'

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
