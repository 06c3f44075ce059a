/** The parts of a command: a file that adds it to the program, a function that does the work, a result. */
import type { Command } from 'commander'
import type { Client } from '../api/client.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { CliIo } from './io.ts'
import type { Output, OutputSettings } from './output.ts'
import type { Paint } from './text.ts'

/** Exit codes: done, a finding or a failure, wrong usage. */
export const EXIT = { done: 0, failure: 1, usage: 2 } as const

/** The options that every command takes. */
export interface GlobalOptions extends OutputSettings {
  /** The project's folder, absolute. */
  readonly root: string
  /** The folder that paths among the arguments are relative to, absolute. */
  readonly pathsFrom: string
  readonly config?: string
  /** The bundler's mode: `.env.<mode>` counts. */
  readonly mode?: string
  /** The folder of the `.env` files, relative to the root. */
  readonly envDir: string
  readonly json?: boolean
}

export interface CommandContext {
  readonly io: CliIo
  readonly out: Output
  readonly globals: GlobalOptions
  /** Aborts on Ctrl-C. A command then reports what it has done so far. */
  readonly signal: AbortSignal
  /** The project's configuration, read once. */
  config(): Promise<ResolvedConfig>
  /**
   * A client of the configured service, connected once and closed by the frame. With `endsOnStop: false` at the first
   * call, Ctrl-C does not abort its calls. Default true.
   */
  client(options?: { readonly endsOnStop?: boolean }): Promise<Client>
}

export interface CommandResult {
  /** Printed by `--json`. Its shape is the command's exported schema. */
  readonly data: object
  /** Printed on standard output without `--json`. An empty text prints nothing. */
  readonly text: (paint: Paint) => string
  /** Something was found, or not everything was done: exit code 1. */
  readonly failed?: boolean
}

/** Makes a commander action of a command's work: arguments first, then options. */
export type Act = <Arguments extends readonly unknown[], Options>(
  work: (context: CommandContext, options: Options, ...args: Arguments) => Promise<CommandResult | undefined>,
) => (...given: unknown[]) => Promise<void>

/** Runs another command line: its arguments, and what it sees of its process. Resolves to the exit code. */
export type RunLine = (argv: readonly string[], io: CliIo) => Promise<number>

/** Each command file exports one. `all` resolves to a program with every command, which is not run. */
export type AddCommand = (program: Command, act: Act, run: RunLine, all: () => Promise<Command>) => void

/** Thrown when the command line itself is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** For `addHelpText('after', ...)`. */
export function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples'
  return `\n${title}:\n${lines.map((line) => `  $ localization ${line}`).join('\n')}`
}
