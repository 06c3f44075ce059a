/** A sync engine on a temporary project, with its log and what it tells the page. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import type { Project } from '../../src/api/schemas.ts'
import type { TextRef } from '../../src/catalog/text-id.ts'
import type { LocalizationOptions } from '../../src/config/options.ts'
import { resolveConfig } from '../../src/config/resolve.ts'
import { createFileIndex, type FileIndex } from '../../src/files/file-index.ts'
import { createLogger } from '../../src/logger.ts'
import { createLocalService, type LocalServiceOptions, type RequestInfo } from '../../src/service.ts'
import { SyncEngine } from '../../src/sync/engine/engine.ts'
import type { SyncEngineOptions } from '../../src/sync/engine/state.ts'
import { guardSecret } from './canary.ts'

export interface TestService {
  readonly baseUrl: string
  readonly project: Project
  readonly requests: RequestInfo[]
  /** How many writing requests of that method came, the test's own left out. */
  count(method: 'PATCH' | 'POST' | 'DELETE'): number
  /** The texts of a language and namespace. */
  texts(language: string, namespace?: string): Promise<Record<string, string>>
  /** Sets a text as a translator would, making the key. */
  edit(key: string, language: string, text: string, namespace?: string): Promise<void>
  client: ReturnType<typeof createClient>
  close(): Promise<void>
}

const CLIENT = { proxy: false } as const

export async function startService(options: LocalServiceOptions = {}): Promise<TestService> {
  const requests: RequestInfo[] = []
  const own: Record<string, number> = {}
  const service = await createLocalService({
    languages: ['en', 'pl', 'de'],
    ...options,
    onRequest: (request) => {
      requests.push(request)
      options.onRequest?.(request)
    },
  })
  const personal = createClient({ ...CLIENT, baseUrl: service.baseUrl, personalToken: service.personalToken })
  const known = await personal.projects.list()
  const project = known[0] ?? (await personal.projects.create({ name: 'sync' }))
  await personal.close()
  guardSecret(project.apiKey)
  guardSecret(service.personalToken)
  const client = createClient({ ...CLIENT, baseUrl: service.baseUrl, apiKey: project.apiKey })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= client.close().then(() => service.close())
    return closed
  }
  onTestFinished(close)
  requests.length = 0
  const note = (method: string) => {
    own[method] = (own[method] ?? 0) + 1
  }
  return {
    baseUrl: service.baseUrl,
    project,
    requests,
    client,
    close,
    count: (method) => requests.filter((one) => one.method === method).length - (own[method] ?? 0),
    async texts(language, namespace = 'common') {
      const found: Record<string, string> = {}
      for await (const { key, text } of client.translations.queryAll({ language, namespace })) found[key] = text
      return found
    },
    async edit(key, language, text, namespace = 'common') {
      const known = await client.translations.query({ key, namespace })
      const empty = await client.translations.query({ key, namespace, textStatus: 'EMPTY' })
      if (known.translations.length + empty.translations.length === 0) {
        note('POST')
        await client.keys.create({ key, namespace })
      }
      note('PATCH')
      await client.translations.set({ key, namespace, language, text })
    },
  }
}

export interface TestEngine {
  readonly engine: SyncEngine
  readonly lines: string[]
  /** Texts that the page was to show otherwise, because of the service. */
  readonly shown: TextRef[]
  /** The project's files as another reader sees them now. */
  readonly files: () => FileIndex
}

export interface EngineSetup extends Partial<Omit<SyncEngineOptions, 'config'>> {
  readonly root: string
  readonly service?: Pick<TestService, 'baseUrl' | 'project'> | undefined
  readonly options?: LocalizationOptions
}

export function configOf(root: string, service?: EngineSetup['service'], options: LocalizationOptions = {}) {
  const own = service && { baseUrl: service.baseUrl, apiKey: service.project.apiKey }
  return resolveConfig({ ...options, source: 'files', service: { ...own, ...options.service } }, { root, ci: false })
}

export async function startEngine({ root, service, options = {}, ...rest }: EngineSetup): Promise<TestEngine> {
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
  const look = () => {
    files.take()
    return files
  }
  return { engine, lines, shown, files: look }
}

export async function readJson(root: string, name: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(root, name), 'utf8')) as Record<string, string>
}
