/** From the configuration to a client, starting the local service where the configuration asks for it. */
import { basename, join } from 'node:path'
import type { Client } from '../api/client.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'

export interface Connection {
  readonly client: Client
  close(): Promise<void>
}

/** Errors: CONFIG_INVALID where no service is configured; SERVICE_LOCKED where a dev server has the local one. */
export async function connect(
  { root, service, defaultLanguage, customers }: ResolvedConfig,
  signal: AbortSignal,
  hide: (secret: string | undefined) => void,
): Promise<Connection> {
  const { createClient } = await import('../api/client.ts')
  const { cdnUrl, apiKey, personalToken, tokenHeader, timeoutMs, retries, requestsPerMinute, concurrency } = service
  const limits = { tokenHeader, timeoutMs, retries, requestsPerMinute, concurrency, signal }
  if (service.baseUrl !== 'local') {
    if (service.baseUrl === undefined) throw notConfigured()
    const client = createClient({ baseUrl: service.baseUrl, cdnUrl, apiKey, personalToken, ...limits })
    return { client, close: () => client.close() }
  }
  // Heavy, and most projects never start it.
  const { createLocalService } = await import('../service.ts')
  const local = await createLocalService({
    dataDir: join(root, '.localization', 'service'),
    ...(defaultLanguage !== undefined && { defaultLanguage }),
    customers,
  })
  try {
    hide(local.personalToken)
    const name = basename(root) || 'project'
    const projects = createClient({ baseUrl: local.baseUrl, personalToken: local.personalToken })
    const known = (await projects.projects.list()).find((project) => project.name === name)
    const project = known ?? (await projects.projects.create({ name }))
    await projects.close()
    hide(project.apiKey)
    const client = createClient({
      baseUrl: local.baseUrl,
      cdnUrl: local.cdnUrl,
      apiKey: project.apiKey,
      personalToken: local.personalToken,
      ...limits,
    })
    return {
      client,
      async close() {
        await client.close()
        await local.close()
      },
    }
  } catch (error) {
    await local.close()
    throw error
  }
}

function notConfigured(): LocalizationError {
  return new LocalizationError('no service is configured', {
    code: 'CONFIG_INVALID',
    hint: 'Set service.baseUrl or LOCALIZATION_BASE_URL, or run `localization init`.',
  })
}
