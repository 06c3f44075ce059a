/** An app with a local service, for tests of what differs between systems. Needs no other bundler than Vite. */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createClient } from '../../src/client.ts'
import { createLocalService } from '../../src/service.ts'
import { guardSecret } from '../helpers/canary.ts'
import { whenOver } from '../helpers/closing.ts'
import { startJobs } from '../helpers/job-process.ts'
import { bareEnvironment, type Ended, startProcess } from '../helpers/processes.ts'
import { type Tree, tempFolder, writeTree } from '../helpers/temp.ts'

/** The built package. Under Wine, it is installed from its tarball. */
export const PACKAGE = process.env.PACKAGE_FOLDER ?? resolve(import.meta.dirname, '../../dist')
const CLI = join(PACKAGE, 'cli.js')

/** Characters that Windows, macOS or an address treats in its own way. */
const ODD_NAME = 'Mój app (1) #2 100% [x]'

/** Variables without which Node does not start under Wine. */
const WINE = Object.fromEntries(
  ['NODE_SKIP_PLATFORM_CHECK', 'NODE_OPTIONS', 'WINEDEBUG']
    .filter(() => process.env.NODE_SKIP_PLATFORM_CHECK !== undefined)
    .map((name) => [name, process.env[name] ?? '']),
)

const jobs = startJobs('cli-job.mjs')

/** Resolves to a folder with that name, below a new one. */
export async function oddFolder(files: Tree, name = ODD_NAME): Promise<string> {
  const root = join(await tempFolder(), name)
  await mkdir(root)
  await writeTree(root, files)
  return root
}

/** Runs commands in the folder, with a service in this process that has the language `pl` beside `en`. */
export async function withService(root: string) {
  const service = await createLocalService({ languages: ['pl'] })
  whenOver(() => service.close())
  const projects = createClient(service)
  const { apiKey } = await projects.projects.create({ name: 'app' })
  await projects.close()
  guardSecret(apiKey)
  const client = createClient({ baseUrl: service.baseUrl, apiKey })
  whenOver(() => client.close())
  const env = {
    ...WINE,
    CI: '',
    LOCALIZATION_BASE_URL: service.baseUrl,
    LOCALIZATION_API_KEY: apiKey,
    LOCALIZATION_PERSONAL_TOKEN: service.personalToken,
  }
  return {
    client,
    env,
    /** Runs the command in the process of the run before. */
    run: (...args: readonly string[]): Promise<Ended> =>
      jobs.run({ input: { cli: CLI, args }, cwd: root, env: bareEnvironment(root, env) }),
    /** Runs the command in a process of its own, with that standard input. */
    runAlone(args: readonly string[], input = ''): Promise<Ended> {
      const command = [process.execPath, CLI, ...args]
      const { child, ended } = startProcess(command, { cwd: root, env: bareEnvironment(root, env), stdin: 'pipe' })
      child.stdin?.end(input)
      return ended
    },
  }
}
