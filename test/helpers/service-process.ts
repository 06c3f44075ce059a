/** The local service in a process of its own, so that it can be killed. Bundled from source: what runs is what is in `src`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface ServiceProcess {
  readonly pid: number
  readonly baseUrl: string
  readonly cdnUrl: string
  readonly personalToken: string
  /** Everything it wrote so far. */
  readonly out: () => string
  readonly err: () => string
  /** Sends the signal and waits for the end; resolves to exit code or signal. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

let bundle: Promise<string> | undefined

/** The command line in one file below `node_modules`, where its dependencies are found. */
export function bundleCli(): Promise<string> {
  bundle ??= (async () => {
    const folder = join(ROOT, 'node_modules/.cache/unplugin-localization-test', String(process.pid), 'dist')
    mkdirSync(folder, { recursive: true })
    await build({
      entryPoints: { cli: join(ROOT, 'src/cli.ts') },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
    })
    const { copyFile } = await import('node:fs/promises')
    await copyFile(join(ROOT, 'package.json'), join(folder, '../package.json'))
    return join(folder, 'cli.mjs')
  })()
  return bundle
}

/** `localization serve --port 0 --json` with more arguments; waits for its one line. */
export async function spawnService(args: readonly string[]): Promise<ServiceProcess> {
  const child = await spawnCli(['serve', '--port', '0', '--json', ...args])
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
    async end(signal) {
      child.kill(signal)
      const [code, by] = await ended
      return code ?? by
    },
  }
}

export async function spawnCli(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await bundleCli(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}
