/**
 * The tarball in a project of somebody else's: npm and pnpm, Node 20, 22 and 24, ESM and CommonJS configurations,
 * oldest and newest bundlers. With npm, every two of these are built together, and the output is run. With pnpm, whose
 * layout hides what a package does not declare, every bundler is built once.
 */
import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { type Installed, installedVersions, NODES, SUPPORTED } from '../helpers/supported.ts'
import { nodeBinary, npmInstall, packTarball, pnpmInstall, runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const VERSIONS = installedVersions()
const FORMATS = ['mjs', 'cjs'] as const
const INSTALL_MS = 600_000

const OUTPUT = "{ dir: process.env.OUT, format: 'es', entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' }"
const PACKED = `{
  mode: 'production', target: 'node', entry: './src/main.js',
  output: { path: process.env.OUT, filename: 'main.cjs', chunkFilename: '[name].cjs' },
  plugins: [localization()],
}`
const CONFIGURATIONS: Readonly<Record<Installed['bundler'], string>> = {
  vite: `{
    logLevel: 'warn',
    build: { outDir: process.env.OUT, target: 'es2022', modulePreload: false, rollupOptions: { input: 'src/main.js', output: { entryFileNames: 'main.mjs' } } },
    plugins: [localization()],
  }`,
  rollup: `{ input: 'src/main.js', output: ${OUTPUT}, plugins: [localization()] }`,
  rolldown: `{ input: 'src/main.js', output: ${OUTPUT}, plugins: [localization()] }`,
  webpack: PACKED,
  rspack: PACKED,
  rsbuild: `{
    mode: 'production', source: { entry: { main: './src/main.js' } },
    output: { target: 'node', module: false, distPath: { root: process.env.OUT, js: '' }, filename: { js: '[name].cjs' } },
    plugins: [localization()],
  }`,
  esbuild: `{
    entryPoints: ['src/main.js'], bundle: true, splitting: true, format: 'esm', target: 'es2022',
    outdir: process.env.OUT, outExtension: { '.js': '.mjs' }, plugins: [localization()],
  }`,
  farm: `{
    root: process.cwd(), clearScreen: false, plugins: [localization()],
    compilation: {
      input: { main: './src/main.js' }, mode: 'production', persistentCache: false, progress: false, minify: false, presetEnv: false,
      output: { path: process.env.OUT, targetEnv: 'node', format: 'esm', filename: '[resourceName].[contentHash].mjs', entryFilename: '[entryName].mjs' },
    },
  }`,
}

/** What a bundler's own command does, for those that have none in the package: read the configuration, build. */
const RUNNER = `
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const [name, bundler, file] = process.argv.slice(2)
const config = file.endsWith('.cjs') ? require('./' + file) : (await import('./' + file)).default
const compile = (create) => new Promise((resolve, reject) => {
  const compiler = create(config)
  compiler.run((error, stats) => compiler.close(() => {
    if (error) reject(error)
    else if (stats.hasErrors()) reject(new Error(stats.toString({ all: false, errors: true })))
    else resolve()
  }))
})
if (bundler === 'webpack') await compile(require(name))
if (bundler === 'rspack') await compile((await import(name)).rspack)
if (bundler === 'rsbuild') {
  const rsbuild = await (await import(name)).createRsbuild({ rsbuildConfig: config })
  await (await rsbuild.build()).close()
}
if (bundler === 'esbuild') await (await import(name)).build(config)
if (bundler === 'farm') await (await import(name)).build(config)
`

const SUBPATHS = `
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
const require = createRequire(import.meta.url)
const { exports, bin } = JSON.parse(readFileSync(require.resolve('unplugin-localization/package.json')))
for (const [subpath, target] of Object.entries(exports)) {
  if (typeof target === 'string' || !target.default) continue
  const name = subpath.replace('.', 'unplugin-localization')
  const imported = Object.keys(await import(name)).filter((key) => key !== '__esModule').sort()
  const required = require(name)
  const names = typeof required === 'function' ? ['default'] : Object.keys(required).filter((key) => key !== '__esModule').sort()
  if (names.join() !== imported.filter((key) => names.length > 1 || key === 'default' || imported.length === 1).join())
    throw new Error(name + ': import gives ' + imported + ', require gives ' + names)
  console.log(subpath + ': ' + imported.join(', '))
}
`

const EXPECTED = { languages: ['en', 'pl'], pl: { title: 'Witaj' }, en: { title: 'Hello' } }

const FILES = {
  'src/main.js': `
    import { languages, load } from 'virtual:translations'
    import en from 'virtual:translations/en/common'
    load('pl', 'common').then((pl) => console.log(JSON.stringify({ languages: languages.map(({ key }) => key), pl, en })))
  `,
  'locales/en/common.json': EXPECTED.en,
  'locales/pl/common.json': EXPECTED.pl,
  'runner.mjs': RUNNER,
  'subpaths.mjs': SUBPATHS,
  // What Vite's own templates had for long: the package is CommonJS, and the configuration has `import` and the ending
  // `.js`.
  'commonjs/package.json': { private: true },
  'commonjs/vite.config.js': `import localization from 'unplugin-localization/vite'\nimport { defineConfig } from 'unplugin-localization'\nexport default ${CONFIGURATIONS.vite.replace('localization()', "localization(defineConfig({ defaultLanguage: 'en' }))")}\n`,
  ...Object.fromEntries(
    Object.entries(CONFIGURATIONS).flatMap(([bundler, config]) => [
      [
        `${bundler}.config.mjs`,
        `import localization from 'unplugin-localization/${bundler}'\nexport default ${config}\n`,
      ],
      [
        `${bundler}.config.cjs`,
        `const localization = require('unplugin-localization/${bundler}')\nmodule.exports = ${config}\n`,
      ],
    ]),
  ),
}

const { exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { exports: object }
const subpaths = Object.entries(exports).flatMap(([subpath, target]) =>
  Object.hasOwn(Object(target), 'default') ? subpath : [],
)

async function makeProject(install: (folder: string) => Promise<void>): Promise<string> {
  const folder = await tempFolder()
  const dependencies = {
    'unplugin-localization': `file:${await packTarball()}`,
    ...Object.fromEntries(VERSIONS.map(({ name, specifier }) => [name, specifier])),
  }
  await writeTree(folder, { 'package.json': { private: true, type: 'module', dependencies }, ...FILES })
  await install(folder)
  return folder
}

function command({ bundler, name }: Installed, format: string): string[] {
  const config = `${bundler}.config.${format}`
  if (bundler === 'vite') return [`node_modules/${name}/bin/vite.js`, 'build', '--config', config]
  if (bundler === 'rollup') return [`node_modules/${name}/dist/bin/rollup`, '-c', config]
  if (bundler === 'rolldown') return [`node_modules/${name}/bin/cli.mjs`, '-c', config]
  return ['runner.mjs', name, bundler, config]
}

async function buildAndRun(cwd: string, major: number, installed: Installed, format: string): Promise<unknown> {
  const node = await nodeBinary(major)
  const out = join(cwd, 'out', `${installed.name.replace('/', '-')}-${major}-${format}`)
  const build = await runNode(node, command(installed, format), { cwd, env: { OUT: out } })
  if (build.code !== 0) throw new Error(build.output)
  const main = ['webpack', 'rspack', 'rsbuild'].includes(installed.bundler) ? 'main.cjs' : 'main.mjs'
  const { output, stdout } = await runNode(node, [join(out, main)], { cwd })
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`the output printed: ${output}`)
  }
}

