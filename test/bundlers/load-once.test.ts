/** How often a build asks the service: once, however many environments, outputs and plugin instances it has. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as esbuild from 'esbuild'
import { type RollupOptions, rollup, watch as watchWithRollup } from 'rollup'
import { createBuilder } from 'vite'
import { createBuilder as createBuilder7 } from 'vite7'
import { expect, it, onTestFinished } from 'vitest'
import webpack, { type Configuration, type MultiStats, type Stats } from 'webpack'
import type { PluginOptions } from '../../src/index.ts'
import { importing } from '../helpers/apps.ts'
import { builtPlugin, bundlers, isTested, linkPackage } from '../helpers/bundlers.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const PATIENCE = { timeout: 60_000, interval: 100 }

async function smallProject(): Promise<Project> {
  const project = await startProject({ service: { languages: [] } })
  await project.importTexts('en', '', { title: 'Title' })
  await project.importTexts('de', '', { title: '' })
  return project
}

const optionsOf = ({ apiKey, baseUrl }: Project): PluginOptions => ({
  configFile: false,
  service: { apiKey, baseUrl },
})

const ENTRY = importing(['virtual:translations/de/default'])

/**
 * A configuration file, as users have it: Vite may read it anew for each environment, and each reading makes a new
 * plugin.
 */
const viteConfig = (options: PluginOptions, sharedConfigBuild: boolean) => `
import localization from 'unplugin-localization/vite'
const build = (outDir, ssr) => ({ build: { outDir, ssr, rollupOptions: { input: import.meta.dirname + '/main.js', output: { entryFileNames: 'main.mjs' }, preserveEntrySignatures: 'strict' } } })
export default {
  logLevel: 'silent',
  plugins: [localization(${JSON.stringify(options)})],
  builder: { sharedConfigBuild: ${sharedConfigBuild} },
  environments: { client: build('dist/client', false), ssr: build('dist/ssr', true), edge: build('dist/edge', true) },
}
`

it.each([
  { version: 'Vite 8', create: createBuilder, shared: false },
  { version: 'Vite 8', create: createBuilder, shared: true },
  ...(isTested('vite7') ? [false, true] : []).map((shared) => ({
    version: 'Vite 7',
    create: createBuilder7 as unknown as typeof createBuilder,
    shared,
  })),
])('$version with three environments, sharedConfigBuild $shared', async ({ create, shared }) => {
  const root = await tempFolder()
  const project = await smallProject()
  await linkPackage(root)
  await writeTree(root, { 'main.js': ENTRY, 'vite.config.mjs': viteConfig(optionsOf(project), shared) })
  const build = async () => {
    const builder = await create({ root, configFile: join(root, 'vite.config.mjs') }, null)
    await builder.buildApp()
  }
  await build()
  expect(project.exportRequests()).toBe(1)
  for (const environment of ['client', 'ssr', 'edge']) {
    expect(await runEntry(join(root, 'dist', environment, 'main.mjs'))).toEqual([{ title: 'Title' }])
  }
  // A build that is begun later wants today's texts.
  await project.importTexts('en', '', { title: 'New title' })
  await build()
  expect(project.exportRequests()).toBe(2)
  expect(await runEntry(join(root, 'dist/ssr/main.mjs'))).toEqual([{ title: 'New title' }])
})

it('Rollup with two outputs, and two builds of one plugin list', async () => {
  const root = await tempFolder()
  const project = await smallProject()
  await writeTree(root, { 'main.js': ENTRY })
  const options = { root, ...optionsOf(project) }
  const plugins = [await builtPlugin('rollup', options)] as RollupOptions['plugins']
  const build = async () => {
    const bundle = await rollup({ input: join(root, 'main.js'), plugins })
    await bundle.write({ dir: join(root, 'es'), format: 'es', entryFileNames: '[name].mjs' })
    await bundle.write({ dir: join(root, 'cjs'), format: 'cjs', entryFileNames: '[name].cjs' })
    await bundle.close()
  }
  await build()
  expect(project.exportRequests()).toBe(1)
  expect(await runEntry(join(root, 'es/main.mjs'))).toEqual([{ title: 'Title' }])
  expect(await runEntry(join(root, 'cjs/main.cjs'))).toEqual([{ title: 'Title' }])
})

