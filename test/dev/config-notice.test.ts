/**
 * Watch modes and dev servers that do not start anew say that `localization.config.*` was edited. When an edit is told:
 * `test/unit/plugin/config-notice.test.ts`; webpack's dev server: `page-updates.test.ts`.
 */
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { builtPlugin, repository } from '../helpers/bundlers.ts'
import { devServers } from '../helpers/dev-servers.ts'
import { runToSuccess, startProcess } from '../helpers/processes.ts'
import { repeats } from '../helpers/repeats.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'package.json': { type: 'module' },
  'main.js': `import { languages } from 'virtual:translations'\nglobalThis.shown = languages.length\n`,
  'locales/en/common.json': { title: 'Title' },
  'localization.config.mjs': `import options from './part.json'\nexport default options\n`,
  'part.json': { defaultLanguage: 'en' },
}

function listen(): () => string {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  onTestFinished(() => void vi.restoreAllMocks())
  return () => said.join('')
}

async function editIsTold(root: string, said: () => string): Promise<void> {
  await expect.poll(said).toContain('1 text')
  await save(
    join(root, 'localization.config.mjs'),
    `import options from './part.json'\nexport default { ...options }\n`,
  )
  await expect.poll(said).toContain('localization.config.mjs changed. Restart the bundler to apply it')
  await save(join(root, 'part.json'), { defaultLanguage: 'en', values: 'keep' })
  await expect.poll(said).toContain('part.json changed. Restart the bundler to apply it')
}

/** In `npm test`, the two that load fast; with `BUNDLERS=others` the others. */
const isWatched = (name: string) =>
  repeats(['vite', 'esbuild'].includes(name) === (process.env.BUNDLERS !== 'others'), true)

interface WatcherOf {
  close(): unknown
}

const watchers: Record<string, (root: string) => Promise<WatcherOf>> = {
  async vite(root) {
    const { build } = await import('vite')
    const plugins = [(await builtPlugin('vite', {})) as never]
    const rollupOptions = { input: join(root, 'main.js') }
    return (await build({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins,
      build: { watch: {}, rollupOptions },
    })) as never
  },
  async rollup(root) {
    const { watch } = await import('rollup')
    return watch({
      input: join(root, 'main.js'),
      plugins: [(await builtPlugin('rollup', { root })) as never],
      output: { dir: join(root, 'dist') },
    })
  },
  async rolldown(root) {
    const { watch } = await import('rolldown')
    return watch({
      input: join(root, 'main.js'),
      plugins: [(await builtPlugin('rolldown', { root })) as never],
      output: { dir: join(root, 'dist') },
    })
  },
  async esbuild(root) {
    const { context } = await import('esbuild')
    const watched = await context({
      absWorkingDir: root,
      entryPoints: ['main.js'],
      outdir: 'dist',
      bundle: true,
      format: 'esm',
      logLevel: 'silent',
      plugins: [(await builtPlugin('esbuild', {})) as never],
    })
    await watched.watch()
    return { close: () => watched.dispose() }
  },
  async webpack(root) {
    const { default: webpack } = await import('webpack')
    const compiler = webpack({
      context: root,
      mode: 'production',
      entry: './main.js',
      output: { path: join(root, 'dist') },
      plugins: [(await builtPlugin('webpack', {})) as never],
    })
    compiler.watch({}, () => {})
    return { close: () => new Promise((resolve) => compiler.close(resolve)) }
  },
  async rspack(root) {
    const { rspack } = await import('@rspack/core')
    const compiler = rspack({
      context: root,
      mode: 'production',
      entry: './main.js',
      output: { path: join(root, 'dist') },
      plugins: [(await builtPlugin('rspack', {})) as never],
    })
    compiler.watch({}, () => {})
    return { close: () => new Promise((resolve) => compiler.close(resolve)) }
  },
}

test.each(Object.keys(watchers).filter(isWatched))(
  '%s, watching, after an earlier watcher was closed',
  async (name) => {
    const root = await tempFolder()
    await writeTree(root, FILES)
    const watch = watchers[name] as (typeof watchers)[string]
    const saidBefore = listen()
    const earlier = await watch(root)
    await expect.poll(saidBefore).toContain('1 text')
    await earlier.close()
    const said = listen()
    const watcher = await watch(root)
    onTestFinished(async () => void (await watcher.close()))
    await editIsTold(root, said)
    expect(said().split('localization.config.mjs changed')).toHaveLength(2)
  },
)

test.each(devServers.filter(({ name }) => !/^(?:vite|webpack)/.test(name)))(
  '$name, its dev server',
  async ({ start }) => {
    const root = await tempFolder()
    await writeTree(root, FILES)
    const said = listen()
    const server = await start({ root })
    onTestFinished(() => server.close())
    await editIsTold(root, said)
  },
)

test.each(['farm'].filter(isWatched))('%s, its dev server', async () => {
  const root = await tempFolder()
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await symlink(join(repository, 'node_modules/@farmfe'), join(root, 'node_modules/@farmfe'))
  await writeTree(root, {
    ...FILES,
    'index.html': '<!doctype html><html><body><script src="./main.js"></script></body></html>',
    'start.mjs': `
      import { start } from '@farmfe/core'
      import localization from ${JSON.stringify(join(repository, 'dist/farm.js'))}
      await start({
        root: process.cwd(), clearScreen: false, plugins: [localization()], server: { port: 0 },
        compilation: { input: { index: './index.html' }, persistentCache: false, progress: false, lazyCompilation: false },
      })
      console.log('the server has started')
    `,
  })
  const { output } = startProcess([process.execPath, 'start.mjs'], { cwd: root })
  // Farm tells the plugin of its server after the first build.
  await expect.poll(output).toContain('the server has started')
  await editIsTold(root, output)
})

test('a build that ends says nothing and keeps no process', async () => {
  const root = await tempFolder()
  await writeTree(root, {
    ...FILES,
    'build.mjs': `
      import { build } from ${JSON.stringify(join(repository, 'node_modules/esbuild/lib/main.js'))}
      import localization from ${JSON.stringify(join(repository, 'dist/esbuild.js'))}
      await build({ entryPoints: ['main.js'], bundle: true, format: 'esm', outdir: 'dist', plugins: [localization()] })
    `,
  })
  await runToSuccess([process.execPath, 'build.mjs'], { cwd: root })
  expect(await readFile(join(root, 'dist/main.js'), 'utf8')).toContain('shown')
})
