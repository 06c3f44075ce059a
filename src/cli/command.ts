/** What a command is: one file that adds itself to the program, one function that works, one result that is shown. */
import type { Command } from 'commander'
import type { Client } from '../api/client.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { CliIo } from './io.ts'
import type { Output, OutputSettings } from './output.ts'
import type { Paint } from './text.ts'

/** Exit codes: done, a finding or a failure, wrong usage. */
export const EXIT = { done: 0, failure: 1, usage: 2 } as const

export interface GlobalOptions extends OutputSettings {
  /** The project's folder, absolute. */
  readonly root: string
  readonly configFile: string | undefined
  /** The bundler's mode whose `.env.<mode>` counts. */
  readonly mode: string | undefined
  /** The folder of the `.env` files, relative to the root. */
  readonly envDir: string
}

export interface CommandContext {
  readonly io: CliIo
  readonly out: Output
  readonly globals: GlobalOptions
  /** Aborts on Ctrl-C. What a command has done until then is its result all the same. */
  readonly signal: AbortSignal
  /** The project's configuration, read once. */
  config(): Promise<ResolvedConfig>
  /**
   * A client of the configured service; the frame closes it. `endsOnStop` false, at the first call: Ctrl-C does not end its calls, the
   * command ends by itself. Default true.
   */
  client(options?: { readonly endsOnStop?: boolean }): Promise<Client>
}

export interface CommandResult {
  /** What `--json` prints. Its shape is the command's exported schema. */
  readonly data: object
  /** What people read on standard output; nothing where it is empty. */
  readonly text: (paint: Paint) => string
  /** Something was found, or not everything was done: exit code 1. */
  readonly failed?: boolean
}

/** Makes a commander action of a command's work: arguments first, then options. */
export type Act = <Arguments extends readonly unknown[], Options>(
  work: (context: CommandContext, options: Options, ...args: Arguments) => Promise<CommandResult | undefined>,
) => (...given: unknown[]) => Promise<void>

/** Each command file exports one of these. */
export type AddCommand = (program: Command, act: Act) => void

/** Thrown where the command line itself is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** For `addHelpText('after', ...)`. */
export function examples(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ localization ${line}`).join('\n')}`
}
