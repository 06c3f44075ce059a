/** `localization serve`: the local service in a process of its own. */
import path from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HttpProviderOptions } from '../../service/providers/types.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { collect, portNumber, wholeNumber } from '../options.ts'

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
  keepTokens?: boolean
  driver?: 'node:sqlite' | 'node-sqlite3-wasm'
}

interface Named {
  readonly key: string
  readonly name: string | undefined
}

/** With `--json`: one line, once it answers, and nothing else. It runs until the process is told to end, and then exits with 0. */
export const addServe: AddCommand = (program: Command, act) => {
  program
    .command('serve')
    .summary('start the local service')
    .description('Start the local service: every endpoint of the contract, on this machine.')
    .option('--port <number>', 'port; 0 takes a free one', portNumber, 4870)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <folder>', 'folder of the one data file', '.localization/service')
    .option('--memory', 'keep nothing: all data is gone when the service ends')
    .option('--files-port <number>', 'serve exported files on a second port, 0 for a free one', portNumber)
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
    .option('--keep-tokens', 'personal tokens of earlier starts stay valid')
    .addOption(new Option('--revoke-tokens', 'the default since tokens of earlier starts end').hideHelp())
    .addOption(
      new Option('--driver <name>', 'which SQLite to use').choices(['node:sqlite', 'node-sqlite3-wasm'] as const),
    )
    .addHelpText('after', examples('serve --port 4870', 'serve --port 0 --memory --json'))
    .action(
      act(async (context, options: ServeOptions) => {
        await serve(options, context)
        return undefined
      }),
    )
}

async function serve(options: ServeOptions, { io, globals, signal }: CommandContext): Promise<void> {
  const { createLocalService } = await import('../../service.ts')
  const { createLogger } = await import('../../logger.ts')
  const service = await createLocalService({
    port: options.port,
    host: options.host,
    dataDir: options.memory ? undefined : path.resolve(globals.root, options.data),
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
    revokeTokens: !options.keepTokens,
    driver: options.driver,
    logger: createLogger({ write: (line) => io.err(`${line}\n`) }),
  })
  const { baseUrl, cdnUrl, personalToken } = service
  if (globals.json) io.out(`${JSON.stringify({ baseUrl, cdnUrl, personalToken })}\n`)
  else {
    io.out(`service         ${baseUrl}\nhosting         ${cdnUrl}\npersonal token  ${personalToken}\n`)
    if (!globals.quiet) io.err('Ctrl-C ends it.\n')
  }
  await untilStopped(signal)
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

function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function collectNamed(value: string, previous: readonly Named[]): readonly Named[] {
  const colon = value.indexOf(':')
  const key = colon === -1 ? value : value.slice(0, colon)
  if (key === '') throw new InvalidArgumentError('The key is empty.')
  return [...previous, { key, name: colon === -1 ? undefined : value.slice(colon + 1) }]
}
