/** Every supported bundler behind one function: a real build of a real folder with the built package. */
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RsbuildConfig, RsbuildPlugin } from '@rsbuild/core'
import type { Compiler, Configuration, Stats } from 'webpack'
import type { PluginOptions } from '../../src/index.ts'
import { BUNDLER_NAMES, type BundlerName } from '../../src/plugin/bundlers.ts'
import { startJobs } from './job-process.ts'
import { bunBinary } from './package-managers.ts'
import { runToSuccess } from './processes.ts'
import { isSampled, repeats } from './repeats.ts'

export const repository = join(import.meta.dirname, '../..')

export interface BuildInput {
  /** The app's folder. */
  readonly root: string
  /** Entry files, relative to the root, by output name. */
  readonly entries: Readonly<Record<string, string>>
  readonly options?: PluginOptions
  /** More instances of the plugin behind the first, with these options. */
  readonly others?: readonly PluginOptions[]
  readonly sourcemap?: boolean
  /** Relative to the root. Default `dist`. */
  readonly outDir?: string
  readonly minify?: boolean
  /** Put before the plugin under test. */
  readonly define?: Readonly<Record<string, string>>
  /** Another plugin, in front of this one, answers with nothing for modules whose id holds this. Not in Bun. */
  readonly emptied?: string
  /** webpack and Rspack: folder of the persistent cache. */
  readonly cacheFolder?: string
}

export interface BuildOutput {
  /** What to import in Node to run an entry. */
  entryFile(name: string): string
  /** Every emitted file, relative to the output folder. */
  readonly files: ReadonlyMap<string, Buffer>
}

/** Builds an app with its texts: a bundler, or another tool that reads generated files. */
export interface Builder {
  readonly name: string
  /** Rejects with everything the bundler reported as an error. */
  build(input: BuildInput): Promise<BuildOutput>
  /** Runs an entry's file, and gives what its `collect()` gives. Default: `runEntry`, in this Node. */
  readonly run?: <T>(file: string) => Promise<T>
}

export interface Bundler extends Builder {
  /** It writes message files and leaves out unused keys. Otherwise texts are modules of its output, with every key. */
  readonly hasPrebuiltChunks: boolean
  /** It writes the texts of lazily loaded chunks into message files of their own. */
  readonly hasPerChunkMessages: boolean
  /** It builds in a process of its own: what it says is not said here. */
  readonly hasOwnProcess: boolean
}

type Build = Bundler['build']

/** How each bundler of the table builds. An older major that is tested too stands behind the newest. */
const BUILDS: Readonly<Record<BundlerName, Readonly<Record<string, Build>>>> = {
  vite: {
    vite: (input) => buildWithVite('vite', input),
    vite7: (input) => buildWithVite('vite7', input),
  },
  rollup: { rollup: (input) => buildWithRollup('rollup', input) },
  rolldown: { rolldown: (input) => buildWithRollup('rolldown', input) },
  webpack: { webpack: (input) => buildWithWebpack('webpack', input) },
  rsbuild: { rsbuild: buildWithRsbuild },
  rspack: { rspack: (input) => buildWithWebpack('@rspack/core', input) },
  esbuild: { esbuild: buildWithEsbuild },
  bun: { bun: buildWithBun },
  farm: { farm: buildWithFarm },
}

/** Bun is installed, with 100 MB: the project `bun` of `vitest.ci.config.ts` runs the suites with it alone. */
const NAMES = BUNDLER_NAMES.filter((name) => (name === 'bun') === (process.env.BUNDLERS === 'bun'))

/** Every bundler of the table. */
export const allBundlers: readonly Bundler[] = NAMES.flatMap((bundler) =>
  Object.entries(BUILDS[bundler]).map(([name, build]) => {
    const isApart = bundler === 'farm' || bundler === 'bun'
    const hasPerChunkMessages = !isApart && bundler !== 'esbuild'
    return { name, build, hasPrebuiltChunks: !isApart, hasPerChunkMessages, hasOwnProcess: isApart }
  }),
)

