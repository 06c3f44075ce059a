/**
 * Defines a command: its options, its work, the schema of its result, and how the result is printed. Parsing, help and
 * shell completion follow from the definition.
 */
import { type Argument, InvalidArgumentError, Option, type Command as Program } from 'commander'
import type * as z from 'zod'
import type { Client } from '../api/client.ts'
import type { LocalizationOptions } from '../config/options.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { CliIo } from './io.ts'
import type { Output } from './output.ts'
import type { Paint } from './text.ts'

/** Exit codes. A check that finds something also exits with `failure`. */
export const EXIT = { done: 0, failure: 1, usage: 2 } as const

export interface GlobalOptions {
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly color: boolean
  /** The project's folder, as an absolute path. */
  readonly root: string
  /** The folder that paths in the arguments are relative to, as an absolute path. */
  readonly pathsFrom: string
  readonly config?: string
  /** The bundler's mode, which selects `.env.<mode>`. */
  readonly mode?: string
  /** The folder with the `.env` files, relative to the root. */
  readonly envDir: string
  readonly json?: boolean
}

export interface CommandContext {
  readonly io: CliIo
  readonly out: Output
  readonly globals: GlobalOptions
  /** Aborts on Ctrl-C. The command then reports what it has done so far. */
  readonly signal: AbortSignal
  /**
   * The project's configuration. Only the first call reads it, and only that call's arguments apply. `warn` receives
   * the warnings; by default, they are printed. `options` replace the configuration file, for example before it exists.
   */
  config(warn?: (message: string) => void, options?: LocalizationOptions): Promise<ResolvedConfig>
  /**
   * A client for the configured service. It connects once, and is closed after the command. If `endsOnStop` is false in
   * the first call, Ctrl-C does not abort requests. Default true.
   */
  client(options?: { readonly endsOnStop?: boolean }): Promise<Client>
}

export interface CommandResult {
  /** The output with `--json`. */
  readonly data: object
  /** The output without `--json`. An empty string prints nothing. */
  readonly text?: (paint: Paint) => string
  /** True if a check found something or the work is incomplete. The exit code is then 1. */
  readonly failed?: boolean | undefined
}

/** Thrown if the command line is invalid. The exit code is then 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An option with a value of type `T`. `dryRun` in the table is `--dry-run` on the command line. */
export interface OptionOf<T> {
  /** `<name>` or `[file]`. Empty for a flag. */
  readonly usage: string
  readonly description: string
  readonly parse?: (value: string, previous: T) => T
  readonly choices?: readonly string[]
  readonly initial?: T
  /** Options that cannot be combined with this one. */
  readonly conflicts?: string[]
}

// biome-ignore lint/suspicious/noExplicitAny: options of any type
type Options = Readonly<Record<string, OptionOf<any>>>

export type Given<Table> = { readonly [Name in keyof Table]: Table[Name] extends OptionOf<infer T> ? T : never }

/** A flag. Default false. In the table, `noBuild` declares `--no-build`. */
export const flag = (description: string): OptionOf<boolean> => ({ usage: '', description })

export function value(usage: string, description: string): OptionOf<string | undefined>
export function value<T>(usage: string, description: string, parse: (value: string) => T): OptionOf<T | undefined>
export function value<T>(usage: string, description: string, parse: (value: string) => T, initial: T): OptionOf<T>
export function value<T>(usage: string, description: string, parse?: (value: string) => T, initial?: T) {
  return { usage, description, ...(parse && { parse }), ...(initial !== undefined && { initial }) }
}

type Choice = <const T extends string, Initial extends T | undefined = undefined>(
  usage: string,
  description: string,
  choices: readonly T[],
  initial?: Initial,
) => OptionOf<Initial extends undefined ? T | undefined : T>

export const choice: Choice = (usage, description, choices, initial) =>
  ({ usage, description, choices, ...(initial !== undefined && { initial }) }) as never

/** An option that can be repeated. */
export function list(usage: string, description: string): OptionOf<readonly string[] | undefined>
export function list<T>(
  usage: string,
  description: string,
  parse: (value: string) => T,
): OptionOf<readonly T[] | undefined>
export function list<T>(usage: string, description: string, parse: (value: string) => T = String as never) {
  const collect = (value: string, previous: readonly T[] = []) => [...previous, parse(value)]
  return { usage: usage, description, parse: collect }
}

