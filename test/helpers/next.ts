/** Projects of Next.js that share one installation: they are folders below it. */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { repository } from './bundlers.ts'
import { environment, startScript } from './frameworks.ts'
import { type Ended, type RunningProcess, runProcess } from './processes.ts'
import { npmInstall, packTarball } from './tarball.ts'
import { tempFolder, writeTree } from './temp.ts'

const APP = join(repository, 'test/frameworks/apps/next')

/** The version is that of Next.js. */
export async function installNext(version: string): Promise<string> {
  const home = await tempFolder()
  await writeTree(home, { 'package.json': { private: true, type: 'module' } })
  const packages = [`next@${version}`, 'react@19', 'react-dom@19']
  await npmInstall(home, '--no-package-lock', ...packages, await packTarball())
  return home
}

export interface NextProject {
  readonly root: string
  /** Runs a command of Next.js to its end, in the project's folder or another one. */
  run(command: readonly string[], env?: Readonly<Record<string, string>>, cwd?: string): Promise<Ended>
  /** Starts one that goes on. */
  start(command: readonly string[], env?: Readonly<Record<string, string>>): RunningProcess
}

/**
 * The app of `docs/next.md`, with other files in its place.
 * @param config the expression that is wrapped; `home` is the folder of the installation
 */
export async function createNextProject(
  home: string,
  name: string,
  files: Readonly<Record<string, string | object>> = {},
  config = '{ turbopack: { root: home }, outputFileTracingRoot: home }',
): Promise<NextProject> {
  const root = join(home, name)
  await cp(APP, root, { recursive: true })
  await writeTree(root, {
    'localization.config.json': { defaultLanguage: 'en', source: 'files' },
    'next.config.mjs': `import withLocalization from 'unplugin-localization/next'
const home = ${JSON.stringify(home)}
export default withLocalization(${config})
`,
    ...files,
  })
  const next = join(home, 'node_modules/next/dist/bin/next')
  return {
    root,
    run: (command, env, cwd = root) => runProcess([process.execPath, next, ...command], { cwd, env: environment(env) }),
    start: (command, env) => startScript([next, ...command], { root, ...(env && { env }) }),
  }
}
