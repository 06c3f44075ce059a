/** What a command sees of the process: results go to `out`, talk goes to `err`. */

export interface CliIo {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Resolves when the person asks the process to end (Ctrl-C, or a polite kill). */
  readonly stopped: () => Promise<void>
}

export function processIo(): CliIo {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    cwd: process.cwd(),
    env: process.env,
    stopped: () =>
      new Promise((resolve) => {
        const stop = () => resolve()
        // Once: a second Ctrl-C ends the process at once, as it does everywhere.
        process.once('SIGINT', stop)
        process.once('SIGTERM', stop)
      }),
  }
}
