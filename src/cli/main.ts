/** Puts the commands together and turns what becomes of them into an exit code. */
import path from 'node:path'
import { Command, CommanderError } from 'commander'
import { LocalizationError, messageOf } from '../errors.ts'
import { packageVersion } from '../shared/package-version.ts'
import {
  type Act,
  type AddCommand,
  type CommandContext,
  type CommandResult,
  EXIT,
  type GlobalOptions,
  UsageError,
} from './command.ts'
import type { Connection } from './connect.ts'
import { type CliIo, processIo, stopCode } from './io.ts'
import { createOutput, type Output } from './output.ts'
import { toTerminal } from './text.ts'

/** One line a command, in the order the help shows them. Only the files of commands that are named are loaded. */
const COMMANDS: readonly (readonly [name: string, load: () => Promise<AddCommand>])[] = [
  ['init', async () => (await import('./commands/init.ts')).addInit],
  ['status', async () => (await import('./commands/status.ts')).addStatus],
  ['diff', async () => (await import('./commands/diff.ts')).addDiff],
  ['pull', async () => (await import('./commands/pull.ts')).addPull],
  ['push', async () => (await import('./commands/push.ts')).addPush],
  ['resolve', async () => (await import('./commands/resolve.ts')).addResolve],
  ['check', async () => (await import('./commands/check.ts')).addCheck],
  ['translate', async () => (await import('./commands/translate.ts')).addTranslate],
  ['publish', async () => (await import('./commands/publish.ts')).addPublish],
  ['environment', async () => (await import('./commands/environment.ts')).addEnvironment],
  ['import', async () => (await import('./commands/import.ts')).addImport],
  ['export', async () => (await import('./commands/export.ts')).addExport],
  ['keys', async () => (await import('./commands/keys.ts')).addKeys],
  ['translations', async () => (await import('./commands/translations.ts')).addTranslations],
  ['projects', async () => (await import('./commands/projects.ts')).addProjects],
  ['types', async () => (await import('./commands/types.ts')).addTypes],
  ['serve', async () => (await import('./commands/serve.ts')).addServe],
]

/** Runs one command line (without `node` and the script) and resolves to the exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  hideSecrets(io)
  let code: number = EXIT.done
  const program = createProgram(io)
  const act: Act =
    (work) =>
    async (...given) => {
      const globals = globalOptions(program, io)
      const args = given.slice(0, -2) as never
      const options = given.at(-2) as never
      code = await runCommand(io, globals, (context) => work(context, options, ...args))
    }
  const named = COMMANDS.filter(([name]) => argv.includes(name))
  for (const [, load] of named.length > 0 ? named : COMMANDS) (await load())(program, act)
  prepare(program, io)
  try {
    await program.parseAsync(argv as string[], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done
      if (argv.includes('--json')) printError(io, { code: 'USAGE', message: error.message.replace(/^error: /, '') })
      return EXIT.usage
    }
    if (argv.includes('--json')) printError(io, { code: 'INTERNAL', message: messageOf(error) })
    io.err(toTerminal(`localization: ${messageOf(error)}\n`))
    return EXIT.failure
  }
}

function createProgram(io: CliIo): Command {
  return new Command('localization')
    .description('Carries translations between a localization service and your app.')
    .version(packageVersion())
    .option('--root <folder>', "the project's folder", '.')
    .option('--config <file>', 'configuration file, relative to the root; otherwise localization.config.*')
    .option(
      '--mode <mode>',
      'read .env.<mode> too, as the bundler does in that mode; functions in the configuration get it',
    )
    .option('--env-dir <folder>', 'folder of the .env files, relative to the root: what envDir is to Vite', '.')
    .option('--json', 'print the result as one line of JSON')
    .option('-q, --quiet', 'print results, warnings and errors only')
    .option('--verbose', 'say more, and print the causes of errors')
    .option('--no-color', 'no colours (or set NO_COLOR)')
    .addHelpText(
      'after',
      '\nResults go to standard output, everything else to standard error.\nExit code: 0 done, 1 a finding or a failure, 2 wrong usage, 130 stopped by Ctrl-C before it was done.',
    )
    .configureOutput(writers(io))
}

/** What every command, and every command of a command, has in common. */
function prepare(command: Command, io: CliIo): void {
  command
    .exitOverride()
    .configureOutput(writers(io))
    .showHelpAfterError('(--help says more)')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
  for (const child of command.commands) prepare(child, io)
}

