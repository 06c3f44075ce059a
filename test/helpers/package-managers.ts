/**
 * Package managers and runtimes from the npm registry, in folders that stay, and what each of them needs to install the
 * packed package.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './bundlers.ts'
import { fetchPackage } from './tarball.ts'
import { listen } from './throwaway-server.ts'

/** Why something cannot be had on this machine; in CI that is a failure. */
export class Unavailable extends Error {}

/** Resolves to the package's folder. Errors: `Unavailable` where the registry has none for this machine. */
async function fetchTool(specifier: string): Promise<string> {
  return fetchPackage(specifier).catch((cause: Error) => {
    throw new Unavailable(`${specifier} cannot be installed here: ${cause.message.trim().slice(0, 300)}`, { cause })
  })
}

const platform = process.platform === 'win32' ? 'windows' : process.platform

/** The binary without AVX2 runs everywhere; its package needs no install script. `version`: default the newest. */
export async function bunBinary(version?: string): Promise<string> {
  const isX64 = process.arch === 'x64'
  const folder = await fetchTool(
    `@oven/bun-${platform}-${isX64 ? 'x64-baseline' : 'aarch64'}${version === undefined ? '' : `@${version}`}`,
  )
  return join(folder, 'bin', platform === 'windows' ? 'bun.exe' : 'bun')
}

export async function denoBinary(): Promise<string> {
  const machine = `${process.platform}-${process.arch}`
  const folder = await fetchTool(`@deno/${machine}${process.platform === 'linux' ? '-glibc' : ''}`)
  return join(folder, process.platform === 'win32' ? 'deno.exe' : 'deno')
}

/** Cloudflare's runtime. Its package needs no install script. */
export async function workerdBinary(): Promise<string> {
  const folder = await fetchTool(`@cloudflare/workerd-${platform}-${process.arch === 'x64' ? '64' : process.arch}`)
  return join(folder, 'bin', platform === 'windows' ? 'workerd.exe' : 'workerd')
}

export interface PackageManager {
  readonly name: string
  /** The package's place in `dependencies`. */
  readonly specifier: (tarball: string) => string
  /** Files that its installation reads. */
  readonly files?: (registry: string) => Readonly<Record<string, string>>
  /** Its command and arguments before any of ours. */
  readonly command: () => Promise<readonly string[]>
  readonly install: readonly string[]
  /** Runs the command of an installed package. */
  readonly execute: (packageName: string, command: string) => readonly string[]
  /** It needs a registry that has the package: a file will not do. */
  readonly needsRegistry?: boolean
}

const file = (tarball: string) => `file:${tarball}`

export const packageManagers: readonly PackageManager[] = [
  {
    name: 'npm',
    specifier: file,
    command: async () => [process.platform === 'win32' ? 'npm.cmd' : 'npm'],
    install: ['install', '--no-audit', '--no-fund', '--ignore-scripts'],
    execute: (_, command) => ['exec', '--', command],
  },
  {
    name: 'pnpm',
    specifier: file,
    command: async () => [process.execPath, join(await fetchTool('pnpm@10'), 'bin/pnpm.cjs')],
    install: ['install', '--ignore-scripts'],
    execute: (_, command) => ['exec', command],
  },
  {
    name: "yarn with Plug'n'Play",
    specifier: file,
    files: (registry) => ({
      'yarn.lock': '',
      '.yarnrc.yml': [
        'nodeLinker: pnp',
        'enableTelemetry: false',
        'enableScripts: false',
        'enableImmutableInstalls: false',
        `npmRegistryServer: ${JSON.stringify(registry)}`,
        '',
      ].join('\n'),
    }),
    command: async () => [process.execPath, join(await fetchTool('@yarnpkg/cli-dist@4'), 'bin/yarn.js')],
    install: ['install'],
    execute: (_, command) => [command],
  },
  {
    name: 'bun',
    specifier: file,
    command: async () => [await bunBinary()],
    install: ['install', '--ignore-scripts'],
    execute: (_, command) => ['--bun', 'run', command],
  },
  {
    name: 'Deno',
    specifier: () => '*',
    files: () => ({ 'deno.json': '{ "nodeModulesDir": "auto" }\n' }),
    command: async () => [await denoBinary()],
    install: ['install'],
    execute: (packageName) => ['run', '--allow-all', `npm:${packageName}`],
    needsRegistry: true,
  },
]

/** The registry that npm uses on this machine. */
export async function registryAddress(): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], {
    shell: process.platform === 'win32',
  })
  return stdout.trim().replace(/\/$/, '')
}

/** A registry on loopback that has the packed package, and sends everybody who asks for another one to `upstream`. */
export async function startRegistry(tarball: string, upstream: string): Promise<string> {
  const content = await readFile(tarball)
  const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as Record<string, string>
  const { name = '', version = '' } = manifest
  const server = createServer((request, response) => {
    const { url = '' } = request
    if (url === '/package.tgz') return void response.end(content)
    if (url !== `/${name}`) return void response.writeHead(307, { location: `${upstream}${url}` }).end()
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
    const dist = { tarball: `http://${request.headers.host}/package.tgz`, integrity }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }),
    )
  })
  return `http://127.0.0.1:${await listen(server)}`
}
