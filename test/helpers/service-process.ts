/** The local service in a process of its own, so that it can be killed. It is the built one, and ends with the test. */
import { once } from 'node:events'
import { join } from 'node:path'
import type { LocalServiceOptions } from '../../src/service.ts'
import { repository } from './bundlers.ts'
import { type RunningProcess, startProcess } from './processes.ts'

type ServiceProcess = Awaited<ReturnType<typeof whenReady>>

/** The built command line. */
export const BUILT_CLI = [process.execPath, join(repository, 'dist/cli.js')]

/** `holdPublishes`: publishes run until `endPublishes`. */
type SpawnedOptions = Omit<LocalServiceOptions, 'duringPublish'> & { readonly holdPublishes?: boolean }

/** `createLocalService(options)`; ends on SIGTERM and SIGINT. `within`: the command to put before it. */
export function spawnService(options: SpawnedOptions, within: readonly string[] = []): Promise<ServiceProcess> {
  const child = join(import.meta.dirname, 'service-child.mjs')
  return whenReady(
    startProcess([...within, process.execPath, '--expose-gc', child, JSON.stringify(options)], { ipc: true }),
  )
}

/** `localization serve --port 0 --json` with more arguments. */
export function spawnServe(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {
  return whenReady(
    startProcess([...BUILT_CLI, 'serve', '--port', '0', '--json', ...args], { env: { ...process.env, ...env } }),
  )
}

async function whenReady({ child, firstLine, ended, stdout, stderr }: RunningProcess) {
  return {
    ...(JSON.parse(await firstLine) as { baseUrl: string; cdnUrl: string; personalToken: string }),
    pid: child.pid as number,
    /** Everything it wrote so far. */
    out: stdout,
    err: stderr,
    /** What is in use after a collection. `spawnService` only. */
    async memory() {
      child.send('memory')
      return ((await once(child, 'message')) as [NodeJS.MemoryUsage])[0]
    },
    /** Ends it by message, through whatever command stands before it; resolves to the exit code. `spawnService` only. */
    async close() {
      child.send('close')
      return (await ended).code
    },
    /** `spawnService` with `holdPublishes` only. */
    endPublishes: () => child.send('end publishes'),
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** Sends the signal and waits for the end; resolves to exit code or signal. */
    async end(signal: NodeJS.Signals) {
      child.kill(signal)
      const { code } = await ended
      return code ?? child.signalCode
    },
  }
}
