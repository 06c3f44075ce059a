/** Runs one command and prints its result or its error. */
import type { Client } from '../api/client.ts'
import { headerSecrets } from '../config/headers.ts'
import type { LocalizationOptions } from '../config/options.ts'
import { missingVariablesError } from '../config/problems.ts'
import type { ResolvedConfig, ResolvedServiceConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { orExit } from '../shared/or-exit.ts'
import { type CommandContext, type CommandResult, EXIT, type GlobalOptions, UsageError } from './command.ts'
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
    printResult(context, result)
    if (!result.failed) return EXIT.done
    return io.stopSignal.aborted ? stopCode(io.stopSignal) : EXIT.failure
  } catch (error) {
    return reportFailure(error, context)
  } finally {
    await context.close()
  }
}

const NEVER_ENDED = 'did not finish: the process has nothing left to wait for'

/** Commands that keep running also call this, once per result. */
export function printResult({ io, out, globals }: CommandContext, { data, text }: CommandResult): void {
  const printed = globals.json ? JSON.stringify(data) : (text?.(out.paint) ?? '')
  if (printed !== '') io.out(toTerminal(`${printed}\n`))
}

class Context implements CommandContext {
  readonly out: Output
  readonly signal: AbortSignal
  #config: Promise<ResolvedConfig> | undefined
  #connection: Promise<{ readonly client: Client; close(): Promise<void> }> | undefined

  constructor(
    readonly io: CliIo,
    readonly globals: GlobalOptions,
  ) {
    this.out = createOutput(io, globals)
    this.signal = io.stopSignal
  }

  config(warn = this.out.warn, options?: LocalizationOptions): Promise<ResolvedConfig> {
    this.#config ??= this.#loadConfig(warn, options)
    return this.#config
  }

  async #loadConfig(warn: Output['warn'], options?: LocalizationOptions): Promise<ResolvedConfig> {
    const { loadConfig } = await import('../config/resolve.ts')
    const { root, config, mode, envDir } = this.globals
    const configFile = options ? false : config
    const loaded = await loadConfig({ root, configFile, options, mode, envDir, env: this.io.env, warn })
    const { apiKey, personalToken, headers } = loaded.service
    for (const secret of [apiKey, personalToken, ...headerSecrets(headers)]) this.io.hide(secret)
    return loaded
  }

  async client({ endsOnStop = true } = {}): Promise<Client> {
    const config = await this.config()
    // `close` waits for this promise, so it must always settle.
    this.#connection ??= orExit(
      this.#connect(config, endsOnStop ? this.signal : undefined),
      () => new Error(`connecting to the service ${NEVER_ENDED}`),
    )
    return (await this.#connection).client
  }

  /** If `baseUrl` is `'local'`, uses the local service that is running, or starts one. */
  async #connect(config: ResolvedConfig, signal: AbortSignal | undefined) {
    const { service } = config
    if (service.baseUrl !== 'local') {
      const client = await openClient(service, service.personalToken, signal)
      return { client, close: () => client.close() }
    }
    const { connectLocalService } = await import('../local/service.ts')
    const local = await connectLocalService(config)
    for (const secret of [local.personalToken, local.project.apiKey]) this.io.hide(secret)
    const client = await openClient(local.config.service, local.personalToken, signal)
    const close = async () => {
      await client.close()
      await local.close()
    }
    return { client, close }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }
}

/** Connects to the service. Throws CONFIG_INVALID or CONFIG_VARIABLE_MISSING. */
async function openClient(
  service: ResolvedServiceConfig,
  personalToken: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Client> {
  // Reading published files only needs `cdnUrl`.
  if (service.baseUrl === undefined && service.cdnUrl === undefined)
    throw new LocalizationError('no service is configured', {
      code: 'CONFIG_INVALID',
      hint: 'Set service.baseUrl or LOCALIZATION_BASE_URL, or run `localization init`.',
    })
  // Not every command needs the API key. A request that needs it fails with its own error.
  const missing = missingVariablesError(service.missingVariables.filter((name) => name !== 'LOCALIZATION_API_KEY'))
  if (missing) throw missing
  const { createClient } = await import('../api/client.ts')
  const { apiKey, headers, dispatcher } = service
  return createClient({ ...service, apiKey, personalToken, headers, dispatcher, signal })
}

/** Appended to errors in the command line. */
export const SEE_HELP = '(see --help)'

/** Prints the error on one line, and with `--verbose` its causes. Returns the exit code. */
function reportFailure(error: unknown, { io, out, globals }: CommandContext): number {
  if (error instanceof UsageError) {
    if (globals.json) printError(io, 'USAGE', error.message)
    out.logger.error(`${error.message} ${SEE_HELP}`)
    return EXIT.usage
  }
  if (io.stopSignal.aborted) {
    out.warn('stopped before it finished')
    if (globals.json) printError(io, 'STOPPED', 'stopped before it finished')
    return stopCode(io.stopSignal)
  }
  const known = error instanceof LocalizationError ? error : undefined
  const message = messageOf(error)
  if (globals.json) printError(io, known?.code ?? 'INTERNAL', withoutHint(message, known?.hint), known?.hint)
  out.logger.error(message)
  if (globals.verbose) for (const cause of causesOf(known ? known.cause : error)) io.err(toTerminal(cause))
  return EXIT.failure
}

/** Removes the hint from the end of a message, because `--json` prints it separately. */
function withoutHint(message: string, hint = ''): string {
  return hint !== '' && message.endsWith(` ${hint}`) ? message.slice(0, -hint.length).trimEnd() : message
}

/** Prints an error for `--json`. */
export function printError(io: CliIo, code: string, message: string, hint?: string): void {
  io.out(toTerminal(`${JSON.stringify({ error: { code, message, hint } })}\n`))
}

function causesOf(cause: unknown, depth = 0): string[] {
  if (cause === undefined || depth === 5) return []
  if (!(cause instanceof Error)) return [`  caused by: ${messageOf(cause)}\n`]
  return [`  caused by: ${cause.stack ?? cause.message}\n`, ...causesOf(cause.cause, depth + 1)]
}
