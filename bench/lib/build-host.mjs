/**
 * One production build in a process of its own; prints what it cost as JSON. Its whole life is what the benchmark
 * times.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * `copiedFolder`: a folder below `root` whose files the build copies into the output; in Vite, its `publicDir`.
 * `runtimeChunk`: what runs the modules goes into a file of its own; for Vite a pattern of the modules that belong to
 * it.
 */
const { bundler, root, outDir, plugins: wanted = [], copiedFolder, runtimeChunk } = JSON.parse(process.argv[2])
const entry = join(root, 'main.js')
const output = join(root, outDir)

/** The project's own: rivals bring another into this folder. */
const importEsbuild = () =>
  import(pathToFileURL(createRequire(new URL('../../package.json', import.meta.url)).resolve('esbuild')).href)

// As commands of bundlers do before they read a configuration: what is imported below may look at it.
process.env.NODE_ENV = 'production'

/** What a variant brings: `{ from: <module>, export?: <name>, options }` each; paths as the benchmark resolved them. */
const plugins = []
for (const { from, name = 'default', options } of wanted) {
  const module = await import(pathToFileURL(from).href)
  plugins.push(module[name](options))
}

const BUILDS = {
  async vite() {
    const { build } = await import('vite')
    const groups = runtimeChunk && [{ name: 'runtime', test: new RegExp(runtimeChunk) }]
    await build({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins,
      publicDir: copiedFolder ?? false,
      build: {
        outDir,
        emptyOutDir: true,
        reportCompressedSize: false,
        rolldownOptions: { input: entry, ...(groups && { output: { codeSplitting: { groups } } }) },
      },
    })
  },
  rollup: () => rollupLike('rollup', 'rollup'),
  rolldown: () => rollupLike('rolldown', 'rolldown'),
  webpack: () => webpackLike('webpack'),
  rspack: () => webpackLike('@rspack/core'),
  async esbuild() {
    const { build } = await importEsbuild()
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outdir: outDir,
      bundle: true,
      splitting: true,
      format: 'esm',
      minify: true,
      logLevel: 'error',
      plugins,
    })
  },
  async farm() {
    const { build } = await import('@farmfe/core')
    // Without a page, Farm's output does not know where its lazy files are.
    const script = '<script type="module" src="./main.js"></script>'
    writeFileSync(join(root, 'index.html'), `<!doctype html><html><head></head><body>${script}</body></html>\n`)
    await build({
      root,
      configPath: root,
      clearScreen: false,
      compilation: {
        input: { index: './index.html' },
        output: { path: outDir, targetEnv: 'browser-esnext' },
        persistentCache: false,
        minify: true,
        presetEnv: false,
      },
      plugins,
    })
  },
}

async function rollupLike(module, name) {
  const { [name]: create } = await import(module)
  const bundle = await create({ input: entry, plugins, onLog: () => {} })
  await bundle.write({ dir: output, format: 'es', ...(name === 'rolldown' && { minify: true }) })
  await bundle.close()
}

async function webpackLike(module) {
  const { default: bundle } = await import(module)
  const compiler = bundle({
    context: root,
    mode: 'production',
    entry,
    cache: false,
    devtool: false,
    performance: false,
    ...(runtimeChunk && { optimization: { runtimeChunk: 'single' } }),
    output: { path: output, clean: true },
    plugins,
  })
  await new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error ?? stats.hasErrors()) reject(error ?? new Error(stats.toString({ all: false, errors: true })))
      else compiler.close((failure) => (failure ? reject(failure) : resolve()))
    })
  })
}

function packageFile(name) {
  return new URL(`../../node_modules/${name}/package.json`, import.meta.url)
}

/** Most memory that this process and its children (esbuild's own) have had. */
function peakOfAll() {
  const peakOf = (pid) => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  const children = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return false
    }
  })
  return [process.pid, ...children].reduce((sum, pid) => sum + peakOf(pid), 0) * 1024
}

const before = performance.now()
await BUILDS[bundler]()
if (copiedFolder !== undefined && bundler !== 'vite')
  await cp(join(root, copiedFolder), output, { recursive: true, force: true })
const ms = performance.now() - before
const PACKAGES = { rspack: '@rspack/core', farm: '@farmfe/core' }
const { version } = JSON.parse(readFileSync(packageFile(PACKAGES[bundler] ?? bundler), 'utf8'))
process.stdout.write(
  `\n${JSON.stringify({ ms, peak: process.platform === 'linux' ? peakOfAll() : undefined, version })}\n`,
)
process.exit(0)
