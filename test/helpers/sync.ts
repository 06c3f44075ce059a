/** A sync engine on a temporary project, with its log and what it tells the page. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { isApiError } from '../../src/api/errors.ts'
import type { TextRef } from '../../src/catalog/text-id.ts'
import type { LocalizationOptions } from '../../src/config/options.ts'
import { createFileIndex } from '../../src/files/file-index.ts'
import { createLogger } from '../../src/logger.ts'
import { createLocalService, type LocalServiceOptions } from '../../src/service.ts'
import { SyncEngine } from '../../src/sync/engine/engine.ts'
import type { SyncEngineOptions } from '../../src/sync/engine/state.ts'
import { guardSecret } from './canary.ts'
import { whenFileIsOver, whenOver } from './closing.ts'
import { projectWith, startProject } from './local-project.ts'
import { resolveConfig } from './resolve-config.ts'
import { createProject } from './service.ts'

export type TestService = Awaited<ReturnType<typeof startService>>

const CLIENT = { proxy: false } as const

/** By its options: a service that the tests of a file share. Each has a project of its own. */
const shared = new Map<string, ReturnType<typeof startShared>>()

async function startShared(options: LocalServiceOptions, key: string) {
  const requests: string[] = []
  const onRequest: LocalServiceOptions['onRequest'] = ({ method, path }) => requests.push(`${method} ${path}`)
  const service = await createLocalService({ ...options, onRequest })
  guardSecret(service.personalToken)
  const close = () => {
    shared.delete(key)
    return service.close()
  }
  whenFileIsOver(close)
  return { service: { ...service, close }, requests }
}

/** What was declared for all projects, and disturbs none. */
const SHAREABLE = ['features', 'languages', 'customers']

async function openProject(options: LocalServiceOptions) {
  if (!Object.keys(options).every((name) => SHAREABLE.includes(name))) return startProject(options)
  const key = JSON.stringify(options)
  const starting = shared.get(key) ?? startShared(options, key)
  shared.set(key, starting)
  const { service, requests } = await starting
  const project = await createProject(service)
  requests.length = 0
  return projectWith(service, project, requests)
}

/** A project of a service in this process, with a client. Other options than those of `SHAREABLE`: a service of its own. */
export async function startService(given: LocalServiceOptions = {}) {
  const project = await openProject({ languages: ['en', 'pl', 'de'], ...given })
  const { baseUrl, apiKey, requests } = project
  const client = createClient({ ...CLIENT, baseUrl, apiKey })
  whenOver(() => client.close())
  const own = { PATCH: 0, POST: 0, DELETE: 0 }
  return {
    ...project,
    client,
    /** How many writing requests of that method came, those of `edit` and `fill` left out. */
    count: (method: 'PATCH' | 'POST' | 'DELETE') =>
      requests.filter((line) => line.startsWith(`${method} `)).length - own[method],
    /** The texts of a language and namespace. */
    async texts(language: string, namespace = 'common') {
      const found: Record<string, string> = {}
      for await (const { key, text } of client.translations.queryAll({ language, namespace })) found[key] = text
      return found
    },
    /** Sets a text as a translator would, making the key. */
    async edit(key: string, language: string, text: string, namespace = 'common') {
      const set = () => client.translations.set({ key, namespace, language, text })
      own.PATCH++
      try {
        await set()
      } catch (error) {
        if (!isApiError(error, 'API_NOT_FOUND')) throw error
        own.POST++
        await client.keys.create({ key, namespace })
        own.PATCH++
        await set()
      }
    },
    /** Puts texts there with one request, making the keys. */
    async fill(texts: Readonly<Record<string, string>>, language = 'en', namespace = 'common') {
      own.POST++
      await project.importTexts(language, namespace, texts)
    },
    async close() {
      await client.close()
      await project.close()
    },
  }
}

export interface EngineSetup extends Partial<Omit<SyncEngineOptions, 'config'>> {
  readonly root: string
  readonly service?: Pick<TestService, 'baseUrl' | 'apiKey'> | undefined
  readonly options?: LocalizationOptions
}

export function configOf(root: string, service?: EngineSetup['service'], options: LocalizationOptions = {}) {
  const own = service && { baseUrl: service.baseUrl, apiKey: service.apiKey }
  return resolveConfig({ ...options, source: 'files', service: { ...own, ...options.service } }, { root, ci: false })
}

export async function startEngine({ root, service, options = {}, ...rest }: EngineSetup) {
  const lines: string[] = []
  const shown: TextRef[] = []
  const config = configOf(root, service, options)
  const { baseUrl, apiKey, retries, requestsPerMinute } = config.service
  const files = createFileIndex(config, { clock: rest.clock })
  const engine = new SyncEngine({
    config,
    logger: createLogger({ level: 'debug', write: (line) => lines.push(line) }),
    openClient: () => createClient({ ...CLIENT, baseUrl, apiKey, retries, requestsPerMinute }),
    files,
    onShown: (refs) => shown.push(...refs),
    ...rest,
  })
  onTestFinished(() => engine.close())
  await engine.start()
  return {
    engine,
    lines,
    /** Texts that the page was to show otherwise, because of the service. */
    shown,
    /** The project's files as another reader sees them now. */
    files() {
      files.take()
      return files
    },
  }
}

export async function readJson(root: string, name: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(root, name), 'utf8')) as Record<string, string>
}
