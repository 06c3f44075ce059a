/** From the configuration to a client; the local service is started, or found running, where the configuration asks for it. */
import type { Client } from '../api/client.ts'
import { missingVariablesError } from '../config/missing-variables.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'

export interface Connection {
  readonly client: Client
  close(): Promise<void>
}

/** Errors: CONFIG_INVALID where no service is configured. */
export async function connect(
  config: ResolvedConfig,
  signal: AbortSignal | undefined,
  hide: (secret: string | undefined) => void,
): Promise<Connection> {
  const { createClient } = await import('../api/client.ts')
  const open = ({ service }: ResolvedConfig, personalToken: string | undefined): Client => {
    const { apiKey, headers, dispatcher } = service
    if (service.baseUrl === undefined) throw notConfigured()
    // Not every command needs the API key: a call that does says so.
    const missing = missingVariablesError(service.missingVariables.filter((name) => name !== 'LOCALIZATION_API_KEY'))
    if (missing) throw missing
    return createClient({ ...service, apiKey, personalToken, headers, dispatcher, signal })
  }
  if (config.service.baseUrl !== 'local') {
    const client = open(config, config.service.personalToken)
    return { client, close: () => client.close() }
  }
  const { connectLocalService } = await import('../sources/local-service.ts')
  const local = await connectLocalService(config, { takeOver: false })
  hide(local.personalToken)
  hide(local.project.apiKey)
  const client = open(local.config, local.personalToken)
  return {
    client,
    async close() {
      await client.close()
      await local.close()
    },
  }
}

function notConfigured(): LocalizationError {
  return new LocalizationError('no service is configured', {
    code: 'CONFIG_INVALID',
    hint: 'Set service.baseUrl or LOCALIZATION_BASE_URL, or run `localization init`.',
  })
}
