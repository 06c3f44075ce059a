/** A build, and the commands, with the built package against whatever answers at an address. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { API_KEY } from './api-client.ts'
import { importing } from './apps.ts'
import { allBundlers } from './bundlers.ts'
import { secretsIn } from './canary.ts'
import { type CliRun, runCli } from './cli.ts'
import { runEntry } from './run.ts'
import { tempFolder, writeTree } from './temp.ts'
import { type SeenRequest, sendData, startServer, type ThrowawayServer } from './throwaway-server.ts'

const rollup = allBundlers.find(({ name }) => name === 'rollup') as (typeof allBundlers)[number]

export interface Outcome {
  readonly root: string
  /** Of the default language and namespace, as the built app shows them. */
  readonly texts?: Record<string, string>
  /** Why there is no output. */
  readonly failure?: string
}

/** Builds with Rollup and runs what came out. A failure shows no secret and leaves no output. */
export async function buildFrom(baseUrl: string, options: PluginOptions = {}, at?: string): Promise<Outcome> {
  const root = at ?? (await tempFolder())
  await writeTree(root, { 'main.js': importing(['virtual:translations/en/default']) })
  const service = { baseUrl, cdnUrl: `${baseUrl}/_cdn`, apiKey: API_KEY, ...options.service }
  try {
    const output = await rollup.build({
      root,
      entries: { main: 'main.js' },
      options: { configFile: false, defaultLanguage: 'en', ...options, service },
    })
    const [module] = await runEntry<[{ default?: Record<string, string> } & Record<string, string>]>(
      output.entryFile('main'),
    )
    return { root, texts: (module.default ?? module) as Record<string, string> }
  } catch (error) {
    expect(secretsIn(String(error))).toEqual([])
    expect(existsSync(join(root, 'dist'))).toBe(false)
    return { root, failure: (error as Error).message }
  }
}

type Answer = Parameters<typeof startServer>[0]

export interface ExportServiceOptions {
  /** Answers instead, where it returns something other than `false`. */
  readonly before?: (seen: SeenRequest, response: Parameters<Answer>[1], index: number) => unknown
  readonly texts?: object
  /** Where the exported file is said to lie. */
  readonly fileAddress?: (origin: string) => string
}

/** A service that knows the export of one language, and says what the test says first. */
export async function startExportService({
  before = () => false,
  texts = { title: 'Title' },
  fileAddress = (origin) => `${origin}/files/1.json`,
}: ExportServiceOptions = {}): Promise<ThrowawayServer> {
  const server = await startServer((seen, response, index) => {
    if (before(seen, response, index) !== false) return
    if (seen.path === '/api/v4/export') {
      return sendData(response, { files: [{ url: fileAddress(server.url), language: 'en', namespace: '' }] })
    }
    if (seen.path === '/files/1.json') return void response.end(JSON.stringify(texts))
    response.writeHead(404).end()
  })
  return server
}

/** An environment's status, as the contract has it, with these resources. */
export function environmentStatus(resources: readonly object[] = []): object {
  return {
    numberOfKeys: 1,
    numberOfLanguages: 1,
    numberOfNonEmptyTranslations: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    resources,
  }
}

/** The built command in a folder, with a key for the address. What it prints shows no secret. */
export async function command(
  cwd: string,
  baseUrl: string,
  args: readonly string[],
  { apiKey = API_KEY, env = {} }: { readonly apiKey?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CliRun> {
  const service = {
    LOCALIZATION_BASE_URL: baseUrl,
    LOCALIZATION_CDN_URL: `${baseUrl}/_cdn`,
    LOCALIZATION_API_KEY: apiKey,
  }
  const outcome = await runCli(args, { cwd, env: { ...service, ...env } })
  expect(secretsIn(outcome.output)).toEqual([])
  return outcome
}
