/** `localization serve` runs the local service in its own process. */
import { once } from 'node:events'
import path from 'node:path'
import { InvalidArgumentError } from 'commander'
import * as z from 'zod'
import { createLogger, type LogLevel } from '../../logger.ts'
import type { LocalServiceOptions } from '../../service/options.ts'
import type { HttpProviderOptions } from '../../service/providers.ts'
import type { LocalService } from '../../service/server.ts'
import type { AnswerInfo } from '../../service.ts'
import {
  type CommandContext,
  choice,
  defineCommand,
  durationMs,
  flag,
  type Given,
  list,
  value,
  wholeNumber,
} from '../command.ts'
import type { CliIo } from '../io.ts'

export const serveCheckResult = z.object({
  baseUrl: z.string(),
  cdnUrl: z.string(),
  /** The file or database that was checked; `null` if there is no data yet. */
  data: z.string().nullable(),
})

const options = {
  port: value('<number>', 'port; 0 selects a free port', portNumber, 4870),
  host: value('<address>', 'address to listen on', String, '127.0.0.1'),
  data: value('<folder>', 'data folder', String, '.localization/service'),
  memory: flag('keep the data in memory until the service stops'),
  database: {
    ...value(
      '<url>',
      'PostgreSQL instead of the folder: postgres://user@host:5432/database; LOCALIZATION_DATABASE_URL keeps a ' +
        'password out of the process list',
    ),
    conflicts: ['memory', 'driver'],
  },
  publicUrl: value('<url>', 'URL at which clients reach the service through a proxy'),
  filesPort: value('<number>', 'serve exported files on a second port; 0 selects a free port', portNumber),
  defaultLanguage: value('<key>', 'the only language of a new project', String, 'en'),
  language: list('<key[:name]>', 'a language of every project (repeatable)', named),
  customer: list('<key[:description]>', 'a customer of every project (repeatable)', named),
  environment: list(
    '<key>',
    'a custom environment, in publishing order (repeatable); comes between _latest and _production, unless ' +
      '_production is named too',
  ),
  rateLimit: value('<requests>', 'maximum requests per minute and project; further requests get 429', wholeNumber),
  maxUpload: value('<bytes>', 'maximum size of an import file', wholeNumber),
  providerA: value('<url>', 'URL of PROVIDER_A for machine translation; its key is in LOCALIZATION_PROVIDER_A_KEY'),
  providerB: value('<url>', 'URL of PROVIDER_B for machine translation; its key is in LOCALIZATION_PROVIDER_B_KEY'),
  drain: value('<time>', 'on SIGTERM, how long to accept requests after /ready returns 503', durationMs, 0),
  finish: value('<time>', 'how long the last requests may then take', durationMs, 30_000),
  metrics: flag('serve Prometheus metrics at /metrics, protected by LOCALIZATION_METRICS_TOKEN or a personal token'),
  logFormat: choice('<format>', 'how to log', ['text', 'json'], 'text'),
  logRequests: flag('log every request: method, route, status and time'),
  keepTokens: flag('keep personal tokens from earlier starts valid; the default with --database'),
  driver: choice('<name>', 'which SQLite to use', ['node:sqlite', 'node-sqlite3-wasm']),
  check: flag('start, check the data for damage, and stop; exits with 1 if something is wrong'),
}

/** Runs until it is stopped. With `--json`, it prints one line when the service is ready. */
export const command = defineCommand({
  description: 'Start the local service: every endpoint of the contract, on this machine.',
  examples: ['serve --port 4870', 'serve --port 0 --memory --json', 'serve --database postgres://app@db/app'],
  options,
  result: serveCheckResult,
  async work({ io, out, globals, signal }, given) {
    const settings = serviceOptions(io, globals.root, given)
    if (given.check) {
      const { checkService } = await import('../../service/check.ts')
      const { baseUrl, cdnUrl, data = null } = await checkService(settings)
      return { data: { baseUrl, cdnUrl, data } }
    }
    const { createLocalService } = await import('../../service.ts')
    const service = await createLocalService(settings)
    const { baseUrl, cdnUrl, isOwnToken } = service
    const isGiven = settings.personalToken !== undefined
    const personalToken = isGiven || isOwnToken ? null : service.personalToken
    if (globals.json) io.out(`${JSON.stringify({ baseUrl, cdnUrl, personalToken })}\n`)
    else {
      const known = isGiven ? 'LOCALIZATION_PERSONAL_TOKEN' : 'the database has one already'
      io.out(`${addressLines(service)}personal token  ${personalToken ?? known}\n`)
      out.say('Press Ctrl-C to stop.')
    }
    if (!signal.aborted) await once(signal, 'abort')
    await service.close()
    return undefined
  },
  text({ data }) {
    const found = data.data === null ? 'none yet' : `no damage found in ${data.data}`
    return `${addressLines(data)}data            ${found}`
  },
})

