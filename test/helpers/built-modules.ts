/** The virtual modules as a build has them, without a bundler. */
import type { PluginOptions } from '../../src/index.ts'
import { silentLogger } from '../../src/logger.ts'
import { type ModuleId, parseRequest } from '../../src/output/ids.ts'
import { checkNames, generateModule } from '../../src/plugin/generate.ts'
import { Session } from '../../src/plugin/session.ts'
import { knownNames, type LoadedState } from '../../src/plugin/state.ts'
import { whenOver } from './closing.ts'
import { tempFolder, writeTree } from './temp.ts'

/** The state of a build of a fresh folder with these files. */
export async function buildState(
  options: PluginOptions,
  files: Readonly<Record<string, string | object>> = {},
  { logger = silentLogger } = {},
): Promise<LoadedState> {
  const root = await tempFolder()
  await writeTree(root, files)
  const session = new Session({ options: { configFile: false, ...options }, logger, fallbackRoot: root })
  whenOver(() => session.close())
  return session.ready()
}

/** What an app gets from modules of texts, in the order of the requests. */
export function modulesOf(state: LoadedState, requests: readonly string[]): Promise<unknown[]> {
  const { translations } = state
  const load = async (id: ModuleId | undefined): Promise<unknown> => {
    if (id) checkNames(knownNames(state), id)
    if (id?.kind === 'language') {
      const namespaceOf = async (namespace: string) =>
        [namespace, await load({ ...id, kind: 'namespace', namespace })] as const
      return Object.fromEntries(await Promise.all(translations.namespaces.map(namespaceOf)))
    }
    if (id?.kind !== 'namespace') throw new Error('only modules of texts')
    const { code } = await generateModule(state, id, undefined)
    return ((await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: unknown }).default
  }
  return Promise.all(requests.map((request) => load(parseRequest(request))))
}
