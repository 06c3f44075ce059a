/** Puts the commands together and turns what becomes of them into an exit code. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { LocalizationError, messageOf } from '../errors.ts'
import { type CliIo, processIo } from './io.ts'
import { addServeCommand } from './serve.ts'

/** One line a command; each file adds one and loads what it needs when it runs. */
const COMMANDS: readonly ((program: Command, io: CliIo) => void)[] = [addServeCommand]

/** Exit codes: done, a finding or a failure, wrong usage. */
export const EXIT = { done: 0, failure: 1, usage: 2 } as const

/** Runs one command line (without `node` and the script) and resolves to the exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  const program = new Command('localization')
    .description('Carries translations between a localization service and your app.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .showHelpAfterError('(--help says more)')
  for (const add of COMMANDS) add(program, io)
  for (const command of program.commands) {
    command.exitOverride().configureOutput({ writeOut: io.out, writeErr: io.err })
  }
  try {
    await program.parseAsync(argv as string[], { from: 'user' })
    return EXIT.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    io.err(`localization: ${error instanceof LocalizationError ? error.message : `failed: ${messageOf(error)}`}\n`)
    return EXIT.failure
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