/** One of each kind: with Rollup's hooks, with webpack's, with esbuild's. */
const ONE_OF_EACH_KIND = ['vite', 'webpack', 'esbuild']

/**
 * Whether most suites run with this bundler: in `npm test` with one of each kind, with `BUNDLERS=others` with the others,
 * with `THOROUGH=1` with every one.
 */
export const isTested = (name: string) => {
  if (process.env.BUNDLERS === 'bun') return name === 'bun'
  return isSampled(name, ONE_OF_EACH_KIND)
}

/** What most suites run against. */
export const bundlers = allBundlers.filter(({ name }) => isTested(name))

/** The plugin as a user imports it: from the built package. */
export async function builtPlugin(bundler: string, options: PluginOptions | undefined): Promise<unknown> {
  const entry = pathToFileURL(join(repository, 'dist', `${bundler}.js`)).href
  const module = (await import(entry)) as { default: (options?: PluginOptions) => unknown }
  return module.default(options)
}

/** All instances that the build asks for. */
async function pluginsOf(bundler: string, { options, others = [] }: BuildInput, more: PluginOptions = {}) {
  const each = [options, ...others].map((one) => builtPlugin(bundler, { ...more, ...one }))
  return (await Promise.all(each)) as never[]
}

/** A plugin for Rollup, Rolldown and Vite. */
function emptying({ emptied }: BuildInput): never[] {
  if (emptied === undefined) return []
  const load = (id: string) => (id.includes(emptied) ? '' : null)
  return [{ name: 'emptying', enforce: 'pre', load }] as never[]
}

/** A rule for webpack and Rspack, whose ids are encoded. */
function emptyingRules({ emptied }: BuildInput): object[] {
  const loader = join(import.meta.dirname, 'emptying-loader.cjs')
  const test = (path: string) => emptied !== undefined && path.includes(encodeURIComponent(emptied))
  return emptied === undefined ? [] : [{ test, enforce: 'post', use: [loader] }]
}

async function output(folder: string, entryName: (name: string) => string): Promise<BuildOutput> {
  const files = new Map<string, Buffer>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(path.slice(folder.length + 1), await readFile(path))
  }
  return { files, entryFile: (name) => join(folder, entryName(name)) }
}

async function buildWithVite(name: 'vite' | 'vite7', input: BuildInput): Promise<BuildOutput> {
  const { root, entries, sourcemap = false, outDir = 'dist', minify = true } = input
  const { build } = (await import(name)) as typeof import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    define: input.define ?? {},
    plugins: [...emptying(input), ...(await pluginsOf('vite', input))],
    build: {
      outDir,
      sourcemap,
      minify,
      modulePreload: false,
      reportCompressedSize: false,
      rollupOptions: {
        input: absolute(root, entries),
        output: { entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
        preserveEntrySignatures: 'strict',
      },
    },
  })
  return output(join(root, outDir), (entry) => `${entry}.mjs`)
}

/** Rollup, or Rolldown, which is called in the same way. */
export async function rollupOf(name: 'rollup' | 'rolldown'): Promise<typeof import('rollup').rollup> {
  return name === 'rollup' ? (await import('rollup')).rollup : ((await import('rolldown')).rolldown as never)
}

async function buildWithRollup(name: 'rollup' | 'rolldown', input: BuildInput): Promise<BuildOutput> {
  const { root, entries, sourcemap = false, outDir = 'dist' } = input
  const rollup = await rollupOf(name)
  const defined = Object.entries(input.define ?? {})
  const define = {
    name: 'define',
    transform: (code: string) =>
      defined.some(([key]) => code.includes(key))
        ? { code: defined.reduce((text, [key, value]) => text.replaceAll(key, value), code), map: null }
        : null,
  }
  const bundle = await rollup({
    input: absolute(root, entries),
    plugins: [define, ...emptying(input), ...(await pluginsOf(name, input, { root }))],
    onLog: (level: string, log: { message: string }) => {
      if (level === 'warn' && !/DYNAMIC|dynamic|PLUGIN_TIMINGS/.test(log.message))
        throw new Error(`unexpected warning: ${log.message}`)
    },
  })
  try {
    await bundle.write({
      dir: join(root, outDir),
      format: 'es',
      sourcemap,
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].mjs',
    })
  } finally {
    await bundle.close()
  }
  return output(join(root, outDir), (entry) => `${entry}.mjs`)
}

