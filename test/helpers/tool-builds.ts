/** The tools of `docs/tools.md` in the suites of all bundlers: the command writes the modules, a tool reads them. */
import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Builder } from './bundlers.ts'
import { environment } from './frameworks.ts'
import { generatedFiles } from './generated.ts'
import { bunBinary, denoBinary } from './package-managers.ts'
import { runToSuccess } from './processes.ts'
import { nodeBinary, npmInstall } from './tarball.ts'
import { writeTree } from './temp.ts'
import { METRO, TOOL_LINES, TOOLS } from './tools.ts'

/** Runs the generated files as they are, in the tool's own process. */
function runtime(name: string, command: () => Promise<readonly string[]>): Builder {
  return {
    name,
    build: (input) => generatedFiles.build(input),
    run: async (file) => {
      const runner = `${file}.run.mjs`
      const entry = JSON.stringify(`./${relative(dirname(file), file)}`)
      await writeTree(dirname(runner), {
        [relative(dirname(runner), runner)]: `import ${entry}\nconsole.log(JSON.stringify(await collect()))\n`,
      })
      const run = await runToSuccess([...(await command()), runner], { cwd: dirname(file), env: environment() })
      return JSON.parse(run.stdout)
    },
  }
}

export const deno = runtime('deno', async () => [await denoBinary(), 'run'])
export const bun = runtime('bun (generate)', async () => [await bunBinary()])

export const parcel: Builder = {
  name: 'parcel',
  async build(input) {
    const { root, entries, minify = true } = input
    const generated = await generatedFiles.build(input)
    const modules = await toolModules('Parcel')
    if (!existsSync(join(root, 'node_modules'))) await symlink(modules, join(root, 'node_modules'))
    await addLines(root, 'Parcel', {
      targets: { default: { context: 'browser', outputFormat: 'esmodule', distDir: 'dist', sourceMap: false } },
      browserslist: 'last 2 Chrome versions',
    })
    const flags = ['--no-cache', ...(minify ? [] : ['--no-optimize'])]
    const command = [process.execPath, join(modules, 'parcel/lib/bin.js'), 'build', ...Object.values(entries), ...flags]
    await runToSuccess(command, { cwd: root, env: environment() })
    return { files: generated.files, entryFile: (name) => join(root, 'dist', entries[name] as string) }
  },
}

export const metro: Builder = {
  name: 'metro',
  async build(input) {
    const { root, entries, minify = true } = input
    const generated = await generatedFiles.build(input)
    const modules = await toolModules(METRO)
    await addLines(root, METRO)
    const packages = `const packages = require('node:module').createRequire(${JSON.stringify(`${modules}/`)})`
    await writeTree(root, {
      // Metro's output is a script, as Hermes takes it.
      'dist/package.json': { type: 'commonjs' },
      // As in a project of React Native, with the packages in another folder.
      'metro.config.cjs': `
        ${packages}
        const { getDefaultConfig, mergeConfig } = packages('@react-native/metro-config')
        module.exports = mergeConfig(getDefaultConfig(__dirname), {
          watchFolders: [${JSON.stringify(modules)}],
          resolver: { nodeModulesPaths: [${JSON.stringify(modules)}] },
          serializer: { getModulesRunBeforeMainModule: () => [] },
        })
      `,
      'babel.config.cjs': `
        ${packages}
        module.exports = { presets: [packages.resolve('@react-native/babel-preset')] }
      `,
    })
    const command = [await nodeBinary(24), join(modules, 'metro/src/cli.js'), 'build']
    const outputOf = (name: string) => join(root, 'dist', `${name}.js`)
    for (const [name, entry] of Object.entries(entries)) {
      const flags = ['--config', 'metro.config.cjs', '--platform', 'ios', '--dev', 'false', '--minify', String(minify)]
      await runToSuccess([...command, entry, '--out', outputOf(name), ...flags], { cwd: root, env: environment() })
    }
    return { files: generated.files, entryFile: outputOf }
  },
}

/** The lines of the page, and settings of a test, in the app's package.json. */
async function addLines(root: string, tool: string, more: object = {}): Promise<void> {
  const lines = TOOL_LINES.find(({ name }) => name === tool)?.files
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as object
  await writeTree(root, { 'package.json': { ...own, ...lines, ...more } })
}

/** The tool's packages, in a folder that stays for the next run. */
async function toolModules(tool: string): Promise<string> {
  const packages = TOOLS[tool]?.packages ?? []
  const folder = join(tmpdir(), `unplugin-localization-tool-${packages.join('-').replaceAll(/[^\w.-]+/g, '-')}`)
  const modules = join(folder, 'node_modules')
  if (existsSync(join(modules, '.package-lock.json'))) return modules
  await writeTree(folder, { 'package.json': { private: true } })
  await npmInstall(folder, '--no-save', ...packages)
  return modules
}
