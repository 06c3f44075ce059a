/** A build whose code addresses a message file that is not in its output fails, and no other does. */
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadingEverything } from '../helpers/apps.ts'
import { allBundlers, builtPlugin } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'main.js': loadingEverything,
  'locales/en/common.json': { title: 'Title' },
  // The same content: the files differ in their names only.
  'locales/de/common.json': { title: 'Title' },
}

/** What a library brings along that was built by itself. */
const library = (base: string) => `
const fetch = (address) => import(address)
globalThis.library = { fetch, base: ${JSON.stringify(base)}, extension: '.js', hashes: 'c0ffee00        ' }
globalThis.collect = () => 'built'
`

async function project(files: object = {}) {
  const root = await tempFolder()
  await writeTree(root, { ...FILES, ...files })
  return root
}

const options = { configFile: false } as const

covers({
  tool: 'a missing message file',
  setting: 'removed by another plugin, or belonging to a library',
  bundlers: [
    'vite',
    'vite7',
    'rollup',
    'rolldown',
    'webpack',
    '@rspack/core',
    '@rsbuild/core',
    'esbuild',
    '@farmfe/core',
  ],
  result: 'fails with `MESSAGE_FILE_MISSING`',
  limit: 'esbuild and Farm: changes by later plugins are not detected',
})

describe.each(allBundlers)('$name', ({ build }) => {
  it('a library whose message files nobody copied', async () => {
    const root = await project({
      'main.js': library('./localization/'),
      'elsewhere.js': library('https://cdn.example/'),
    })
    const attempt = build({ root, entries: { main: 'main.js' }, options })
    await expect(attempt).rejects.toThrow(
      /main\.mjs loads a message file that is missing from the output: localization\/\S+c0ffee00\.js/,
    )
    // Where the files are on a server, nothing can be said of them.
    await build({ root, entries: { main: 'elsewhere.js' }, options })
  })
})

type Bundle = Record<string, { readonly type: string }>
type Emit = (file: { type: 'asset'; fileName: string; source: string }) => unknown
const isGerman = (name: string) => /localization\/de\/common\.[0-9a-f]{8}\.js$/.test(name)

/** Vite, Rollup and Rolldown: outputs, and a plugin that works on what they hold. */
async function bundle(name: string, root: string, outputs: object[], change: (bundle: Bundle, emit: Emit) => void) {
  const plugin = {
    name: 'changes-output',
    generateBundle(this: { emitFile: Emit }, _options: unknown, output: Bundle) {
      change(output, (file) => this.emitFile(file))
    },
  }
  const input = join(root, 'main.js')
  const plugins = [await builtPlugin(name.startsWith('vite') ? 'vite' : name, { root, ...options }), plugin] as never
  if (name.startsWith('vite')) {
    const { build } = (await import(name)) as typeof import('vite')
    const rollupOptions = { input, output: outputs }
    return build({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins,
      build: { rollupOptions, modulePreload: false },
    })
  }
  const { rollup } = name === 'rollup' ? await import('rollup') : { rollup: (await import('rolldown')).rolldown }
  const built = await (rollup as typeof import('rollup').rollup)({ input, plugins })
  try {
    for (const output of outputs) await built.write({ dir: join(root, 'dist'), ...output })
  } finally {
    await built.close()
  }
}

describe.each(['vite', 'vite7', 'rollup', 'rolldown'])('%s', (name) => {
  const MISSING =
    /loads a message file that is missing from the output: dist\/\S*localization\/de\/common\.[0-9a-f]{8}\.js/
  const remove = (bundle: Bundle, isRemoved: (name: string) => boolean) => {
    for (const name of Object.keys(bundle)) if (isRemoved(name)) delete bundle[name]
  }
  const ES = { format: 'es' }

  it('a plugin removed one', async () => {
    const root = await project()
    const attempt = bundle(name, root, [ES], (output) => remove(output, isGerman))
    await expect(attempt).rejects.toMatchObject({ message: expect.stringMatching(MISSING) })
  })

  it('two outputs in one folder, of which one brings the files; compressed files alone', async () => {
    const root = await project()
    // As the plugin for old browsers does.
    const outputs = [{ ...ES, entryFileNames: 'old.js' }, ES]
    let count = 0
    await bundle(name, root, outputs, (output) => {
      if (count++ === 0) remove(output, (file) => output[file]?.type === 'asset')
    })
    const compressed = await project()
    await bundle(name, compressed, [ES], (output, emit) => {
      for (const file of Object.keys(output).filter(isGerman)) {
        emit({ type: 'asset', fileName: `${file}.gz`, source: 'compressed' })
        delete output[file]
      }
    })
  })
})

describe.each(['webpack', '@rspack/core'])('%s', (name) => {
  it('a plugin removed one', async () => {
    const root = await project({ 'copied/note.txt': '' })
    const { default: bundler } = (await import(name)) as { default: typeof import('webpack') }
    const remover = {
      apply: (compiler: import('webpack').Compiler) =>
        compiler.hooks.thisCompilation.tap('remover', (compilation) => {
          const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE
          compilation.hooks.processAssets.tap({ name: 'remover', stage }, (assets) => {
            for (const file of Object.keys(assets).filter(isGerman)) compilation.deleteAsset(file)
          })
        }),
    }
    const compiler = bundler({
      context: root,
      mode: 'production',
      entry: './main.js',
      // A name with a query; code in strings.
      output: { path: join(root, 'dist'), filename: 'js/[name].js?[contenthash]', clean: true },
      devtool: 'eval',
      plugins: [(await builtPlugin(name === 'webpack' ? name : 'rspack', options)) as never, remover],
    })
    const errors = await new Promise<readonly string[]>((resolve, reject) => {
      compiler?.run((error, stats) =>
        error ? reject(error) : resolve((stats?.compilation.errors ?? []).map(({ message }) => message)),
      )
    })
    await new Promise((resolve) => compiler?.close(resolve))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/dist\/js\/main\.js loads a message file .*: dist\/js\/localization\/de\/common/)
  })
})

it('esbuild: files that were copied into the folder beforehand', async () => {
  const root = await project({ 'main.js': library('./localization/') })
  const { build } = allBundlers.find(({ name }) => name === 'esbuild') as (typeof allBundlers)[0]
  await mkdir(join(root, 'dist/localization/en'), { recursive: true })
  await copyFile(join(root, 'main.js'), join(root, 'dist/localization/en/common.c0ffee00.js'))
  await build({ root, entries: { main: 'main.js' }, options })
  expect(await readdir(join(root, 'dist'))).toContain('main.mjs')
})
