/**
 * Workers: an entry with `export default { fetch(request) }`, built for a runtime without Node, and served by workerd,
 * Deno or Bun.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin } from './bundlers.ts'
import { generatedFiles } from './generated.ts'
import { bunBinary, denoBinary, Unavailable, workerdBinary } from './package-managers.ts'
import { bareEnvironment, startProcess } from './processes.ts'
import { writeTree } from './temp.ts'

export interface WorkerBuild {
  readonly name: string
  /** Builds `worker.js` of the folder into `dist`, whose entry is `dist/worker.js`. */
  build(root: string, options: PluginOptions): Promise<void>
}

/** Packages are part of each output: a worker has no `node_modules`. */
export const workerBuilds: readonly WorkerBuild[] = [
  { name: 'a server environment of Vite', build: buildWithVite },
  { name: 'esbuild', build: (root, options) => buildWithEsbuild(root, options) },
  { name: 'esbuild, texts as chunks', build: (root, options) => buildWithEsbuild(root, { ...options, library: true }) },
  { name: 'generated files, bundled without a plugin', build: bundleGenerated },
]

async function buildWithVite(root: string, options: PluginOptions): Promise<void> {
  const { createBuilder } = await import('vite')
  const builder = await createBuilder({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [(await builtPlugin('vite', options)) as never],
    environments: {
      edge: {
        consumer: 'server',
        resolve: { noExternal: true, conditions: ['workerd', 'worker', 'module'] },
        build: {
          outDir: 'dist',
          minify: false,
          emitAssets: false,
          rollupOptions: { input: join(root, 'worker.js'), output: { entryFileNames: '[name].js' } },
        },
      },
    },
  })
  const { edge } = builder.environments
  if (!edge) throw new Error('Vite made no environment')
  await builder.build(edge)
}

/** `localization generate`, then esbuild as any tool that takes no plugin. */
async function bundleGenerated(root: string, options: PluginOptions): Promise<void> {
  await generatedFiles.build({ root, entries: { worker: 'worker.js' }, options })
  await runEsbuild(root, [])
}

async function buildWithEsbuild(root: string, options: PluginOptions): Promise<void> {
  await runEsbuild(root, [(await builtPlugin('esbuild', options)) as never])
}

async function runEsbuild(root: string, plugins: Plugin[]): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: ['worker.js'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    logLevel: 'silent',
    plugins,
  })
}

export interface WorkerRuntime {
  readonly name: string
  /** Rejects with `Unavailable` where the runtime cannot be installed. */
  binary(): Promise<string>
  /** What serves `dist/worker.js` of the folder on a free port. */
  command(root: string, binary: string): Promise<readonly string[]>
}

/** The day from which workerd behaves in a way: the older one has neither `WeakRef` nor `FinalizationRegistry`. */
const WORKERD_DATES = ['2024-09-01', '2026-01-01']

export const workerRuntimes: readonly WorkerRuntime[] = [
  ...WORKERD_DATES.map((date) => ({
    name: `workerd of ${date}`,
    binary: workerdBinary,
    command: async (root: string, binary: string) => {
      await writeTree(root, { 'worker.capnp': await workerdConfig(root, date) })
      return [binary, 'serve', join(root, 'worker.capnp'), '--socket-addr=http=127.0.0.1:0', '--control-fd=1']
    },
  })),
  {
    name: 'Deno',
    binary: denoBinary,
    command: async (root, binary) => {
      const listen = 'onListen: ({ port }) => console.log(JSON.stringify({ port }))'
      await writeTree(root, {
        'deno.mjs': `${IMPORT}Deno.serve({ hostname: '127.0.0.1', port: 0, ${listen} }, worker.fetch)\n`,
      })
      return [binary, 'run', '--no-config', '--no-lock', '--allow-net=127.0.0.1', `--allow-read=${root}`, 'deno.mjs']
    },
  },
  {
    name: 'Bun',
    binary: () => bunBinary(),
    command: async (root, binary) => {
      const serve = "Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: worker.fetch })"
      await writeTree(root, { 'bun.mjs': `${IMPORT}console.log(JSON.stringify({ port: ${serve}.port }))\n` })
      return [binary, 'bun.mjs']
    },
  },
]

const IMPORT = "import worker from './dist/worker.js'\n"

/** Every file of the output is a module of the worker. */
async function workerdConfig(root: string, date: string): Promise<string> {
  const files = (await readdir(join(root, 'dist'), { recursive: true })).filter((name) => name.endsWith('.js'))
  // The first module is the worker's entry.
  const names = ['worker.js', ...files.filter((name) => name !== 'worker.js').sort()]
  const modules = names.map((name) => `(name = "${name}", esModule = embed "dist/${name}")`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [
    ${modules.join(',\n    ')}
  ],
  compatibilityDate = "${date}",
);
`
}

/** Why the runtime is not there: such tests are skipped, and the reason is printed. In CI they run, and fail. */
export async function missingRuntime({ name, binary }: WorkerRuntime): Promise<boolean> {
  return binary().then(
    () => false,
    (error: Error) => {
      if (process.env.CI || !(error instanceof Unavailable)) throw error
      process.stdout.write(`${name} skipped: ${error.message}\n`)
      return true
    },
  )
}

/** Serves the built worker until the test is over. Resolves to its address. */
export async function startWorker({ binary, command }: WorkerRuntime, root: string): Promise<string> {
  const running = startProcess(await command(root, await binary()), { cwd: root, env: bareEnvironment(root) })
  const { port } = JSON.parse(await running.firstLine) as { readonly port: number }
  return `http://127.0.0.1:${port}`
}
