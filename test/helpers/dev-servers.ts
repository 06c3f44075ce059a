/**
 * The dev servers that update a running page, behind one function: a real server of a real folder with the built
 * package.
 */
import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RspackOptions } from '@rspack/core'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin } from './bundlers.ts'
import { fetchPackage } from './tarball.ts'
import { writeTree } from './temp.ts'
import { listen } from './vite-server.ts'

interface DevServerInput {
  /** The app's folder; its page is `index.html`, its entry `main.js`. */
  readonly root: string
  readonly options?: PluginOptions
  /** What it listens on. Default `127.0.0.1`. */
  readonly host?: string
  /** Options of the server's own, beside those. */
  readonly server?: object
  /** webpack and Rspack: with the options above, and not those that plugins left in the compiler's. */
  readonly byHand?: boolean
  /** webpack and Rspack: what their command sets when plugins have left theirs. */
  readonly command?: object
}

export interface DevServer {
  readonly address: string
  close(): Promise<void>
}

export interface DevServerKind {
  readonly name: string
  start(input: DevServerInput): Promise<DevServer>
}

export const devServers: readonly DevServerKind[] = [
  { name: 'vite', start: (input) => startVite('vite', input) },
  { name: 'vite7', start: (input) => startVite('vite7', input) },
  { name: 'webpack', start: startWebpack },
  { name: 'rspack', start: startRspack },
]

/** The oldest that is supported, whose server has no environments: installed where a test asks for it. */
export const oldestVite: DevServerKind = {
  name: 'vite5',
  start: async (input) =>
    startVite(pathToFileURL(join(await fetchPackage('vite@5.4.0'), 'dist/node/index.js')).href, input),
}

async function startVite(
  name: string,
  { root, options, host = '127.0.0.1', server: own = {} }: DevServerInput,
): Promise<DevServer> {
  await writeTree(root, { 'index.html': page('<script type="module" src="/main.js"></script>') })
  const { createServer } = (await import(name)) as typeof import('vite')
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'silent',
    cacheDir: join(root, '.vite'),
    server: { host, port: 0, ...own },
    plugins: [(await builtPlugin('vite', options)) as never],
  })
  await listen(server)
  const { port } = portOf(server.httpServer)
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

interface WebpackDevServerLike {
  start(): Promise<void>
  stop(): Promise<void>
  readonly server?: { address(): unknown } | null | undefined
}

const serverOptions = (root: string, host: string) => ({
  host,
  // `auto` looks for a free port and takes it a moment later: somebody else may have it by then.
  port: 0,
  hot: true,
  static: { directory: root, watch: false },
  client: { logging: 'none' },
})

const compilerOptions = (root: string, plugin: unknown, host: string, own: object) => ({
  context: root,
  mode: 'development',
  entry: join(root, 'main.js'),
  output: { path: join(root, 'dist'), publicPath: '/' },
  // The commands of both start their server with what plugins left here.
  devServer: { ...serverOptions(root, host), ...own },
  devtool: false,
  infrastructureLogging: { level: 'none' },
  stats: 'none',
  plugins: [plugin],
})

async function startWebpack({
  root,
  options,
  host = '127.0.0.1',
  server: own = {},
  byHand = false,
  command = {},
}: DevServerInput): Promise<DevServer> {
  const { default: webpack } = await import('webpack')
  const { default: Server } = await import('webpack-dev-server')
  const compiler = webpack(compilerOptions(root, await builtPlugin('webpack', options), host, own) as never)
  const given = byHand ? { ...serverOptions(root, host), ...own } : { ...compiler.options.devServer, ...command }
  return startServer(root, new Server(given as never, compiler as never), compiler as never)
}

async function startRspack({
  root,
  options,
  host = '127.0.0.1',
  server: own = {},
  byHand = false,
  command = {},
}: DevServerInput): Promise<DevServer> {
  const { rspack } = await import('@rspack/core')
  const { RspackDevServer } = await import('@rspack/dev-server')
  const compiler = rspack(compilerOptions(root, await builtPlugin('rspack', options), host, own) as RspackOptions)
  const given = byHand ? { ...serverOptions(root, host), ...own } : { ...compiler.options.devServer, ...command }
  return startServer(root, new RspackDevServer(given as never, compiler as never) as never, compiler as never)
}

interface CompilerLike {
  close(done: (error?: Error | null) => void): void
}

async function startServer(root: string, server: WebpackDevServerLike, compiler: CompilerLike): Promise<DevServer> {
  await writeTree(root, { 'index.html': page('<script src="/main.js"></script>') })
  await server.start()
  const { port } = portOf(server.server)
  return {
    address: `http://127.0.0.1:${port}/`,
    async close() {
      await server.stop()
      // As their commands do. Without this, the plugin's watchers read the folder and, once it is removed, all of /tmp.
      await new Promise<void>((resolve, reject) => compiler.close((error) => (error ? reject(error) : resolve())))
      await rm(join(root, 'dist'), { recursive: true, force: true })
    },
  }
}

function page(script: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>dev</title></head><body>${script}</body></html>\n`
}

function portOf(server: { address(): unknown } | null | undefined): AddressInfo {
  if (!server) throw new Error('the dev server does not listen')
  return server.address() as AddressInfo
}
