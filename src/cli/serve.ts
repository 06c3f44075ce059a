/** `localization serve`: the local service in a process of its own. */
import path from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HttpProviderOptions } from '../service/providers/types.ts'
import type { CliIo } from './io.ts'

interface ServeOptions {
  port: number
  host: string
  data: string
  memory?: boolean
  filesPort?: number
  defaultLanguage: string
  language: readonly Named[]
  customer: readonly Named[]
  environment: readonly string[]
  rateLimit?: number
  maxUpload?: number
  providerA?: string
  providerB?: string
  revokeTokens?: boolean
  driver?: 'node:sqlite' | 'node-sqlite3-wasm'
  json?: boolean
}

interface Named {
  readonly key: string
  readonly name: string | undefined
}

/** Adds the command. It runs until the process is told to end, and then exits with 0. */
export function addServeCommand(program: Command, io: CliIo): void {
  program
    .command('serve')
    .description('Start the local service: every endpoint of the contract, on this machine.')
    .option('--port <number>', 'port; 0 takes a free one', wholeNumber, 4870)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <folder>', 'folder of the one data file', '.localization')
    .option('--memory', 'keep nothing: all data is gone when the service ends')
    .option('--files-port <number>', 'serve exported files on a second port, 0 for a free one', wholeNumber)
    .option('--default-language <key>', 'the one language of a new project', 'en')
    .option('--language <key[:name]>', 'a language every project has (repeatable)', collectNamed, [])
    .option('--customer <key[:description]>', 'a customer every project has (repeatable)', collectNamed, [])
    .option(
      '--environment <key>',
      'a custom environment, in publishing order; they stand between _latest and _production unless _production is named too (repeatable)',
      collect,
      [],
    )
    .option('--rate-limit <requests>', 'requests a minute per project, more get 429', wholeNumber)
    .option('--max-upload <bytes>', 'largest import file', wholeNumber)
    .option('--provider-a <address>', 'machine translation for PROVIDER_A; key in LOCALIZATION_PROVIDER_A_KEY')
    .option('--provider-b <address>', 'machine translation for PROVIDER_B; key in LOCALIZATION_PROVIDER_B_KEY')
    .option('--revoke-tokens', 'make the personal tokens of earlier starts invalid')
    .addOption(
      new Option('--driver <name>', 'which SQLite to use').choices(['node:sqlite', 'node-sqlite3-wasm'] as const),
    )
    .option('--json', 'print one line {"baseUrl","cdnUrl","personalToken"} once it answers, and nothing else')
    .action((options: ServeOptions) => serve(options, io))
}

async function serve(options: ServeOptions, io: CliIo): Promise<void> {
  const stopped = io.stopped()
  const { createLocalService } = await import('../service.ts')
  const { createLogger } = await import('../logger.ts')
  const service = await createLocalService({
    port: options.port,
    host: options.host,
    dataDir: options.memory ? undefined : path.resolve(io.cwd, options.data),
    filesPort: options.filesPort,
    defaultLanguage: options.defaultLanguage,
    languages: options.language,
    customers: options.customer.map(({ key, name }) => ({ key, description: name })),
    environments: options.environment,
    rateLimit: options.rateLimit,
    maxUploadBytes: options.maxUpload,
    providers: {
      ...provider(
        'PROVIDER_A',
        options.providerA,
        io.env.LOCALIZATION_PROVIDER_A_KEY,
        io.env.LOCALIZATION_PROVIDER_A_HEADER,
      ),
      ...provider(
        'PROVIDER_B',
        options.providerB,
        io.env.LOCALIZATION_PROVIDER_B_KEY,
        io.env.LOCALIZATION_PROVIDER_B_HEADER,
      ),
    },
    revokeTokens: options.revokeTokens,
    driver: options.driver,
    logger: createLogger({ write: (line) => io.err(`${line}\n`) }),
  })
  const { baseUrl, cdnUrl, personalToken } = service
  if (options.json) io.out(`${JSON.stringify({ baseUrl, cdnUrl, personalToken })}\n`)
  else {
    io.out(`service         ${baseUrl}\nhosting         ${cdnUrl}\npersonal token  ${personalToken}\n`)
    io.err('Ctrl-C ends it.\n')
  }
  await stopped
  await service.close()
}

/** `header` is `Name: value` with `{key}` for the key, where the provider wants something else than a bearer token. */
function provider(
  name: 'PROVIDER_A' | 'PROVIDER_B',
  address: string | undefined,
  apiKey: string | undefined,
  header: string | undefined,
): Record<string, HttpProviderOptions> {
  if (address === undefined) return {}
  const colon = header?.indexOf(':') ?? -1
  return {
    [name]: {
      address: address.replace(/\/+$/, ''),
      apiKey,
      ...(header !== undefined &&
        colon > 0 && { header: { name: header.slice(0, colon).trim(), value: header.slice(colon + 1).trim() } }),
    },
  }
}

function wholeNumber(value: string): number {
  if (!/^\d{1,12}$/.test(value)) throw new InvalidArgumentError('It is a whole number.')
  return Number(value)
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}

function collectNamed(value: string, previous: readonly Named[]): readonly Named[] {
  const colon = value.indexOf(':')
  const key = colon === -1 ? value : value.slice(0, colon)
  if (key === '') throw new InvalidArgumentError('The key is empty.')
  return [...previous, { key, name: colon === -1 ? undefined : value.slice(colon + 1) }]
}
