/** A sync engine on a project's folder and service, with its log and what it tells the page. */
import { onTestFinished } from 'vitest'
import { type Client, createClient } from '../../src/api/client.ts'
import type { TextRef } from '../../src/catalog/text-id.ts'
import type { LocalizationOptions } from '../../src/config/options.ts'
import { FileIndex } from '../../src/files/file-index.ts'
import { createLogger } from '../../src/logger.ts'
import { SyncEngine } from '../../src/sync/engine.ts'
import type { SyncEngineOptions } from '../../src/sync/project.ts'
import { whenOver } from './closing.ts'
import { resolveConfig } from './resolve-config.ts'

export interface Service {
  readonly baseUrl: string
  readonly apiKey: string
}

const CLIENT = { proxy: false } as const

export function clientOf({ baseUrl, apiKey }: Service): Client {
  const client = createClient({ ...CLIENT, baseUrl, apiKey })
  whenOver(() => client.close())
  return client
}

/** Where it is: a project's folder, and its service if it has one. */
export interface Place {
  readonly root: string
  readonly service?: Service | undefined
}

export interface EngineOptions extends Partial<Omit<SyncEngineOptions, 'config'>> {
  readonly options?: LocalizationOptions
}

export type RunningEngine = Awaited<ReturnType<typeof startEngine>>

export function configOf(root: string, service?: Service, options: LocalizationOptions = {}) {
  const own = service && { baseUrl: service.baseUrl, apiKey: service.apiKey }
  return resolveConfig({ ...options, source: 'files', service: { ...own, ...options.service } }, { root, ci: false })
}

export async function startEngine({ root, service, options = {}, ...rest }: Place & EngineOptions) {
  const lines: string[] = []
  const shown: TextRef[] = []
  const config = configOf(root, service, options)
  const { baseUrl, apiKey, retries, requestsPerMinute } = config.service
  const index = new FileIndex(config, rest.clock)
  const engine = new SyncEngine({
    config,
    logger: createLogger({ level: 'debug', write: (line) => lines.push(line) }),
    openClient: () => createClient({ ...CLIENT, baseUrl, apiKey, retries, requestsPerMinute }),
    files: { index, seen: index.snapshot },
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
    index,
    /** The project's files at the last look. */
    files: () => index.snapshot,
  }
}
