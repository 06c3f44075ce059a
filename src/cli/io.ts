/** A command's view of its process. Results go to `out`, messages to `err`. */
import { setMaxListeners } from 'node:events'
import { constants } from 'node:os'
import { redactText } from '../api/redact.ts'

export interface CliIo {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** True if standard output and standard error are terminals. */
  readonly outTty: boolean
  readonly errTty: boolean
  /** True if the user can be asked, because standard input is a terminal too. */
  readonly canAsk: boolean
  /** The number of columns of the terminal; `undefined` if there is no terminal. */
  readonly columns: number | undefined
  /** Asks a question on standard error, and resolves to the answer. Rejects when `signal` aborts. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<string>
  /** A signal that aborts on SIGINT (Ctrl-C) and SIGTERM. */
  readonly stopSignal: AbortSignal
  /** Replaces this text by `***` in all later output. */
  readonly hide: (secret: string | undefined) => void
  /**
   * Takes the standard streams for a protocol that consists of lines. From now on, only `send` writes to standard
   * output. The output of other code, such as a configuration file, goes to standard error.
   */
  readonly protocol: () => LineProtocol
}

export interface LineProtocol {
  /** The lines of standard input. They end with standard input, or with `stopSignal`. */
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

/** The minimum length of a secret. Shorter secrets would hide words. */
const MIN_SECRET_LENGTH = 6

export function processIo(): CliIo {
  const stop = new AbortController()
  // Each running request listens to this signal. The number of listeners is not a leak.
  setMaxListeners(0, stop.signal)
  // Only the first signal is handled: a second Ctrl-C ends the process immediately.
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
      // In raw mode, Ctrl-C is a key, not a signal.
      lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      try {
        const ended = new Promise<never>((_, reject) => {
          // After Ctrl-D, readline leaves the question open.
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

/** Makes the exit code 1 if output cannot be written. The command still runs to its end. */
function failWithOutput(): void {
  let hasFailed = false
  const onError = (error: NodeJS.ErrnoException) => {
    // In `localization status | head`, the reader has closed the pipe.
    if (error.code === 'EPIPE' || hasFailed) return
    hasFailed = true
    // The command sets its code when it ends.
    process.once('exit', () => {
      process.exitCode ||= 1
    })
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`)
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onError)
}

/** Splits the text at line feeds only, because JSON may contain the other line ends of Unicode. */
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