/** One build by webpack or Rspack, which is then closed. Rejects with everything that was reported as an error. */
export async function runWebpack(
  name: 'webpack' | '@rspack/core',
  configuration: object,
  prepare: (compiler: Compiler) => void = () => {},
): Promise<Stats> {
  const { default: bundle } = (await import(name)) as { default: typeof import('webpack') }
  const compiler = bundle(configuration as Configuration)
  prepare(compiler)
  try {
    const stats = await new Promise<Stats>((resolve, reject) => {
      compiler.run((error, result) => (result ? resolve(result) : reject(error)))
    })
    if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true, warnings: true }))
    return stats
  } finally {
    await new Promise<void>((resolve, reject) => compiler.close((error) => (error ? reject(error) : resolve())))
  }
}

async function buildWithWebpack(name: 'webpack' | '@rspack/core', input: BuildInput): Promise<BuildOutput> {
  const isRspack = name !== 'webpack'
  const { root, entries, sourcemap = false, outDir = 'dist', cacheFolder } = input
  // Terser takes as long as all the rest of a build.
  const minify = input.minify ?? repeats(isRspack, true)
  const { DefinePlugin } = ((await import(name)) as { default: typeof import('webpack') }).default
  const cache = isRspack
    ? { type: 'persistent', storage: { type: 'filesystem', directory: cacheFolder } }
    : { type: 'filesystem', cacheDirectory: cacheFolder }
  await runWebpack(name, {
    context: root,
    mode: 'production',
    target: 'node20',
    entry: absolute(root, entries),
    devtool: sourcemap ? 'source-map' : false,
    cache: cacheFolder !== undefined && cache,
    experiments: { outputModule: true },
    output: {
      path: join(root, outDir),
      filename: '[name].mjs',
      chunkFilename: 'chunks/[name]-[contenthash].mjs',
      module: true,
      chunkFormat: 'module',
      clean: true,
    },
    optimization: { minimize: minify },
    performance: false,
    module: { rules: emptyingRules(input) },
    plugins: [new DefinePlugin({ ...input.define }), ...(await pluginsOf(isRspack ? 'rspack' : 'webpack', input))],
  })
  return output(join(root, outDir), (entry) => `${entry}.mjs`)
}

async function buildWithRsbuild(input: BuildInput): Promise<BuildOutput> {
  const { root, entries, sourcemap = false, outDir = 'dist', minify = true, cacheFolder } = input
  await runRsbuild(root, {
    source: { entry: absolute(root, entries), define: { ...input.define } },
    output: {
      target: 'node',
      module: true,
      distPath: { root: outDir, js: '', jsAsync: 'chunks' },
      filename: { js: ({ chunk }) => (chunk?.name ? '[name].mjs' : '[name]-[contenthash].mjs') },
      sourceMap: { js: sourcemap && 'source-map' },
      minify,
    },
    // By default, an output for Node has no public folder.
    server: { publicDir: { copyOnBuild: true } },
    // Where an import needs several chunks, Rspack calls the module's own `Promise`, which a test replaces.
    splitChunks: false,
    tools: { rspack: { module: { rules: emptyingRules(input) } } },
    performance: { buildCache: cacheFolder !== undefined && { cacheDirectory: cacheFolder } },
    plugins: await pluginsOf('rsbuild', input),
  })
  return output(join(root, outDir), (entry) => `${entry}.mjs`)
}