/** Parses `name=value`. Splits at the first or last `=`. */
export function pair<T>(parse: (value: string) => T, split: 'indexOf' | 'lastIndexOf' = 'indexOf') {
  return (given: string): readonly [name: string, value: T] => {
    const at = given[split]('=')
    if (at <= 0) throw new InvalidArgumentError('Expected name=value.')
    return [given.slice(0, at), parse(given.slice(at + 1))]
  }
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,12}$/.test(value)) throw new InvalidArgumentError('Expected a whole number.')
  return Number(value)
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Parses `90s`, `5min` or `2h`. A number without a unit is in seconds. */
export function durationMs(value: string): number {
  const [, figure, unit = 's'] = /^(\d{1,6})(s|min|m|h)?$/.exec(value) ?? []
  if (figure === undefined) throw new InvalidArgumentError('Expected a time such as 90s, 5min or 2h.')
  return Number(figure) * (UNITS_MS[unit] ?? 0)
}

/** Makes a type deeply read-only. */
export type Frozen<T> = T extends object ? { readonly [Name in keyof T]: Frozen<T[Name]> } : T

/** The return value of a command's `work`. Additional fields are for `text` only. */
export interface Done<Schema extends z.ZodType> {
  readonly data: Frozen<z.infer<Schema>>
  readonly failed?: boolean | undefined
}

interface Definition<Table, Schema extends z.ZodType, Result extends Done<Schema>> {
  readonly description: string
  /** Command lines to show in the help, without `localization`. */
  readonly examples: readonly string[]
  readonly argument?: Argument
  readonly options?: Table
  readonly result: Schema
  /** Resolves to `undefined` if there is nothing more to print. */
  work(context: CommandContext, options: Given<Table>, ...args: string[]): Promise<Result | undefined>
  text(done: Result, paint: Paint): string
}

export interface CliCommand {
  readonly description: string
  readonly examples: readonly string[]
  readonly argument?: Argument
  readonly options: Options
  run(context: CommandContext, options: never, ...args: string[]): Promise<CommandResult | undefined>
}

export interface CommandGroup {
  readonly description: string
  readonly commands: Readonly<Record<string, CliCommand | CommandGroup>>
}

export function defineCommand<Schema extends z.ZodType, Result extends Done<Schema>, Table = unknown>(
  definition: Definition<Table, Schema, Result>,
): CliCommand {
  const { options = {}, work, text } = definition
  return {
    ...definition,
    options: options as Options,
    async run(context, given, ...args) {
      const done = await work(context, given, ...args)
      return done && { data: done.data as object, failed: done.failed, text: (paint) => text(done, paint) }
    },
  }
}

/** The keys of `commands` are usages, such as `add <key>`. */
export function defineGroup(description: string, commands: CommandGroup['commands']): CommandGroup {
  return { description, commands }
}

/** Runs a command with its parsed options, which have the same names as in the table. */
export type Act = (command: CliCommand, options: object, args: readonly string[]) => Promise<void>

export function addCommand(parent: Program, usage: string, given: CliCommand | CommandGroup, act: Act): Program {
  const { argument } = given as Partial<CliCommand>
  const program = parent.command(argument ? usage.replace(/ .*/, '') : usage).description(given.description)
  if ('commands' in given) {
    for (const [inner, command] of Object.entries(given.commands)) addCommand(program, inner, command, act)
    return program
  }
  if (argument) program.addArgument(argument)
  const options = Object.entries(given.options).map(([name, option]) => [name, toOption(name, option)] as const)
  for (const [, option] of options) program.addOption(option)
  const title = given.examples.length === 1 ? 'Example' : 'Examples'
  program.addHelpText('after', `\n${title}:\n${given.examples.map((line) => `  $ localization ${line}`).join('\n')}`)
  return program.action((...values: unknown[]) => {
    const named = options.map(([name, option]) => {
      const value: unknown = program.opts()[option.attributeName()]
      if (option.negate) return [name, value === false]
      return [name, option.isBoolean() ? value === true : value]
    })
    return act(given, Object.fromEntries(named), values.slice(0, -2).flat() as string[])
  })
}

function toOption(name: string, { usage, description, parse, choices, initial, conflicts }: Options[string]): Option {
  const long = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const option = new Option(`--${long} ${usage}`.trim(), description)
  if (parse) option.argParser(parse)
  if (choices) option.choices(choices)
  if (conflicts) option.conflicts(conflicts)
  return initial === undefined ? option : option.default(initial)
}

/** Asks the user. Without a terminal, throws unless `yes` is true. */
export async function confirm({ io, signal }: CommandContext, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true
  if (!io.canAsk)
    throw new UsageError(
      `${question} There is no terminal to ask on: pass --yes to confirm, or --dry-run for a preview`,
    )
  const answer = await io.ask(`${question} [y/N] `, signal)
  return /^y(es)?$/i.test(answer)
}