describe('npm', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await makeProject(npmInstall)
    for (const major of NODES) await nodeBinary(major)
  }, INSTALL_MS)

  describe.each(NODES)('Node %i', (major) => {
    test('every subpath is imported and required, and the command answers', async () => {
      const node = await nodeBinary(major)
      const { code, stdout, output } = await runNode(node, ['subpaths.mjs'], { cwd: folder })
      expect(code, output).toBe(0)
      for (const subpath of subpaths) expect(stdout).toMatch(new RegExp(`^\\${subpath}: \\w`, 'm'))
      const bin = join(folder, 'node_modules/unplugin-localization/dist/cli.js')
      expect(await runNode(node, [bin, 'status', '--json'], { cwd: folder })).toMatchObject({ code: 0 })
    })

    // Both formats of each version, with one Node or another.
    const cases = VERSIONS.map((installed, i) => {
      const format = FORMATS[(i + NODES.indexOf(major)) % 2] as string
      return { ...installed, installed, format }
    })
    test.each(cases)('$bundler $version, configuration .$format', async ({ installed, format }) => {
      expect(await buildAndRun(folder, major, installed, format)).toEqual(EXPECTED)
    })
  })

  const vites = VERSIONS.filter(({ bundler }) => bundler === 'vite')
  test.each(vites)('Vite $version, vite.config.js of a CommonJS package', async ({ name }) => {
    const cwd = join(folder, 'commonjs')
    await cp(join(folder, 'src'), join(cwd, 'src'), { recursive: true })
    await cp(join(folder, 'locales'), join(cwd, 'locales'), { recursive: true })
    const out = join(cwd, 'out', name)
    const vite = join(folder, 'node_modules', name, 'bin/vite.js')
    const { code, output } = await runNode(process.execPath, [vite, 'build'], { cwd, env: { OUT: out } })
    expect(code, output).toBe(0)
    const { stdout } = await runNode(process.execPath, [join(out, 'main.mjs')], { cwd })
    expect(JSON.parse(stdout)).toEqual(EXPECTED)
  })
})

