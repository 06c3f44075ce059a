/**
 * The local service in a process of its own, so that it can be killed. Bundled from source: what runs is what is in
 * `src`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, onTestFinished } from 'vitest'
import type { LocalServiceOptions } from '../../src/service.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Below `node_modules`, where what is bundled finds its dependencies. */
const CACHE = join(ROOT, 'node_modules/.cache/unplugin-localization-test', String(process.pid))

afterAll(() => rmSync(CACHE, { recursive: true, force: true }))

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

const HOST = `
import { createLocalService } from './src/service.ts'
createLocalService(JSON.parse(process.argv[2])).then((service) => {
  const { close, ...shown } = service
  process.once('SIGTERM', close).once('SIGINT', close)
  process.on('message', (message) => message === 'close' && close())
  process.on('message', (message) => {
    if (message !== 'memory') return
    globalThis.gc()
    process.send(process.memoryUsage())
  })
  // Nobody may wait for it.
  process.channel.unref()
  console.log(JSON.stringify(shown))
}, (error) => {
  console.error(error)
  process.exitCode = 1
})
`

let host: Promise<string> | undefined
let cli: Promise<string> | undefined

/**
 * `createLocalService(options)` in a process of its own; ends on SIGTERM and SIGINT. `within`: the command to put
 * before it.
 */
export async function spawnService(
  options: LocalServiceOptions,
  within: readonly string[] = [],
): Promise<ServiceProcess> {
  host ??= bundle('host', { stdin: { contents: HOST, resolveDir: ROOT, loader: 'ts' } })
  return whenReady(start(['--expose-gc', await host, JSON.stringify(options)], ['ipc'], within))
}

/** `localization serve --port 0 --json` with more arguments. */
export async function spawnServe(args: readonly string[]): Promise<ServiceProcess> {
  return whenReady(await spawnCli(['serve', '--port', '0', '--json', ...args]))
}

/** The command line. */
export async function spawnCli(args: readonly string[]): Promise<ChildProcess> {
  cli ??= bundle('cli', { entryPoints: [join(ROOT, 'src/cli.ts')] })
  return start([await cli, ...args])
}

async function bundle(name: string, entry: Parameters<typeof build>[0]): Promise<string> {
  const folder = join(CACHE, 'dist')
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(ROOT, 'package.json'), join(CACHE, 'package.json'))
  await build({
    ...entry,
    outdir: folder,
    entryNames: name,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
  })
  return join(folder, `${name}.mjs`)
}

function start(args: readonly string[], also: readonly 'ipc'[] = [], within: readonly string[] = []): ChildProcess {
  const [command = '', ...rest] = [...within, process.execPath, ...args]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe', ...also] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

async function whenReady(child: ChildProcess): Promise<ServiceProcess> {
  let out = ''
  let err = ''
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  const ended = once(child, 'exit')
  const line = await Promise.race([
    once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line').then(([text]) => text as string),
    ended.then(([code]) => {
      throw new Error(`the service ended with ${code}: ${err}`)
    }),
  ])
  return {
    ...(JSON.parse(line) as { baseUrl: string; cdnUrl: string; personalToken: string }),
    pid: child.pid as number,
    out: () => out,
    err: () => err,
    async memory() {
      child.send('memory')
      return ((await once(child, 'message')) as [NodeJS.MemoryUsage])[0]
    },
    async close() {
      child.send('close')
      return (await ended)[0]
    },
    async end(signal) {
      child.kill(signal)
      const [code, by] = await ended
      return code ?? by
    },
  }
}
