/** `localization serve`: the local service in a process of its own. */
import { once } from 'node:events'
import path from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import type { LocalServiceOptions } from '../../service/options.ts'
import type { HttpProviderOptions } from '../../service/providers/types.ts'
import type { LocalService } from '../../service/server.ts'
import { type AddCommand, type CommandContext, type CommandResult, examples } from '../command.ts'
import type { CliIo } from '../io.ts'
import { collect, durationMs, portNumber, wholeNumber } from '../options.ts'
import type { LogFormat } from '../service-log.ts'

interface ServeOptions {
  port: number
  host: string
  data: string
  memory?: boolean
  database?: string
  filesPort?: number
  publicUrl?: string
  defaultLanguage: string
  language: readonly Named[]
  customer: readonly Named[]
  environment: readonly string[]
  rateLimit?: number
  maxUpload?: number
  providerA?: string
  providerB?: string
  drain: number
  finish: number
  metrics?: boolean
  logFormat: LogFormat
  logRequests?: boolean
  keepTokens?: boolean
  check?: boolean
  driver?: 'node:sqlite' | 'node-sqlite3-wasm'
}

interface Named {
  readonly key: string
  readonly name: string | undefined
}

/** Runs until the process receives a signal to end. With `--json` it prints one line when the service is ready. */
export const addServe: AddCommand = (program, act) => {
  program
    .command('serve')
    .summary('start the local service')
    .description('Start the local service: every endpoint of the contract, on this machine.')
    .option('--port <number>', 'port; 0 selects a free port', portNumber, 4870)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <folder>', 'folder of the data', '.localization/service')
    .option('--memory', 'keep the data in memory, only until the service ends')
    .addOption(
      new Option(
        '--database <url>',
        'PostgreSQL in place of the folder: postgres://user@host:5432/database; LOCALIZATION_DATABASE_URL keeps a ' +
          'password out of the list of processes',
      ).conflicts(['memory', 'driver']),
    )
    .option('--public-url <address>', 'address under which clients reach the service through a proxy')
    .option('--files-port <number>', 'serve exported files on a second port; 0 selects a free port', portNumber)
    .option('--default-language <key>', 'the one language of a new project', 'en')
    .option('--language <key[:name]>', 'a language of every project (repeatable)', collectNamed, [])
    .option('--customer <key[:description]>', 'a customer of every project (repeatable)', collectNamed, [])
    .option(
      '--environment <key>',
      'a custom environment, in publishing order (repeatable); comes between _latest and _production, unless ' +
        '_production is named too',
      collect,
      [],
    )
    .option('--rate-limit <requests>', 'maximum requests per minute and project; further requests get 429', wholeNumber)
    .option('--max-upload <bytes>', 'maximum size of an import file', wholeNumber)
    .option(
      '--provider-a <address>',
      'address of PROVIDER_A for machine translation; its key is in LOCALIZATION_PROVIDER_A_KEY',
    )
    .option(
      '--provider-b <address>',
      'address of PROVIDER_B for machine translation; its key is in LOCALIZATION_PROVIDER_B_KEY',
    )
    .option('--drain <time>', 'on SIGTERM, how long to take requests after /ready answers 503', durationMs, 0)
    .option('--finish <time>', 'then, how long the last requests may take', durationMs, 30_000)
    .option(
      '--metrics',
      'figures for Prometheus at /metrics; LOCALIZATION_METRICS_TOKEN or a personal token opens them',
    )
    .addOption(new Option('--log-format <format>', 'how to log').choices(['text', 'json'] as const).default('text'))
    .option('--log-requests', 'log every request: method, route, status and time')
    .option('--keep-tokens', 'keep personal tokens of earlier starts valid; the default with --database')
    .addOption(
      new Option('--driver <name>', 'which SQLite to use').choices(['node:sqlite', 'node-sqlite3-wasm'] as const),
    )
    .option('--check', 'only start, look for damage in the data, and stop; exits with 1 if something is wrong')
    .addHelpText(
      'after',
      examples('serve --port 4870', 'serve --port 0 --memory --json', 'serve --database postgres://app@db/app'),
    )
    .action(act(serve))
}

