/** From the configuration to a client. With `baseUrl: 'local'` it starts the local service, or finds it running. */
import type { Client } from '../api/client.ts'
import { missingVariablesError } from '../config/missing-variables.ts'
import type { ResolvedConfig, ResolvedServiceConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'

export interface Connection {
  readonly client: Client
  close(): Promise<void>
}

/** Errors: CONFIG_INVALID if no service is configured, CONFIG_VARIABLE_MISSING. */
export async function connect(
  config: ResolvedConfig,
  signal: AbortSignal | undefined,
  hide: (secret: string | undefined) => void,
): Promise<Connection> {
  if (config.service.baseUrl !== 'local') {
    const client = await openClient(config.service, config.service.personalToken, signal)
    return { client, close: () => client.close() }
  }
  const { connectLocalService } = await import('../local/service.ts')
  const local = await connectLocalService(config, { takeOver: false })
  for (const secret of [local.personalToken, local.project.apiKey]) hide(secret)
  const client = await openClient(local.config.service, local.personalToken, signal)
  const close = async () => {
    await client.close()
    await local.close()
  }
  return { client, close }
}

async function openClient(
  service: ResolvedServiceConfig,
  personalToken: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Client> {
  // Published files need no more than their host.
  if (service.baseUrl === undefined && service.cdnUrl === undefined)
    throw new LocalizationError('no service is configured', {
      code: 'CONFIG_INVALID',
      hint: 'Set service.baseUrl or LOCALIZATION_BASE_URL, or run `localization init`.',
    })
  // Not every command needs the API key: a call that does fails with its own error.
  const missing = missingVariablesError(service.missingVariables.filter((name) => name !== 'LOCALIZATION_API_KEY'))
  if (missing) throw missing
  const { createClient } = await import('../api/client.ts')
  const { apiKey, headers, dispatcher } = service
  return createClient({ ...service, apiKey, personalToken, headers, dispatcher, signal })
}
