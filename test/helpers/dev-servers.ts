/**
 * The dev servers that update a running page, behind one function: a real server of a real folder with the built
 * package. Each is closed when the test is over.
 */
import { readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InlineConfig, Plugin, ViteDevServer } from 'vite'
import { expect, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin, isTested } from './bundlers.ts'
import { whenOver } from './closing.ts'
import { fetchPackage } from './tarball.ts'
import { writeTree } from './temp.ts'

export interface DevServerInput {
  /** The app's folder; its page is `index.html`, its entry `main.js`. */
  readonly root: string
  readonly options?: PluginOptions
  /** What it listens on. Default `127.0.0.1`. */
  readonly host?: string
  /** Options of the server's own, beside those. */
  readonly server?: object
  /** Vite: plugins behind this one. */
  readonly plugins?: readonly Plugin[]
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

export const allDevServers: readonly DevServerKind[] = [
  { name: 'vite', start: (input) => startWithVite('vite', input) },
  { name: 'vite7', start: (input) => startWithVite('vite7', input) },
  { name: 'webpack', start: (input) => startLikeWebpack('webpack', input) },
  { name: 'rspack', start: (input) => startLikeWebpack('rspack', input) },
  { name: 'rsbuild', start: startRsbuild },
]

/** What most suites run against. */
export const devServers = allDevServers.filter(({ name }) => isTested(name))

/** For a suite that needs one of them. */
export function firstDevServer(): DevServerKind {
  const [first] = devServers
  if (!first) throw new Error('no dev server')
  return first
}

/** The oldest that is supported, whose server has no environments: installed where a test asks for it. */
export const oldestVite: DevServerKind = {
  name: 'vite5',
  start: async (input) =>
    startWithVite(pathToFileURL(join(await fetchPackage('vite@5.4.0'), 'dist/node/index.js')).href, input),
}

/** Vite's dev server, listening on a free port. It is closed when the test is over. `name`: what to import. */
export async function startVite({ server: own, ...config }: InlineConfig, name = 'vite'): Promise<ViteDevServer> {
  const { createServer } = (await import(name)) as typeof import('vite')
  const server = await createServer({ logLevel: 'silent', ...config, server: { host: '127.0.0.1', port: 0, ...own } })
  whenOver(() => server.close())
  // For port 0 Vite looks for a free port and takes it a moment later: somebody else may have it by then.
  for (let tries = 1; ; tries++) {
    try {
      return await server.listen()
    } catch (error) {
      if (tries === 10 || !/already in use/.test(String(error))) throw error
    }
  }
}

/** Resolves when an edit of that file will be seen: Vite does not wait for its watcher before it listens. */
export async function watches(server: ViteDevServer, file: string): Promise<void> {
  const check = () => expect(server.watcher.getWatched()[dirname(file)]).toContain(basename(file))
  // Not `expect.poll`, which works inside a test only.
  await vi.waitFor(check, { timeout: 60_000, interval: 20 })
}

async function startWithVite(
  name: string,
  { root, options, host = '127.0.0.1', server: own = {}, plugins = [] }: DevServerInput,
): Promise<DevServer> {
  await writeTree(root, { 'index.html': page('<script type="module" src="/main.js"></script>') })
  const cacheDir = join(root, '.vite')
  const all = [(await builtPlugin('vite', options)) as never, ...plugins]
  const server = await startVite({ root, configFile: false, cacheDir, server: { host, ...own }, plugins: all }, name)
  const files = await readdir(join(root, 'locales'), { recursive: true, withFileTypes: true }).catch(() => [])
  // The plugin lets nothing below `.localization` be watched.
  if (server.config.server.watch !== null && !root.includes('.localization'))
    for (const file of files) if (file.isFile()) await watches(server, join(file.parentPath, file.name))
  return { address: addressOf(server.httpServer), close: () => server.close() }
}

/** What webpack and Rspack, and their dev servers, have in common. */
type Bundle = (options: object) => {
  readonly options: { readonly devServer?: object }
  close(done: (error?: Error | null) => void): void
}
interface BundleServer {
  start(): Promise<void>
  stop(): Promise<void>
  readonly server?: Listening
}

async function startLikeWebpack(
  name: 'webpack' | 'rspack',
  { root, options, host = '127.0.0.1', server: own = {}, byHand = false, command = {} }: DevServerInput,
): Promise<DevServer> {
  const isWebpack = name === 'webpack'
  const bundle = (isWebpack ? (await import('webpack')).default : (await import('@rspack/core')).rspack) as Bundle
  const Server = (isWebpack
    ? (await import('webpack-dev-server')).default
    : (await import('@rspack/dev-server')).RspackDevServer) as unknown as new (
    options: object,
    compiler: object,
  ) => BundleServer
  const devServer = {
    host,
    // `auto` looks for a free port and takes it a moment later: somebody else may have it by then.
    port: 0,
    hot: true,
    static: { directory: root, watch: false },
    client: { logging: 'none' },
    ...own,
  }
  const compiler = bundle({
    context: root,
    mode: 'development',
    entry: join(root, 'main.js'),
    output: { path: join(root, 'dist'), publicPath: '/' },
    // The commands of both start their server with what plugins left here.
    devServer: { ...devServer },
    devtool: false,
    infrastructureLogging: { level: 'none', debug: /unplugin-localization/ },
    stats: 'none',
    plugins: [await builtPlugin(name, options)],
  })
  await writeTree(root, { 'index.html': page('<script src="/main.js"></script>') })
  const server = new Server(byHand ? devServer : { ...compiler.options.devServer, ...command }, compiler)
  let closed: Promise<void> | undefined
  const close = async () => {
    await server.stop()
    // As their commands do. Without this, the plugin's watchers read the folder and, once it is removed, all of /tmp.
    await new Promise<void>((resolve, reject) => compiler.close((error) => (error ? reject(error) : resolve())))
    await rm(join(root, 'dist'), { recursive: true, force: true })
  }
  const closeOnce = () => {
    closed ??= close()
    return closed
  }
  whenOver(closeOnce)
  await server.start()
  return { address: addressOf(server.server), close: closeOnce }
}

async function startRsbuild({
  root,
  options,
  host = '127.0.0.1',
  server: own = {},
}: DevServerInput): Promise<DevServer> {
  const { createRsbuild } = await import('@rsbuild/core')
  await writeTree(root, { 'page.html': page('') })
  const rsbuild = await createRsbuild({
    cwd: root,
    config: {
      mode: 'development',
      logLevel: 'silent',
      source: { entry: { index: './main.js' } },
      html: { template: './page.html', scriptLoading: 'blocking', inject: 'body' },
      server: {
        // Rsbuild cannot listen on any free port: the test does.
        middlewareMode: true,
        host,
        publicDir: { name: '.', copyOnBuild: false },
        ...own,
      },
      plugins: [(await builtPlugin('rsbuild', options)) as never],
    },
  })
  const server = await rsbuild.createDevServer()
  const httpServer = createServer(server.middlewares)
  await new Promise<void>((resolve) => httpServer.listen(0, host, resolve))
  server.connectWebSocket({ server: httpServer })
  await server.afterListen()
  let closed: Promise<void> | undefined
  const close = async () => {
    await server.close()
    httpServer.closeAllConnections()
    await new Promise((resolve) => httpServer.close(resolve))
  }
  const closeOnce = () => {
    closed ??= close()
    return closed
  }
  whenOver(closeOnce)
  return { address: addressOf(httpServer), close: closeOnce }
}

function page(script: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>dev</title></head><body>${script}</body></html>\n`
}

type Listening = { address(): unknown } | null | undefined

function addressOf(server: Listening): string {
  if (!server) throw new Error('the dev server does not listen')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
