/** Parses the command line and runs the command. */
import path from 'node:path'
import { Command, CommanderError, Help } from 'commander'
import { SECRET_VARIABLES } from '../config/env.ts'
import { findRoot } from '../config/find.ts'
import { messageOf } from '../errors.ts'
import { packageVersion } from '../shared/package-version.ts'
import {
  type Act,
  addCommand,
  type CliCommand,
  type CommandContext,
  type CommandGroup,
  EXIT,
  type GlobalOptions,
} from './command.ts'
import { type CliIo, processIo } from './io.ts'
import { createOutput } from './output.ts'
import { printError, runCommand, SEE_HELP } from './run.ts'
import { toTerminal } from './text.ts'

type Load = () => Promise<{ readonly command: CliCommand | CommandGroup }>

/** All commands, in the order in which the help shows them. A command's file is loaded only when it is used. */
const GROUPS: Readonly<Record<string, readonly (readonly [usage: string, summary: string, load: Load])[]>> = {
  'Every day': [
    ['status', 'show the state of each language and namespace', () => import('./commands/status.ts')],
    ['pull', "write the service's changes into the files", () => import('./commands/pull.ts')],
    ['push', 'send changes in the files to the service', () => import('./commands/push.ts')],
    ['resolve [pattern...]', 'resolve conflicts', () => import('./commands/resolve.ts')],
    ['check', 'check texts for continuous integration', () => import('./commands/check.ts')],
  ],
  'Your project': [
    ['init', 'set up this project: configuration, plugin, first text', () => import('./commands/init.ts')],
    ['doctor', 'check the setup: versions, configuration, files, service', () => import('./commands/doctor.ts')],
    [
      'types',
      'write type declarations for languages, namespaces, keys and placeholders',
      () => import('./commands/types.ts'),
    ],
    [
      'generate',
      'write the modules of virtual:translations as files, for tools that take no plugins',
      () => import('./commands/generate.ts'),
    ],
    ['completion <shell>', 'print a completion script', () => import('./commands/completion.ts')],
    ['mcp', 'serve agents over the Model Context Protocol', () => import('./commands/mcp.ts')],
  ],
  'Texts and keys': [
    ['diff', 'show every text that differs from the service', () => import('./commands/diff.ts')],
    [
      'extract',
      "write keys that the code uses into the default language's files",
      () => import('./commands/extract.ts'),
    ],
    ['translate', 'machine-translate missing texts', () => import('./commands/translate.ts')],
    ['import <file...>', 'import files into the service', () => import('./commands/import.ts')],
    ['export', "download the service's export", () => import('./commands/export.ts')],
    ['keys add|remove', 'add keys to the service, or remove them', () => import('./commands/keys.ts')],
    ['translations list', "list the service's texts", () => import('./commands/translations.ts')],
  ],
  'Publishing and projects': [
    ['publish <environment...>', 'publish to hosting environments', () => import('./commands/publish.ts')],
    ['environment <key>', 'show what is published to an environment', () => import('./commands/environment.ts')],
    ['projects list|create', 'list or create projects', () => import('./commands/projects.ts')],
    ['release <folder>', 'put new texts into a finished build', () => import('./commands/release.ts')],
    [
      'fingerprint',
      'print one hash of what a build would get from the service',
      () => import('./commands/fingerprint.ts'),
    ],
  ],
  'Local service': [
    ['serve', 'start the local service', () => import('./commands/serve.ts')],
    [
      'service tokens|keys|copy',
      'manage credentials and data of the local service',
      () => import('./commands/service.ts'),
    ],
  ],
}

/** Runs one command line (without `node` and the script) and resolves to the exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  if (argv[0] === '__complete') return complete(argv.slice(1), io)
  for (const name of SECRET_VARIABLES) io.hide(io.env[name]?.trim())
  let code: number = EXIT.done
  const program = await createProgram(argv, async (command, options, args) => {
    const given = program.opts<Omit<GlobalOptions, 'root' | 'pathsFrom'> & { readonly root?: string }>()
    // `--root` need not contain a configuration.
    const pathsFrom = path.resolve(io.cwd, given.root ?? '')
    const root = given.root === undefined && given.config === undefined ? await findRoot(io.cwd) : pathsFrom
    const work = (context: CommandContext) => command.run(context, options as never, ...args)
    code = await runCommand(io, { ...given, root, pathsFrom }, work)
  })
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
    // Commander has already printed its own errors.
    if (!isUsage) logError(message)
    return isUsage ? EXIT.usage : EXIT.failure
  }
}

/** Called by shell completion scripts. */
async function complete(words: readonly string[], io: CliIo): Promise<number> {
  const { candidates } = await import('./commands/completion.ts')
  const found = candidates(await createProgram(words, async () => {}), words)
  io.out(found.map(({ word, description }) => `${word}\t${description}\n`).join(''))
  return EXIT.done
}

async function createProgram(argv: readonly string[], act: Act): Promise<Command> {
  const program = new Command('localization')
    .description('Carries translations between a localization service and your app.')
    .version(packageVersion())
    // Commander adds the `help` command to this group.
    .commandsGroup('Your project:')
    .helpCommand(true)
    .option(
      '--root <folder>',
      "the project's folder; default: the folder of the nearest configuration file, from here up to package.json",
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
  for (const [title, commands] of Object.entries(GROUPS)) {
    for (const [usage, summary, load] of commands) {
      const [name = '', rest = ''] = usage.split(' ')
      const isGroup = /^\w/.test(rest)
      const added = argv.includes(name)
        ? addCommand(program, isGroup ? name : usage, (await load()).command, act)
        : program.command(name).usage(rest)
      added.summary(summary).helpGroup(`${title}:`)
    }
  }
  return program
}

function prepare(command: Command, io: CliIo, logError: (message: string) => void): void {
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(toTerminal(text)),
      writeErr: (text) => io.err(toTerminal(text)),
      // Commander puts the most similar name on a second line. This prints one line.
      outputError: (text) => {
        const message = text.trim().replace(/^error: /, '')
        logError(`${message.replaceAll('\n', ' ')} ${SEE_HELP}`)
      },
    })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf, formatHelp: optionsLast })
  for (const child of command.commands) prepare(child, io, logError)
}

/** Puts the commands before the options. */
function optionsLast(command: Command, help: Help): string {
  const [usage = '', ...sections] = Help.prototype.formatHelp
    .call(help, command, help)
    .trimEnd()
    .split(/\n\n(?=\w.*:\n)/)
  const isOptions = (section: string) => /^(?:Options|Global Options):/.test(section)
  const ordered = [...sections.filter((each) => !isOptions(each)), ...sections.filter(isOptions)]
  return `${[usage, ...ordered].join('\n\n')}\n`
}

/** A command's name and its arguments or subcommands, without `[options]`. */
function termOf(command: Command): string {
  const names = command.commands.map((child) => child.name()).join('|')
  const term = names === '' ? command.usage().replace('[options]', '') : names
  return `${command.name()} ${term}`.replace(/\s+/g, ' ').trim()
}
