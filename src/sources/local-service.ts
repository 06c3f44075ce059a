/** `service.baseUrl: 'local'`: one service for every process of the project, with its data beside it. */
import { basename, join } from 'node:path'
import type { Client } from '../api/client.ts'
import type { Project } from '../api/schemas.ts'
import { serviceLanguage, serviceNamespace } from '../catalog/names.ts'
import { withHidden } from '../config/hidden.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { listTranslationFiles } from '../files/list.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { loadFromFiles } from './files.ts'

export interface LocalServiceConnection {
  /** The configuration with the service's addresses and the project's key. */
  readonly config: ResolvedConfig
  readonly project: Project
  readonly personalToken: string
  /** Another process, such as a dev server or `localization serve`, runs it. */
  readonly isShared: boolean
  /** Ends the service where this process runs it. */
  close(): Promise<void>
}

export interface LocalServiceInput {
  /** For processes that stay: go on with the service when the process that runs it ends. */
  readonly takeOver: boolean
}

/** Where the local service of a project keeps its data, relative to the root. */
const LOCAL_SERVICE_FOLDER = '.localization/service'

/**
 * Starts the service, or uses the one that another process runs, and finds, or makes, the project named after the root folder.
 * Errors: SERVICE_LOCKED, SERVICE_START, and those of the calls.
 */
export async function connectLocalService(
  config: ResolvedConfig,
  { takeOver }: LocalServiceInput,
): Promise<LocalServiceConnection> {
  // The service is heavy and most projects never start it.
  const [{ joinLocalService }, { createClient }] = await Promise.all([
    import('../service.ts'),
    import('../api/client.ts'),
  ])
  const language = config.defaultLanguage ?? (await findDefaultLanguage(config))
  const service = await joinLocalService({
    dataDir: join(config.root, LOCAL_SERVICE_FOLDER),
    ...(language !== undefined && { defaultLanguage: serviceLanguage(language, config) }),
    customers: config.customers,
    takeOver,
  })
  try {
    const project = await findOrCreateProject(createClient(service), basename(config.root) || 'project')
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

/** Puts the files' texts into a project that has none, as its owner would at the first start. Broken files wait. Resolves to their number. */
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

/** A project whose files have no English must not get that language from its own service. */
async function findDefaultLanguage({ root, files, defaultNamespace }: ResolvedConfig): Promise<string | undefined> {
  const listed = await listTranslationFiles(createFilePatterns({ root, patterns: files, defaultNamespace }))
  const languages = listed.files.map(({ language }) => language)
  return languages.includes('en') ? 'en' : languages.sort()[0]
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
  const { personalToken } = config.service
  // What leads through a company's network leads past this machine's own service.
  const hidden = { apiKey, personalToken, headers: {}, dispatcher: undefined }
  const service = withHidden({ ...config.service, baseUrl, cdnUrl, projectToken }, hidden)
  return Object.freeze({ ...config, service: Object.freeze(service) })
}
