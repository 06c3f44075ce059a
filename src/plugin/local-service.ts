/** `service.baseUrl: 'local'`: the dev server's own service, with its data beside the project. */
import { basename, join } from 'node:path'
import type { Client } from '../api/client.ts'
import type { Project } from '../api/schemas.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'

export interface LocalConnection {
  /** The configuration with the started service's addresses and the project's key. */
  readonly config: ResolvedConfig
  /** One more user: a dev server that restarts opens its next session before it closes the last one. */
  retain(): void
  /** One user less; the last one ends the service. */
  close(): Promise<void>
}

/** Starts the service with `.localization/service` as its folder and finds, or makes, the project named after the root folder. */
export async function connectLocalService(config: ResolvedConfig, logger: Logger): Promise<LocalConnection> {
  // The service is heavy and most projects never start it.
  const [{ createLocalService }, { createClient }] = await Promise.all([
    import('../service.ts'),
    import('../api/client.ts'),
  ])
  const service = await createLocalService({
    dataDir: join(config.root, '.localization', 'service'),
    ...(config.defaultLanguage !== undefined && { defaultLanguage: config.defaultLanguage }),
    customers: config.customers,
  })
  try {
    const project = await findOrCreateProject(createClient(service), basename(config.root) || 'project')
    logger.info(`local service at ${service.baseUrl}, project ${JSON.stringify(project.name)}`)
    let users = 0
    return {
      config: withService(config, service, project),
      retain: () => void users++,
      async close() {
        if (--users <= 0) await service.close()
      },
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

async function findOrCreateProject(client: Client, name: string): Promise<Project> {
  try {
    const known = (await client.projects.list()).find((project) => project.name === name)
    return known ?? (await client.projects.create({ name }))
  } finally {
    await client.close()
  }
}

function withService(
  config: ResolvedConfig,
  { baseUrl, cdnUrl }: { readonly baseUrl: string; readonly cdnUrl: string },
  { apiKey, projectToken }: Project,
): ResolvedConfig {
  // Secrets stay out of enumeration, as in every resolved configuration.
  const service = Object.defineProperties(
    { ...config.service, baseUrl, cdnUrl, projectToken },
    {
      apiKey: { value: apiKey, enumerable: false },
      personalToken: { value: config.service.personalToken, enumerable: false },
    },
  ) as ResolvedConfig['service']
  return Object.freeze({ ...config, service: Object.freeze(service) })
}