/** The command and what it takes; that it has options goes without saying. */
function termOf(command: Command): string {
  const names = command.commands.map((child) => child.name())
  const takes = command.registeredArguments.map((each) => {
    const name = `${each.name()}${each.variadic ? '...' : ''}`
    return each.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...(names.length > 0 ? [names.join('|')] : takes)].join(' ')
}

function globalOptions(program: Command, io: CliIo): GlobalOptions {
  const { root, config, mode, envDir, json, quiet, verbose, color } = program.opts<{
    root: string
    config?: string
    mode?: string
    envDir: string
    json?: boolean
    quiet?: boolean
    verbose?: boolean
    color: boolean
  }>()
  return {
    root: path.resolve(io.cwd, root),
    configFile: config,
    mode,
    envDir,
    json: json === true,
    quiet: quiet === true,
    verbose: verbose === true,
    color,
  }
}

async function runCommand(
  io: CliIo,
  globals: GlobalOptions,
  work: (context: CommandContext) => Promise<CommandResult | undefined>,
): Promise<number> {
  const out = createOutput(io, globals)
  const connections: Promise<Connection>[] = []
  let config: ReturnType<CommandContext['config']> | undefined
  const context: CommandContext = {
    io,
    out,
    globals,
    signal: io.stopSignal,
    config() {
      config ??= readConfig(io, globals, out)
      return config
    },
    async client({ endsOnStop = true } = {}) {
      const resolved = await context.config()
      const { connect } = await import('./connect.ts')
      connections[0] ??= connect(resolved, endsOnStop ? io.stopSignal : undefined, io.hide)
      return (await connections[0]).client
    },
  }
  try {
    const result = await work(context)
    if (result) {
      const text = globals.json ? JSON.stringify(result.data) : result.text(out.paint)
      if (text !== '') io.out(toTerminal(`${text}\n`))
    }
    if (!result?.failed) return EXIT.done
    return io.stopSignal.aborted ? stopCode(io.stopSignal) : EXIT.failure
  } catch (error) {
    return reportFailure(error, io, globals, out)
  } finally {
    for (const connection of connections) {
      await connection.then(
        (opened) => opened.close(),
        () => undefined,
      )
    }
  }
}

async function readConfig(io: CliIo, { root, configFile, mode, envDir }: GlobalOptions, out: Output) {
  const [{ loadConfig }, { headerSecrets }] = await Promise.all([
    import('../config/resolve.ts'),
    import('../config/headers.ts'),
  ])
  const config = await loadConfig({ root, configFile, mode, envDir, env: io.env, warn: out.warn })
  const { apiKey, personalToken, headers } = config.service
  for (const secret of [apiKey, personalToken, ...headerSecrets(headers)]) io.hide(secret)
  return config
}

function writers(io: CliIo) {
  return { writeOut: (text: string) => io.out(toTerminal(text)), writeErr: (text: string) => io.err(toTerminal(text)) }
}

/** What `--json` prints of every failure. */
function printError(
  io: CliIo,
  error: { readonly code: string; readonly message: string; readonly hint?: string },
): void {
  io.out(toTerminal(`${JSON.stringify({ error })}\n`))
}

/** One line with what to do next; with `--verbose` the causes behind it. */
function reportFailure(error: unknown, io: CliIo, { json, verbose }: GlobalOptions, out: Output): number {
  if (error instanceof UsageError) {
    if (json) printError(io, { code: 'USAGE', message: error.message })
    io.err(toTerminal(`error: ${error.message}\n(--help says more)\n`))
    return EXIT.usage
  }
  if (io.stopSignal.aborted) {
    out.warn('stopped before it was done')
    if (json) printError(io, { code: 'STOPPED', message: 'stopped before it was done' })
    return stopCode(io.stopSignal)
  }
  const known = error instanceof LocalizationError ? error : undefined
  const message = known ? known.message : `failed: ${messageOf(error)}`
  if (json) {
    const { code = 'INTERNAL', hint } = known ?? {}
    printError(io, { code, message, ...(hint !== undefined && { hint }) })
  }
  out.logger.error(message)
  if (verbose) {
    for (let cause = known ? known.cause : error, depth = 0; cause !== undefined && depth < 5; depth++) {
      io.err(toTerminal(`  caused by: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`))
      cause = cause instanceof Error ? cause.cause : undefined
    }
  }
  return EXIT.failure
}

/** Whatever a service, a file or an error brings along: these never reach the terminal. */
function hideSecrets(io: CliIo): void {
  for (const name of ['LOCALIZATION_API_KEY', 'LOCALIZATION_PERSONAL_TOKEN', 'LOCALIZATION_PROVIDER_B_API_KEY'])
    io.hide(io.env[name]?.trim())
}
