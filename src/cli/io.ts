/** A command's input and output. Results go to `out`, messages to `err`. */
import { setMaxListeners } from 'node:events'
import { constants } from 'node:os'
import { redactText } from '../api/redact.ts'

export interface CliIo {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** True if standard output is a terminal. */
  readonly outTty: boolean
  readonly errTty: boolean
  /** True if standard input and standard error are terminals. */
  readonly canAsk: boolean
  /** The terminal's width; `undefined` if there is no terminal. */
  readonly columns: number | undefined
  /** Asks a question on standard error, and resolves to the answer. Rejects when `signal` aborts. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<string>
  /** Aborts on SIGINT (Ctrl-C) and SIGTERM. */
  readonly stopSignal: AbortSignal
  /** Replaces the secret with `***` in all later output. */
  readonly hide: (secret: string | undefined) => void
  /**
   * Uses standard input and output for a line protocol. From then on, only `send` writes to standard output. Whatever
   * other code prints, such as a configuration file, goes to standard error.
   */
  readonly protocol: () => LineProtocol
}

export interface LineProtocol {
  /** The lines of standard input. Ends early if `stopSignal` aborts. */
  readonly lines: AsyncIterable<string>
  readonly send: (line: string) => void
}

class StopError extends Error {
  readonly exitCode: number
  constructor(name: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${name}`)
    this.exitCode = 128 + constants.signals[name]
  }
}

/** The exit code that shells expect after a signal, such as 130 for Ctrl-C. */
export function stopCode({ reason }: AbortSignal): number {
  return reason instanceof StopError ? reason.exitCode : 130
}

/** Shorter secrets are not hidden, because they may be parts of ordinary words. */
const MIN_SECRET_LENGTH = 6

export function processIo(): CliIo {
  const stop = new AbortController()
  // Every running request adds a listener, so many listeners are not a leak.
  setMaxListeners(0, stop.signal)
  // Only the first signal is handled, so a second Ctrl-C kills the process.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(new StopError(name)))
  failWithOutput()
  const secrets: string[] = []
  const clean = (text: string) => redactText(text, secrets)
  return {
    out: (text) => void process.stdout.write(clean(text)),
    err: (text) => void process.stderr.write(clean(text)),
    cwd: process.cwd(),
    env: process.env,
    outTty: process.stdout.isTTY === true,
    errTty: process.stderr.isTTY === true,
    canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
    get columns() {
      return process.stderr.columns ?? process.stdout.columns
    },
    async ask(question, signal) {
      const { createInterface } = await import('node:readline/promises')
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      // In raw mode, readline receives Ctrl-C as a key, and no signal is sent.
      lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      try {
        const ended = new Promise<never>((_, reject) => {
          // On Ctrl-D, readline never settles the question.
          lines.once('close', () => {
            process.stderr.write('\n')
            reject(new Error(`no answer, because standard input has ended: ${question.trim()}`))
          })
        })
        return (await Promise.race([ended, lines.question(question, { signal })])).trim()
      } finally {
        lines.removeAllListeners('close').close()
      }
    },
    stopSignal: stop.signal,
    hide(secret) {
      if (secret !== undefined && secret.length >= MIN_SECRET_LENGTH && !secrets.includes(secret)) secrets.push(secret)
    },
    protocol() {
      const write = process.stdout.write.bind(process.stdout)
      process.stdout.write = process.stderr.write.bind(process.stderr)
      return { lines: readLines(stop.signal), send: (line) => void write(`${clean(line)}\n`) }
    },
  }
}

/** Sets the exit code to 1 if output cannot be written. The command still runs to its end. */
function failWithOutput(): void {
  let hasFailed = false
  const onError = (error: NodeJS.ErrnoException) => {
    // EPIPE is normal: `head` closes the pipe in `localization status | head`.
    if (error.code === 'EPIPE' || hasFailed) return
    hasFailed = true
    // Waits, because the command overwrites the exit code when it finishes.
    process.once('exit', () => {
      process.exitCode ||= 1
    })
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`)
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onError)
}

/** Splits at line feeds only, because JSON strings may contain other Unicode line separators. */
async function* readLines(signal: AbortSignal): AsyncGenerator<string> {
  signal.addEventListener('abort', () => process.stdin.destroy(), { once: true })
  let rest = ''
  try {
    for await (const chunk of process.stdin.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  if (rest !== '' && !signal.aborted) yield rest
}