function serviceOptions(io: CommandContext['io'], root: string, given: Given<typeof options>): LocalServiceOptions {
  const databaseUrl = given.memory ? undefined : (given.database ?? (io.env.LOCALIZATION_DATABASE_URL || undefined))
  const isInFolder = !given.memory && databaseUrl === undefined
  const metricsToken = io.env.LOCALIZATION_METRICS_TOKEN?.trim() || undefined
  io.hide(metricsToken)
  const log = (given.logFormat === 'json' ? jsonLog : textLog)((line) => io.err(`${line}\n`))
  return {
    port: given.port,
    host: given.host,
    dataDir: isInFolder ? path.resolve(root, given.data) : undefined,
    databaseUrl,
    filesPort: given.filesPort,
    publicUrl: given.publicUrl,
    defaultLanguage: given.defaultLanguage,
    languages: given.language ?? [],
    customers: (given.customer ?? []).map(({ key, name }) => ({ key, description: name })),
    environments: given.environment ?? [],
    rateLimit: given.rateLimit,
    maxUploadBytes: given.maxUpload,
    providers: {
      PROVIDER_A: provider(given.providerA, 'LOCALIZATION_PROVIDER_A', io.env),
      PROVIDER_B: provider(given.providerB, 'LOCALIZATION_PROVIDER_B', io.env),
    },
    personalToken: io.env.LOCALIZATION_PERSONAL_TOKEN?.trim() || undefined,
    revokeTokens: given.keepTokens ? false : undefined,
    driver: given.driver,
    drainMs: given.drain,
    finishMs: given.finish,
    metrics: given.metrics && (metricsToken === undefined || { token: metricsToken }),
    onAnswer: given.logRequests ? log.request : undefined,
    logger: log.logger,
  }
}

const addressLines = ({ baseUrl, cdnUrl }: Pick<LocalService, 'baseUrl' | 'cdnUrl'>) =>
  `service         ${baseUrl}\nhosting         ${cdnUrl}\n`

/** Providers without bearer tokens need a `_HEADER` variable: `Name: value`. `{key}` is the API key. */
function provider(address: string | undefined, variables: string, env: CliIo['env']): HttpProviderOptions | undefined {
  if (address === undefined) return undefined
  const given = env[`${variables}_HEADER`] || undefined
  const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(given ?? '') ?? []
  return {
    address: address.replace(/\/+$/, ''),
    apiKey: env[`${variables}_KEY`],
    // The service validates the header.
    header: given === undefined ? undefined : { name: name.trim(), value: value.trim() },
  }
}

function portNumber(value: string): number {
  const port = wholeNumber(value)
  if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535; 0 selects a free one.')
  return port
}

function named(value: string): { readonly key: string; readonly name: string | undefined } {
  const [, key = '', name] = /^([^:]*)(?::(.*))?$/s.exec(value) ?? []
  if (key === '') throw new InvalidArgumentError('The key is empty.')
  return { key, name }
}

/** `request` writes one line after each response. */
function textLog(write: (line: string) => void) {
  const logger = createLogger({ write })
  const request = ({ method, route, status, ms, aborted, traceId }: AnswerInfo) => {
    const end = `${aborted ? ' (aborted by the client)' : ''}${traceId === undefined ? '' : ` (${traceId})`}`
    logger.info(`${method} ${route} ${status} ${Math.round(ms)} ms${end}`)
  }
  return { logger, request }
}

/** Writes one JSON object per line. */
function jsonLog(write: (line: string) => void): ReturnType<typeof textLog> {
  const line = (level: LogLevel, message: string, more: object = {}) =>
    write(JSON.stringify({ time: new Date().toISOString(), level, message, ...more }))
  return {
    logger: {
      debug: () => {},
      info: (message) => line('info', message),
      warn: (message) => line('warn', message),
      error: (message) => line('error', message),
    },
    request: ({ ms, ...answer }) => line('info', 'request', { ...answer, ms: Math.round(ms * 10) / 10 }),
  }
}
