/** Runs one command: its context, its result, its failures. */
import type { Client } from '../api/client.ts'
import { headerSecrets } from '../config/headers.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { orExit } from '../shared/or-exit.ts'
import { type CommandContext, type CommandResult, EXIT, type GlobalOptions, UsageError } from './command.ts'
import type { Connection } from './connect.ts'
import { type CliIo, stopCode } from './io.ts'
import { createOutput, type Output } from './output.ts'
import { toTerminal } from './text.ts'

/** Resolves to the exit code. Never throws. */
export async function runCommand(
  io: CliIo,
  globals: GlobalOptions,
  work: (context: CommandContext) => Promise<CommandResult | undefined>,
): Promise<number> {
  const context = new Context(io, globals)
  try {
    const result = await orExit(work(context), () => new Error(`the command ${NEVER_ENDED}`))
    if (!result) return EXIT.done
    const text = globals.json ? JSON.stringify(result.data) : result.text(context.out.paint)
    if (text !== '') io.out(toTerminal(`${text}\n`))
    if (!result.failed) return EXIT.done
    return io.stopSignal.aborted ? stopCode(io.stopSignal) : EXIT.failure
  } catch (error) {
    return reportFailure(error, context)
  } finally {
    await context.close()
  }
}

const NEVER_ENDED = 'did not come to its end: nothing is left in the process that could continue it'

class Context implements CommandContext {
  readonly out: Output
  readonly signal: AbortSignal
  #config: Promise<ResolvedConfig> | undefined
  #connection: Promise<Connection> | undefined

  constructor(
    readonly io: CliIo,
    readonly globals: GlobalOptions,
  ) {
    this.out = createOutput(io, globals)
    this.signal = io.stopSignal
  }

  config(): Promise<ResolvedConfig> {
    this.#config ??= this.#loadConfig()
    return this.#config
  }

  async #loadConfig(): Promise<ResolvedConfig> {
    const { loadConfig } = await import('../config/resolve.ts')
    const { root, config: configFile, mode, envDir } = this.globals
    const config = await loadConfig({ root, configFile, mode, envDir, env: this.io.env, warn: this.out.warn })
    const { apiKey, personalToken, headers } = config.service
    for (const secret of [apiKey, personalToken, ...headerSecrets(headers)]) this.io.hide(secret)
    return config
  }

  async client({ endsOnStop = true } = {}): Promise<Client> {
    const config = await this.config()
    const { connect } = await import('./connect.ts')
    // Otherwise to close it would wait for it too.
    this.#connection ??= orExit(
      connect(config, endsOnStop ? this.signal : undefined, this.io.hide),
      () => new Error(`connecting to the service ${NEVER_ENDED}`),
    )
    return (await this.#connection).client
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }
}

/** Stands behind an error of the command line itself. */
export const SEE_HELP = '(--help says more)'

/** One line with what to do next; with `--verbose` also the causes. */
function reportFailure(error: unknown, { io, out, globals }: CommandContext): number {
  if (error instanceof UsageError) {
    if (globals.json) printError(io, 'USAGE', error.message)
    out.logger.error(`${error.message} ${SEE_HELP}`)
    return EXIT.usage
  }
  if (io.stopSignal.aborted) {
    out.warn('stopped before it was done')
    if (globals.json) printError(io, 'STOPPED', 'stopped before it was done')
    return stopCode(io.stopSignal)
  }
  const known = error instanceof LocalizationError ? error : undefined
  const message = messageOf(error)
  if (globals.json) printError(io, known?.code ?? 'INTERNAL', withoutHint(message, known?.hint), known?.hint)
  out.logger.error(message)
  if (globals.verbose) for (const cause of causesOf(known ? known.cause : error)) io.err(toTerminal(cause))
  return EXIT.failure
}

/** The message of an error ends with its hint, which `--json` prints by itself. */
function withoutHint(message: string, hint = ''): string {
  return hint !== '' && message.endsWith(` ${hint}`) ? message.slice(0, -hint.length).trimEnd() : message
}

/** What `--json` prints of every failure. */
export function printError(io: CliIo, code: string, message: string, hint?: string): void {
  io.out(toTerminal(`${JSON.stringify({ error: { code, message, hint } })}\n`))
}

function causesOf(cause: unknown, depth = 0): string[] {
  if (cause === undefined || depth === 5) return []
  if (!(cause instanceof Error)) return [`  caused by: ${cause}\n`]
  return [`  caused by: ${cause.stack ?? cause.message}\n`, ...causesOf(cause.cause, depth + 1)]
}