it('webpack with two compilers and a plugin each', async () => {
  const root = await tempFolder()
  const project = await smallProject()
  await writeTree(root, { 'main.js': ENTRY })
  const configuration = async (name: string, parallel: object = {}): Promise<Configuration> => ({
    ...webpackConfiguration(root, `dist/${name}`),
    name,
    plugins: [(await builtPlugin('webpack', optionsOf(project))) as never],
    ...parallel,
  })
  await runWebpack(webpack([await configuration('one'), await configuration('two')]))
  expect(project.exportRequests()).toBe(1)
  // The second waits until the first has ended.
  const inOrder = [await configuration('one'), await configuration('two', { dependencies: ['one'] })]
  await runWebpack(webpack(inOrder))
  expect(project.exportRequests()).toBe(2)
  for (const name of ['one', 'two']) {
    expect(await runEntry(join(root, `dist/${name}/main.mjs`))).toEqual([{ title: 'Title' }])
  }
})

it('webpack asks again after a build that another plugin ended with an error', async () => {
  const root = await tempFolder()
  const project = await smallProject()
  await writeTree(root, { 'main.js': ENTRY })
  const build = async (...more: readonly object[]) =>
    runWebpack(
      webpack([
        {
          ...webpackConfiguration(root, 'dist'),
          plugins: [await builtPlugin('webpack', optionsOf(project)), ...more] as never[],
        },
      ]),
    )
  const failing = {
    apply: ({ hooks }: webpack.Compiler) => hooks.emit.tapPromise('other', () => Promise.reject(new Error('other'))),
  }
  await expect(build(failing)).rejects.toThrow('other')
  await project.importTexts('de', '', { title: 'Titel' })
  await build()
  expect(project.exportRequests()).toBe(2)
  expect(await runEntry(join(root, 'dist/main.mjs'))).toEqual([{ title: 'Titel' }])
})

it.each(bundlers)('$name asks again in a later build, and once', async (bundler) => {
  const root = await tempFolder()
  const project = await smallProject()
  await writeTree(root, { 'main.js': ENTRY })
  const build = () => bundler.build({ root, entries: { main: 'main.js' }, options: optionsOf(project) })
  await build()
  expect(project.exportRequests()).toBe(1)
  await project.importTexts('de', '', { title: 'Titel' })
  const output = await build()
  expect(project.exportRequests()).toBe(2)
  expect(await runEntry(output.entryFile('main'))).toEqual([{ title: 'Titel' }])
})

const WATCHED = `
import { load, namespaces } from 'virtual:translations'
import messages from 'virtual:translations/de/default'
globalThis.collect = async () => ({ messages, namespaces, all: await Promise.all(namespaces.map((n) => load('de', n))) })
`

/** Edits, adds and breaks files below a running watch; the service is asked the first time only. */
async function exerciseWatch(root: string, project: Project, entry: string, failures: () => number): Promise<void> {
  let code: string | undefined
  let shown: unknown
  // The entry has the hashes of all texts.
  const seen = () =>
    expect.poll(async () => {
      const written = await readFile(entry, 'utf8')
      if (written !== code) shown = await runEntry(entry)
      code = written
      return shown
    }, PATIENCE)
  await seen().toEqual({
    messages: { title: 'Title', own: 'eins' },
    namespaces: ['default'],
    all: [{ title: 'Title', own: 'eins' }],
  })
  await writeTree(root, { 'locales/de/default.json': { own: 'zwei' } })
  await seen().toMatchObject({ messages: { title: 'Title', own: 'zwei' } })
  await writeTree(root, { 'locales/de/shop/cart.json': { buy: 'Kaufen' } })
  await seen().toMatchObject({ namespaces: ['default', 'shop/cart'], all: [{ own: 'zwei' }, { buy: 'Kaufen' }] })
  await writeFile(join(root, 'locales/de/default.json'), '{ "own": "dr')
  await expect.poll(failures, PATIENCE).toBeGreaterThan(0)
  await seen().toMatchObject({ messages: { own: 'zwei' } })
  await writeTree(root, { 'locales/de/default.json': { own: 'drei' } })
  await seen().toMatchObject({ messages: { own: 'drei' }, all: [{ own: 'drei' }, { buy: 'Kaufen' }] })
  await rm(join(root, 'locales/de/shop/cart.json'))
  await seen().toMatchObject({ namespaces: ['default'] })
  expect(project.exportRequests()).toBe(1)
}

