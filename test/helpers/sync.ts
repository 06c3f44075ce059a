/** A sync engine on a temporary project, with its log and what it tells the page. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import type { TextRef } from '../../src/catalog/text-id.ts'
import type { LocalizationOptions } from '../../src/config/options.ts'
import { createFileIndex } from '../../src/files/file-index.ts'
import { createLogger } from '../../src/logger.ts'
import type { LocalServiceOptions } from '../../src/service.ts'
import { SyncEngine } from '../../src/sync/engine/engine.ts'
import type { SyncEngineOptions } from '../../src/sync/engine/state.ts'
import { whenOver } from './closing.ts'
import { startProject } from './local-project.ts'
import { resolveConfig } from './resolve-config.ts'

export type TestService = Awaited<ReturnType<typeof startService>>

const CLIENT = { proxy: false } as const

export async function startService(options: LocalServiceOptions = {}) {
  const project = await startProject({ languages: ['en', 'pl', 'de'], ...options })
  const { baseUrl, apiKey, requests } = project
  const client = createClient({ ...CLIENT, baseUrl, apiKey })
  whenOver(() => client.close())
  const own = { PATCH: 0, POST: 0, DELETE: 0 }
  return {
    ...project,
    client,
    /** How many writing requests of that method came, those of `edit` left out. */
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
      const known = await client.translations.query({ key, namespace })
      const empty = await client.translations.query({ key, namespace, textStatus: 'EMPTY' })
      if (known.translations.length + empty.translations.length === 0) {
        own.POST++
        await client.keys.create({ key, namespace })
      }
      own.PATCH++
      await client.translations.set({ key, namespace, language, text })
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
