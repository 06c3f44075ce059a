/** Processes that a test starts. Each is killed, with all that it started itself, when the test is over. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { whenOver } from './closing.ts'

export interface ProcessOptions {
  readonly cwd?: string
  /** All its variables. Default: those of the test. */
  readonly env?: NodeJS.ProcessEnv
  /** Default: its standard input is empty, and it has no channel for messages. */
  readonly stdin?: 'pipe'
  readonly ipc?: boolean
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Both streams, as they came. */
  readonly output: string
}

export interface RunningProcess {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  output(): string
  /** The first line on standard output. Rejects with all that was written if the process ends before. */
  readonly firstLine: Promise<string>
  readonly ended: Promise<Ended>
  /** Signals the process and all that it started. */
  signal(name: NodeJS.Signals): void
}

export function startProcess(
  [command = '', ...args]: readonly string[],
  { cwd, env = process.env, stdin, ipc = false }: ProcessOptions = {},
): RunningProcess {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: [stdin ?? 'ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    // A group of processes is named by the id of its first one.
    detached: process.platform !== 'win32',
  })
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    if (process.platform === 'win32') child.kill(name)
    else process.kill(-child.pid, name)
  }
  const exited = once(child, 'exit').catch(() => {})
  whenOver(() => {
    signal('SIGKILL')
    return exited
  })
  const written = { stdout: '', stderr: '', output: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      written.output += text
    })
  const ended = once(child, 'close').then(([code]) => ({ ...written, code: code as number | null }))
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (written.stdout.includes('\n')) resolve(written.stdout.slice(0, written.stdout.indexOf('\n')))
    })
    ended.then(({ code, output }) => reject(new Error(`${command} ended with ${code}: ${output}`)), reject)
  })
  // Whoever does not wait for the line does not hear of its absence.
  firstLine.catch(() => {})
  return {
    child,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    output: () => written.output,
    firstLine,
    ended,
    signal,
  }
}

/** Runs to the end, whatever the exit code. */
export function runProcess(command: readonly string[], options?: ProcessOptions): Promise<Ended> {
  return startProcess(command, options).ended
}

/** Runs to the end. Rejects with all that was written where the exit code is not 0. */
export async function runToSuccess(command: readonly string[], options?: ProcessOptions): Promise<Ended> {
  const ended = await runProcess(command, options)
  if (ended.code !== 0) throw new Error(`${command.join(' ')} ended with ${ended.code}:\n${ended.output}`)
  return ended
}

/** The environment of a user who has set nothing but `more`. */
export function bareEnvironment(home: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, ...more }
}

/** The command that runs a TypeScript file of this repository. */
export const TYPESCRIPT = [
  process.execPath,
  '--import',
  pathToFileURL(join(import.meta.dirname, '../../node_modules/jiti/lib/jiti-register.mjs')).href,
]