describe('pnpm', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await makeProject(pnpmInstall)
  }, INSTALL_MS)

  const cases = VERSIONS.map((installed, i) => ({
    ...installed,
    installed,
    format: FORMATS[i % 2] as string,
    major: NODES[i % 3] as number,
  }))
  test.each(cases)('$bundler $version, configuration .$format, Node $major', async ({ installed, format, major }) => {
    expect(await buildAndRun(folder, major, installed, format)).toEqual(EXPECTED)
  })
})

test('package.json declares what is supported as optional peers, from the oldest version to the newest major', () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  for (const installed of VERSIONS) {
    const { package: name } = SUPPORTED.find(({ bundler }) => bundler === installed.bundler) as (typeof SUPPORTED)[0]
    const version = installed.version.replace(/^\D+/, '').split('.').map(Number)
    expect([name, peerDependenciesMeta[name]]).toEqual([name, { optional: true }])
    const ranges = (peerDependencies[name] as string).split('||').map((range) => range.trim())
    const isAllowed = ranges.some((range) => {
      const [, least = '', below] = /^(?:\^|>=)([\d.]+)(?: <(\d+))?$/.exec(range) ?? []
      const [major = 0, minor = 0, patch = 0] = least.split('.').map(Number)
      const [ownMajor = 0, ownMinor = Number.POSITIVE_INFINITY, ownPatch = Number.POSITIVE_INFINITY] = version
      if (below === undefined ? ownMajor !== major : ownMajor >= Number(below)) return false
      return ownMajor > major || ownMinor > minor || (ownMinor === minor && ownPatch >= patch)
    })
    expect([name, installed.version, isAllowed]).toEqual([name, installed.version, true])
  }
  for (const { package: name, oldest } of SUPPORTED) {
    expect(peerDependencies[name]).toMatch(new RegExp(`^(?:\\^|>=)${oldest.replaceAll('.', '\\.')}(?: |$)`))
  }
})

test('README.md names the oldest versions', () => {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8').replaceAll('\n  ', ' ')
  const line = readme.split('\n').find((text) => text.includes('are tested from the packed tarball')) ?? ''
  for (const { bundler, oldest } of SUPPORTED)
    expect(line.toLowerCase()).toContain(`${bundler} ${oldest.replace(/(\.0)+$/, '')}`)
})
