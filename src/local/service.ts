/** Starts a project's local service (`service.baseUrl: 'local'`). All of the project's processes share it. */
import { basename, join } from 'node:path'
import type { Client } from '../api/client.ts'
import type { Project } from '../api/schemas.ts'
import { serviceLanguage } from '../catalog/names.ts'
import { withHidden } from '../config/resolve.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { listTranslationFiles } from '../files/list.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { realFolder } from '../shared/folder-id.ts'

export interface LocalServiceConnection {
  /** The configuration, with the service's URLs and the project's key. */
  readonly config: ResolvedConfig
  readonly project: Project
  readonly personalToken: string
  /** True if another process, such as a dev server or `localization serve`, is running the service. */
  readonly isShared: boolean
  /** Stops the service if this process is running it. One of the others then takes it over at the same URL. */
  close(): Promise<void>
}

/** The folder for the service's data, relative to the root. */
const LOCAL_SERVICE_FOLDER = '.localization/service'

/** The retries last about 12 seconds, in which another process takes over the service of one that exited. */
const RETRIES = 8

/**
 * Starts the service, or connects to the one that another process is running. Finds or creates the project, which is
 * named after the root folder, as it was called then. Errors: SERVICE_LOCKED, SERVICE_START, and those from the calls.
 */
export async function connectLocalService(config: ResolvedConfig): Promise<LocalServiceConnection> {
  // Imported dynamically: the service is large, and most projects never start it.
  const [{ joinLocalService }, { createClient }] = await Promise.all([
    import('../service.ts'),
    import('../api/client.ts'),
  ])
  const language = config.defaultLanguage ?? (await findDefaultLanguage(config))
  const service = await joinLocalService({
    dataDir: join(config.root, LOCAL_SERVICE_FOLDER),
    ...(language !== undefined && { defaultLanguage: serviceLanguage(language, config) }),
    customers: config.customers,
    takeOver: true,
  })
  try {
    const project = await findOrCreateProject(
      createClient({ ...service, retries: RETRIES }),
      basename(realFolder(config.root)) || 'project',
    )
    return {
      config: withService(config, service, project),
      project,
      personalToken: service.personalToken,
      isShared: !service.isOwner,
      close: () => service.close(),
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** `en` if the project has English files, otherwise its first language. */
async function findDefaultLanguage(config: ResolvedConfig): Promise<string | undefined> {
  const listed = await listTranslationFiles(createFilePatterns(config))
  const languages = listed.files.map(({ language }) => language)
  return languages.includes('en') ? 'en' : languages.sort()[0]
}

async function findOrCreateProject(client: Client, name: string): Promise<Project> {
  try {
    const all = await client.projects.list()
    // If the folder was renamed, the only project keeps its name.
    const known = all.find((project) => project.name === name) ?? (all.length === 1 ? all[0] : undefined)
    // Other processes may have asked at the same time, and names are not unique.
    return known ?? (await client.projects.create({ name, ifMissing: true }))
  } finally {
    await client.close()
  }
}

function withService(
  config: ResolvedConfig,
  { baseUrl, cdnUrl }: { readonly baseUrl: string; readonly cdnUrl: string },
  { apiKey, projectToken }: Project,
): ResolvedConfig {
  const { personalToken } = config.service
  // The configured headers, proxies, names and retries are for a remote service, not for the local one.
  const own = { tokenHeader: 'X-Service-Token', names: {}, retries: RETRIES }
  const hidden = { apiKey, personalToken, headers: {}, dispatcher: undefined }
  const service = withHidden({ ...config.service, ...own, baseUrl, cdnUrl, projectToken }, hidden)
  return Object.freeze({ ...config, service: Object.freeze(service) })
}
