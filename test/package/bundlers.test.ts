/**
 * The one table of bundlers: everything that lists bundlers agrees with it, and a new bundler is one line and one
 * directory.
 */
import { execFile } from 'node:child_process'
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ADAPTERS } from '../../src/plugin/bundlers/adapters.ts'
import { BUNDLER_NAMES, BUNDLERS } from '../../src/plugin/bundlers.ts'
import { createFactory } from '../../src/plugin/factory.ts'
import { repository } from '../helpers/bundlers.ts'
import { tableRows } from '../helpers/markdown.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { testThoroughly } from '../helpers/test-thoroughly.ts'

const run = promisify(execFile)
const titles = BUNDLER_NAMES.map((name) => BUNDLERS[name].title).sort()

const read = (file: string) => readFile(join(repository, file), 'utf8')

/** `Vite 5.4 to 8, webpack, Rspack and Farm 1.7`: the names in order of the alphabet. */
const namesIn = (list: string) =>
  list
    .split(/,\s+|\s+and (?!later)/)
    .map((name) => name.replace(/ [\d.]+.*/, ''))
    .sort()

test('each line of the table has its directory, and each directory its line', async () => {
  const entries = await readdir(join(repository, 'src/plugin/bundlers'), { withFileTypes: true })
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(directories.sort()).toEqual([...BUNDLER_NAMES].sort())
})

test('README.md, docs/bundlers.md and package.json list the bundlers of the table', async () => {
  const [readme, page, manifest] = await Promise.all([
    read('README.md'),
    read('docs/bundlers.md'),
    read('package.json').then(JSON.parse),
  ])
  expect(namesIn(/It works with\s+([^.]*)\./.exec(readme)?.[1] ?? '')).toEqual(titles)
  expect(namesIn(/^- (Vite [^()]*?)\s+are\s+tested\s+from\s+the\s+packed\s+tarball/m.exec(readme)?.[1] ?? '')).toEqual(
    titles,
  )
  expect(
    tableRows('docs/bundlers.md', page, '| bundler |')
      .map(([name]) => name)
      .sort(),
  ).toEqual(titles)
  expect(
    namesIn(/modules per language and namespace in (.*), a typed client/.exec(manifest.description)?.[1] ?? ''),
  ).toEqual(titles)
})

test('an unknown bundler is an error, and gets no other adapter', () => {
  const meta = { framework: 'unloader', versions: { unplugin: '3.0.0' } } as never
  expect(() => createFactory(ADAPTERS)({}, meta)).toThrow(/unsupported bundler unloader/)
})

/** Rollup under another name: unplugin makes the same plugin for Unloader, with another framework in its meta. */
const ANOTHER = {
  line: "  unloader: { title: 'Unloader', package: 'unloader', versions: '^0.1.0', plugin: 'NamedPlugin' },",
  adapter: `import type { CreateAdapter } from '../../bundler-adapter.ts'
import { createAdapter as createRollupAdapter } from '../rollup/adapter.ts'

export const createAdapter: CreateAdapter = (input) => {
  const { hooks, ...adapter } = createRollupAdapter(input)
  return { ...adapter, hooks: { ...hooks, unloader: hooks.rollup as never } }
}
`,
}

const APP = {
  'package.json': { type: 'module', devDependencies: { unloader: '^0.1.0' } },
  'locales/en/common.json': { title: 'Hello from another' },
  'main.js': "import { load } from 'virtual:translations'\nconsole.log((await load('en', 'common')).title)\n",
  'build.mjs': `import { rollup } from 'rollup'
import localization from '../dist/unloader.js'
const bundle = await rollup({ input: 'main.js', plugins: [localization({ configFile: false, source: 'files' })] })
await bundle.write({ dir: 'out', format: 'es', entryFileNames: '[name].mjs' })
`,
}

testThoroughly('another bundler is one line in the table and one directory', async () => {
  const root = await tempFolder()
  const copied = ['src', 'scripts', 'docs', 'package.json', 'rolldown.config.ts', 'size-budget.json', 'tsconfig.json']
  await Promise.all(copied.map((name) => cp(join(repository, name), join(root, name), { recursive: true })))
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  const node = (args: readonly string[], cwd = root) => run(process.execPath, args, { cwd })

  // All that a person writes.
  const table = join(root, 'src/plugin/bundlers.ts')
  await writeFile(table, (await readFile(table, 'utf8')).replace(/^} as const/m, `${ANOTHER.line}\n} as const`))
  await writeTree(root, { 'src/plugin/bundlers/unloader/adapter.ts': ANOTHER.adapter })

  const stale = await node(['scripts/bundlers.mjs', '--check']).catch((error: { stderr: string }) => error)
  expect(stale.stderr).toContain('src/unloader.ts is not what src/plugin/bundlers.ts asks for')
  await node(['scripts/bundlers.mjs'])
  await node([join(repository, 'node_modules/rolldown/bin/cli.mjs'), '--config', 'rolldown.config.ts'])

  await writeTree(join(root, 'app'), APP)
  const app = join(root, 'app')
  await node(['build.mjs'], app)
  expect((await node(['out/main.mjs'], app)).stdout).toBe('Hello from another\n')
  const init = await node(['../dist/cli.js', 'init', '--dry-run', '--json'], app)
  expect(JSON.parse(init.stdout)).toMatchObject({
    bundler: 'unloader',
    bundlerLines: expect.arrayContaining([expect.stringContaining('unplugin-localization/unloader')]),
  })
  expect((await node(['-p', "typeof require('unplugin-localization/unloader')"])).stdout).toBe('function\n')
  const sizes = await node(['scripts/size.mjs', '--json']).catch((error: { stdout: string }) => error)
  expect(JSON.parse(sizes.stdout).import).toHaveProperty('unloader')
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect(manifest.peerDependencies.unloader).toBe('^0.1.0')
  expect(manifest.peerDependenciesMeta.unloader).toEqual({ optional: true })
})
