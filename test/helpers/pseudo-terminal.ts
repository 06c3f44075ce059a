/** Commands on a pseudo-terminal: all three standard streams are terminals. */
import { execFileSync } from 'node:child_process'
import { CLI } from './cli.ts'
import { bareEnvironment, type Ended, runProcess } from './processes.ts'

/** `undefined`: nothing speaks against it. */
export const noTerminals: string | undefined = reasonAgainst()

function reasonAgainst(): string | undefined {
  if (process.platform !== 'linux') return 'the script of util-linux is needed'
  try {
    execFileSync('script', ['--version'])
    return undefined
  } catch {
    return 'script is not installed (apt-get install util-linux)'
  }
}

/** The command of this package, with both streams in `stdout` as the terminal received them. */
export function runOnTerminal(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ended> {
  const line = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ')
  const command = ['script', '--quiet', '--return', '--command', `stty cols 80 rows 24; exec ${line}`, '/dev/null']
  return runProcess(command, { cwd, env: bareEnvironment(cwd, { TERM: 'xterm', SHELL: '/bin/sh', ...env }) })
}
