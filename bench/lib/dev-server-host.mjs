/**
 * A dev server in a process of its own: `{bundler, root, options, dist}`, where `options` are the built plugin's and
 * `null` leaves it out. `dist`: the address of another build's folder.
 * Its address comes on the first line, how long it took to listen with it. The page is `index.html`, the entry
 * `main.js`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { bundler, root, options, dist = new URL('../../dist/', import.meta.url).href } = JSON.parse(process.argv[2])
const page = (script) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>dev</title></head><body>${script}</body></html>\n`

const hosts = { vite: startVite, webpack: startWebpack, rspack: startRspack }
const startedAt = performance.now()
const { port } = await hosts[bundler]()
console.log(JSON.stringify({ address: `http://127.0.0.1:${port}/`, listenMs: performance.now() - startedAt }))

async function plugins() {
  if (options === null) return []
  const { default: plugin } = await import(`${dist}${bundler}.js`)
  return [plugin(options)]
}

async function startVite() {
  writeFileSync(join(root, 'index.html'), page('<script type="module" src="/main.js"></script>'))
  const { createServer } = await import('vite')
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'silent',
    cacheDir: join(root, '.vite'),
    server: { host: '127.0.0.1', port: 0 },
    plugins: await plugins(),
  })
  // Vite looks for a free port and takes it a moment later: somebody else may have it by then.
  for (let tries = 1; ; tries++) {
    try {
      await server.listen()
      break
    } catch (error) {
      if (tries === 10 || !/already in use/.test(error.message)) throw error
    }
  }
  endWith(() => server.close())
  return server.httpServer.address()
}

async function startWebpack() {
  const { default: webpack } = await import('webpack')
  const { default: Server } = await import('webpack-dev-server')
  return listen(new Server(serverOptions(), webpack(await compilerOptions())))
}

async function startRspack() {
  const { rspack } = await import('@rspack/core')
  const { RspackDevServer } = await import('@rspack/dev-server')
  return listen(new RspackDevServer(serverOptions(), rspack(await compilerOptions())))
}

function serverOptions() {
  const quiet = { client: { logging: 'none' }, static: { directory: root, watch: false } }
  return { host: '127.0.0.1', port: 0, hot: true, ...quiet }
}

async function compilerOptions() {
  return {
    context: root,
    mode: 'development',
    entry: join(root, 'main.js'),
    output: { path: join(root, 'dist'), publicPath: '/' },
    devtool: false,
    infrastructureLogging: { level: 'none' },
    stats: 'none',
    plugins: await plugins(),
  }
}

async function listen(server) {
  writeFileSync(join(root, 'index.html'), page('<script src="/main.js"></script>'))
  await server.start()
  endWith(() => server.stop())
  return server.server.address()
}

function endWith(close) {
  process.once('SIGTERM', async () => {
    await close()
    process.exit()
  })
}