/** One build by Rsbuild, which is then closed. Rejects with everything that was reported as an error. */
export async function runRsbuild(root: string, { plugins = [], ...config }: RsbuildConfig): Promise<void> {
  const { createRsbuild } = await import('@rsbuild/core')
  const errors: string[] = []
  // Rsbuild rejects with one sentence, and prints the errors.
  const collect: RsbuildPlugin = {
    name: 'collect-errors',
    setup: ({ onAfterCreateCompiler }) =>
      onAfterCreateCompiler(({ compiler }) =>
        compiler.hooks.done.tap('collect-errors', (stats) => {
          if (stats.hasErrors()) errors.push(stats.toString({ all: false, errors: true, warnings: true }))
        }),
      ),
  }
  const rsbuild = await createRsbuild({
    cwd: root,
    config: { mode: 'production', logLevel: 'silent', ...config, plugins: [...[plugins].flat(), collect] },
  })
  const { close } = await rsbuild.build().catch((error: Error) => {
    throw new Error([error.message, ...errors].join('\n'), { cause: error })
  })
  await close()
}

async function buildWithEsbuild(input: BuildInput): Promise<BuildOutput> {
  const { root, entries, sourcemap = false, outDir = 'dist', minify = true } = input
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: { ...entries },
    outdir: outDir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
    define: { ...input.define },
    sourcemap,
    minify,
    logLevel: 'silent',
    plugins: [
      {
        name: 'emptying',
        setup({ onLoad }) {
          if (input.emptied !== undefined)
            onLoad({ filter: new RegExp(input.emptied), namespace: 'unplugin-localization' }, () => ({ contents: '' }))
        },
      },
      ...(await pluginsOf('esbuild', input)),
    ],
  })
  return output(join(root, outDir), (entry) => `${entry}.mjs`)
}

const farm = startJobs('farm-job.mjs')

async function buildWithFarm(input: BuildInput): Promise<BuildOutput> {
  const { root, entries, options, others, sourcemap = false, outDir = 'dist', minify = true, define = {} } = input
  const { emptied } = input
  // Farm looks for its own helpers from the app's folder.
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await symlink(join(repository, 'node_modules/@farmfe'), join(root, 'node_modules/@farmfe')).catch(ignoreExisting)
  const pluginFile = join(repository, 'dist/farm.js')
  const { code, output: said } = await farm.run({
    input: { root, entries, options, others, sourcemap, outDir, minify, define, emptied, pluginFile },
    cwd: root,
    env: process.env,
  })
  if (code !== 0) throw new Error(`Farm ended with ${code}\n${said}`)
  return output(join(root, outDir), (entry) => `${entry}.mjs`)
}

const bun = startJobs('bun-job.mjs', { runtime: () => bunBinary() })

async function buildWithBun(input: BuildInput): Promise<BuildOutput> {
  const { root, entries, options, others, sourcemap = false, outDir = 'dist', minify = true, define = {} } = input
  const pluginFile = join(repository, 'dist/bun.js')
  const { code, output: said } = await bun.run({
    input: { root, entries, options, others, sourcemap, outDir, minify, define, pluginFile },
    cwd: root,
    env: process.env,
  })
  if (code !== 0) throw new Error(`Bun ended with ${code}\n${said}`)
  return output(join(root, outDir), (entry) => `${entry}.mjs`)
}

interface ProcessBuild {
  readonly root: string
  /** webpack's configurations without their plugins. They are built one after the other. */
  readonly configurations: readonly object[]
  readonly options: PluginOptions | undefined
}

/** Builds in a process of its own, as `npm run build` is. Resolves to the modules of the last build. */
export async function buildInProcess(
  name: 'webpack' | '@rspack/core',
  { root, configurations, options }: ProcessBuild,
): Promise<{ readonly name: string; readonly built: boolean }[]> {
  const pluginFile = join(repository, 'dist', name === 'webpack' ? 'webpack.js' : 'rspack.js')
  const input = JSON.stringify({ name, configurations, options, pluginFile })
  const command = [process.execPath, join(import.meta.dirname, 'build-child.mjs'), input]
  return JSON.parse((await runToSuccess(command, { cwd: root })).stdout)
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function absolute(root: string, entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)]))
}

/** For builds that must resolve the package by name. */
export async function linkPackage(root: string): Promise<void> {
  const link = join(root, 'node_modules/unplugin-localization')
  await mkdir(dirname(link), { recursive: true })
  await symlink(repository, link)
}
