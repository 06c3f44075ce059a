/** Puts the commands together into one program. */
import path from 'node:path'
import { Command, CommanderError } from 'commander'
import { SECRET_VARIABLES } from '../config/env.ts'
import { findRoot } from '../config/find.ts'
import { messageOf } from '../errors.ts'
import { packageVersion } from '../shared/package-version.ts'
import { type Act, type AddCommand, EXIT, type GlobalOptions } from './command.ts'
import { type CliIo, processIo } from './io.ts'
import { createOutput } from './output.ts'
import { printError, runCommand, SEE_HELP } from './run.ts'
import { toTerminal } from './text.ts'

/** One line for each command, in the order of the help. Only the files of commands that are named are loaded. */
const COMMANDS: readonly (readonly [name: string, load: () => Promise<AddCommand>])[] = [
  ['init', async () => (await import('./commands/init.ts')).addInit],
  ['status', async () => (await import('./commands/status.ts')).addStatus],
  ['diff', async () => (await import('./commands/diff.ts')).addDiff],
  ['pull', async () => (await import('./commands/pull.ts')).addPull],
  ['push', async () => (await import('./commands/push.ts')).addPush],
  ['resolve', async () => (await import('./commands/resolve.ts')).addResolve],
  ['check', async () => (await import('./commands/check.ts')).addCheck],
  ['extract', async () => (await import('./commands/extract.ts')).addExtract],
  ['translate', async () => (await import('./commands/translate.ts')).addTranslate],
  ['publish', async () => (await import('./commands/publish.ts')).addPublish],
  ['environment', async () => (await import('./commands/environment.ts')).addEnvironment],
  ['import', async () => (await import('./commands/import.ts')).addImport],
  ['export', async () => (await import('./commands/export.ts')).addExport],
  ['keys', async () => (await import('./commands/keys.ts')).addKeys],
  ['translations', async () => (await import('./commands/translations.ts')).addTranslations],
  ['projects', async () => (await import('./commands/projects.ts')).addProjects],
  ['types', async () => (await import('./commands/types.ts')).addTypes],
  ['generate', async () => (await import('./commands/generate.ts')).addGenerate],
  ['fingerprint', async () => (await import('./commands/fingerprint.ts')).addFingerprint],
  ['service', async () => (await import('./commands/service.ts')).addService],
  ['doctor', async () => (await import('./commands/doctor.ts')).addDoctor],
  ['serve', async () => (await import('./commands/serve.ts')).addServe],
  ['completion', async () => (await import('./commands/completion.ts')).addCompletion],
  ['mcp', async () => (await import('./commands/mcp.ts')).addMcp],
]

/** Runs one command line (without `node` and the script) and resolves to the exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  for (const name of SECRET_VARIABLES) io.hide(io.env[name]?.trim())
  let code: number = EXIT.done
  const program = createProgram()
  const act: Act =
    (work) =>
    async (...given) => {
      const globals = program.opts<GivenOptions>()
      const args = given.slice(0, -2) as never
      const options = given.at(-2) as never
      code = await runCommand(io, { ...globals, ...(await foldersOf(globals, io)) }, (context) =>
        work(context, options, ...args),
      )
    }
  const named = COMMANDS.filter(([name]) => argv.includes(name))
  for (const [, load] of named.length > 0 ? named : COMMANDS) (await load())(program, act, runCli, declareAll)
  const { error: logError } = createOutput(io, { color: !argv.includes('--no-color') }).logger
  prepare(program, io, logError)
  try {
    await program.parseAsync(argv as string[], { from: 'user' })
    return code
  } catch (error) {
    const isUsage = error instanceof CommanderError
    if (isUsage && error.exitCode === 0) return EXIT.done
    const message = messageOf(error).replace(/^error: /, '')
    if (argv.includes('--json')) printError(io, isUsage ? 'USAGE' : 'INTERNAL', message)
    // Commander has printed the others.
    if (!isUsage) logError(message)
    return isUsage ? EXIT.usage : EXIT.failure
  }
}

type GivenOptions = Omit<GlobalOptions, 'root' | 'pathsFrom'> & { readonly root?: string }

/** A folder that `--root` names is the project's, also without a configuration. */
async function foldersOf({ root, config }: GivenOptions, { cwd }: CliIo) {
  if (root !== undefined) return { root: path.resolve(cwd, root), pathsFrom: path.resolve(cwd, root) }
  return { root: config === undefined ? await findRoot(cwd) : cwd, pathsFrom: cwd }
}

/** Every command with its options, for those who only read the declarations. */
async function declareAll(): Promise<Command> {
  const program = createProgram()
  const act: Act = () => async () => {}
  for (const [, load] of COMMANDS) (await load())(program, act, runCli, declareAll)
  return program
}

function createProgram(): Command {
  return new Command('localization')
    .description('Carries translations between a localization service and your app.')
    .version(packageVersion())
    .option(
      '--root <folder>',
      "the project's folder; default: that of the nearest configuration file, from here up to package.json",
    )
    .option('--config <file>', 'configuration file, relative to the root; default: localization.config.*')
    .option('--mode <mode>', 'also read .env.<mode>, as the bundler does; a configuration function receives the mode')
    .option('--env-dir <folder>', 'folder of the .env files, relative to the root, like envDir in Vite', '.')
    .option('--json', 'print the result as one line of JSON')
    .option('-q, --quiet', 'print results, warnings and errors only')
    .option('--verbose', 'print more messages, and the causes of errors')
    .option('--no-color', 'print no colors (or set NO_COLOR)')
    .addHelpText(
      'after',
      '\nResults go to standard output, everything else to standard error.\n' +
        'Exit code: 0 done, 1 a finding or a failure, 2 wrong usage, 130 stopped by Ctrl-C before it was done.',
    )
}

/** Settings of commander for every command and subcommand. */
function prepare(command: Command, io: CliIo, logError: (message: string) => void): void {
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(toTerminal(text)),
      writeErr: (text) => io.err(toTerminal(text)),
      // One line, with the nearest name that exists.
      outputError: (text) =>
        logError(
          `${text
            .trim()
            .replace(/^error: /, '')
            .replaceAll('\n', ' ')} ${SEE_HELP}`,
        ),
    })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
  for (const child of command.commands) prepare(child, io, logError)
}

/** The name of a command with its arguments or its subcommands, without `[options]`. */
function termOf(command: Command): string {
  const names = command.commands.map((child) => child.name()).join('|')
  const term = names === '' ? command.usage().replace('[options]', '') : names
  return `${command.name()} ${term}`.replace(/\s+/g, ' ').trim()
}