async function watchedApp(): Promise<{ root: string; project: Project }> {
  const root = await tempFolder()
  await writeTree(root, { 'main.js': WATCHED, 'locales/de/default.json': { own: 'eins' } })
  return { root, project: await smallProject() }
}

it('Rollup in watch mode', async () => {
  const { root, project } = await watchedApp()
  const watcher = watchWithRollup({
    input: join(root, 'main.js'),
    plugins: [(await builtPlugin('rollup', { root, ...optionsOf(project) })) as never],
    output: { dir: join(root, 'dist'), format: 'es', entryFileNames: '[name].mjs' },
    onLog: () => {},
  })
  let failures = 0
  watcher.on('event', (event) => {
    if (event.code === 'ERROR') failures++
    if ('result' in event) void event.result?.close()
  })
  onTestFinished(() => watcher.close())
  await exerciseWatch(root, project, join(root, 'dist/main.mjs'), () => failures)
})

it('webpack in watch mode', async () => {
  const { root, project } = await watchedApp()
  const compiler = webpack({
    ...webpackConfiguration(root, 'dist'),
    plugins: [(await builtPlugin('webpack', optionsOf(project))) as never],
  })
  let failures = 0
  compiler.watch({ aggregateTimeout: 20 }, (error, stats) => {
    if (error || stats?.hasErrors()) failures++
  })
  onTestFinished(() => new Promise<void>((resolve) => compiler.close(() => resolve())))
  await exerciseWatch(root, project, join(root, 'dist/main.mjs'), () => failures)
})

it('esbuild in watch mode', async () => {
  const { root, project } = await watchedApp()
  let failures = 0
  const countFailures = (build: esbuild.PluginBuild) =>
    build.onEnd(({ errors }) => {
      if (errors.length > 0) failures++
    })
  const context = await esbuild.context({
    absWorkingDir: root,
    entryPoints: { main: 'main.js' },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    logLevel: 'silent',
    plugins: [(await builtPlugin('esbuild', optionsOf(project))) as never, { name: 'count', setup: countFailures }],
  })
  onTestFinished(() => context.dispose())
  await context.watch()
  await exerciseWatch(root, project, join(root, 'dist/main.mjs'), () => failures)
})

function webpackConfiguration(root: string, folder: string): Configuration {
  return {
    context: root,
    mode: 'production',
    target: 'node20',
    entry: { main: join(root, 'main.js') },
    experiments: { outputModule: true },
    output: { path: join(root, folder), filename: '[name].mjs', module: true, chunkFormat: 'module' },
    optimization: { minimize: false },
    performance: false,
  }
}

function runWebpack(compiler: ReturnType<typeof webpack>): Promise<void> {
  if (!compiler) throw new Error('no compiler')
  return new Promise((resolve, reject) => {
    compiler.run((error: Error | null, stats?: Stats | MultiStats) => {
      if (error) return reject(error)
      if (stats?.hasErrors()) return reject(new Error(stats.toString({ all: false, errors: true })))
      compiler.close((failure) => (failure ? reject(failure) : resolve()))
    })
  })
}
