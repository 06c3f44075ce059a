/** The local service in a process of its own, so that it can be killed. It runs from `src`, and ends with the test. */
import { once } from 'node:events'
import { join } from 'node:path'
import type { LocalServiceOptions } from '../../src/service.ts'
import { repository } from './bundlers.ts'
import { type RunningProcess, startProcess, TYPESCRIPT } from './processes.ts'

export interface ServiceProcess {
  readonly pid: number
  readonly baseUrl: string
  readonly cdnUrl: string
  readonly personalToken: string
  /** Everything it wrote so far. */
  readonly out: () => string
  readonly err: () => string
  /** What is in use after a collection. `spawnService` only. */
  memory(): Promise<NodeJS.MemoryUsage>
  /** Ends it by message, through whatever command stands before it; resolves to the exit code. `spawnService` only. */
  close(): Promise<number | null>
  /** Sends the signal and waits for the end; resolves to exit code or signal. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** The command line, run from `src`. */
export const CLI_FROM_SOURCE = [...TYPESCRIPT, join(repository, 'src/cli.ts')]

/** `createLocalService(options)`; ends on SIGTERM and SIGINT. `within`: the command to put before it. */
export function spawnService(options: LocalServiceOptions, within: readonly string[] = []): Promise<ServiceProcess> {
  const [node = '', ...args] = TYPESCRIPT
  const child = join(import.meta.dirname, 'service-child.ts')
  return whenReady(
    startProcess([...within, node, '--expose-gc', ...args, child, JSON.stringify(options)], { ipc: true }),
  )
}

/** `localization serve --port 0 --json` with more arguments. */
export function spawnServe(args: readonly string[]): Promise<ServiceProcess> {
  return whenReady(startProcess([...CLI_FROM_SOURCE, 'serve', '--port', '0', '--json', ...args]))
}

async function whenReady({ child, firstLine, ended, stdout, stderr }: RunningProcess): Promise<ServiceProcess> {
  return {
    ...(JSON.parse(await firstLine) as { baseUrl: string; cdnUrl: string; personalToken: string }),
    pid: child.pid as number,
    out: stdout,
    err: stderr,
    async memory() {
      child.send('memory')
      return ((await once(child, 'message')) as [NodeJS.MemoryUsage])[0]
    },
    async close() {
      child.send('close')
      return (await ended).code
    },
    async end(signal) {
      child.kill(signal)
      const { code } = await ended
      return code ?? child.signalCode
    },
  }
}