async function serve(
  { io, out, globals, signal }: CommandContext,
  options: ServeOptions,
): Promise<CommandResult | undefined> {
  const { createServiceLog } = await import('../service-log.ts')
  const databaseUrl = options.memory ? undefined : (options.database ?? (io.env.LOCALIZATION_DATABASE_URL || undefined))
  const isInFolder = !options.memory && databaseUrl === undefined
  const metricsToken = io.env.LOCALIZATION_METRICS_TOKEN?.trim() || undefined
  io.hide(metricsToken)
  const log = createServiceLog(options.logFormat, (line) => io.err(`${line}\n`))
  const givenToken = io.env.LOCALIZATION_PERSONAL_TOKEN?.trim() || undefined
  const settings: LocalServiceOptions = {
    port: options.port,
    host: options.host,
    dataDir: isInFolder ? path.resolve(globals.root, options.data) : undefined,
    databaseUrl,
    filesPort: options.filesPort,
    publicUrl: options.publicUrl,
    defaultLanguage: options.defaultLanguage,
    languages: options.language,
    customers: options.customer.map(({ key, name }) => ({ key, description: name })),
    environments: options.environment,
    rateLimit: options.rateLimit,
    maxUploadBytes: options.maxUpload,
    providers: {
      PROVIDER_A: provider(options.providerA, 'LOCALIZATION_PROVIDER_A', io.env),
      PROVIDER_B: provider(options.providerB, 'LOCALIZATION_PROVIDER_B', io.env),
    },
    personalToken: givenToken,
    revokeTokens: options.keepTokens ? false : undefined,
    driver: options.driver,
    drainMs: options.drain,
    finishMs: options.finish,
    metrics: options.metrics && (metricsToken === undefined || { token: metricsToken }),
    onAnswer: options.logRequests ? log.request : undefined,
    logger: log.logger,
  }
  if (options.check) return check(settings)
  const { createLocalService } = await import('../../service.ts')
  const service = await createLocalService(settings)
  const { baseUrl, cdnUrl, isOwnToken } = service
  const personalToken = givenToken !== undefined || isOwnToken ? null : service.personalToken
  if (globals.json) io.out(`${JSON.stringify({ baseUrl, cdnUrl, personalToken })}\n`)
  else {
    const known = givenToken === undefined ? 'the database has one already' : 'LOCALIZATION_PERSONAL_TOKEN'
    io.out(`${addressLines(service)}personal token  ${personalToken ?? known}\n`)
    out.say('Ctrl-C stops it.')
  }
  if (!signal.aborted) await once(signal, 'abort')
  await service.close()
  return undefined
}

export const serveCheckResult = z.object({
  baseUrl: z.string(),
  cdnUrl: z.string(),
  /** The file or the database without damage; `null`: there is no data yet. */
  data: z.string().nullable(),
})

async function check(service: LocalServiceOptions): Promise<CommandResult> {
  const { checkService } = await import('../../service/check.ts')
  const { baseUrl, cdnUrl, data = null } = await checkService(service)
  const result: z.infer<typeof serveCheckResult> = { baseUrl, cdnUrl, data }
  const found = data === null ? 'there is none yet' : `no damage found in ${data}`
  return { data: result, text: () => `${addressLines(result)}data            ${found}` }
}

const addressLines = ({ baseUrl, cdnUrl }: Pick<LocalService, 'baseUrl' | 'cdnUrl'>) =>
  `service         ${baseUrl}\nhosting         ${cdnUrl}\n`

/** The header's variable is `Name: value` with `{key}` for the key, if the provider wants no bearer token. */
function provider(address: string | undefined, variables: string, env: CliIo['env']): HttpProviderOptions | undefined {
  if (address === undefined) return undefined
  const given = env[`${variables}_HEADER`] || undefined
  const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(given ?? '') ?? []
  return {
    address: address.replace(/\/+$/, ''),
    apiKey: env[`${variables}_KEY`],
    // The service refuses what is no header.
    header: given === undefined ? undefined : { name: name.trim(), value: value.trim() },
  }
}

function collectNamed(value: string, previous: readonly Named[]): readonly Named[] {
  const [, key = '', name] = /^([^:]*)(?::(.*))?$/s.exec(value) ?? []
  if (key === '') throw new InvalidArgumentError('The key is empty.')
  return [...previous, { key, name }]
}
