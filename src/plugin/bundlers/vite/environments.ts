/**
 * Vite's environments, and this plugin's modules in their module graphs. Vite 5 has none: its only module graph
 * contains the modules for pages and for the server. Here, that graph is treated as the client's.
 */
import type { DevEnvironment, EnvironmentModuleNode, Rollup, ViteDevServer } from 'vite'
import { isSamePart } from '../../../catalog/digest.ts'
import { LocalizationError } from '../../../errors.ts'
import { MANIFEST_ID, type ModuleId, type NamespaceId, NULL_SPELLING } from '../../../output/ids.ts'
import { isSameList } from '../../../shared/split.ts'
import { BUNDLERS } from '../../bundlers.ts'
import { knownNames, type LoadedState, type StateChange } from '../../state.ts'

/** The part of a Vite environment that this plugin uses. */
export type Environment = Pick<DevEnvironment, 'name' | 'moduleGraph' | 'reloadModule'> & {
  readonly hot: Pick<DevEnvironment['hot'], 'on' | 'send'>
}

interface Vite5Server {
  readonly environments?: undefined
  readonly hot: Environment['hot']
  readonly moduleGraph: unknown
  reloadModule(module: unknown): Promise<void>
}

/**
 * The client environments of Vite 5 servers. The key is the configuration, because hooks receive either the server or a
 * proxy of it.
 */
const known = new WeakMap<object, Environment>()

export function clientOf(server: ViteDevServer): Environment {
  const old = server as unknown as Vite5Server | { readonly environments: { readonly client: Environment } }
  if (old.environments) return old.environments.client
  const made = known.get(server.config) ?? {
    name: 'client',
    hot: old.hot,
    moduleGraph: old.moduleGraph as Environment['moduleGraph'],
    reloadModule: (module) => old.reloadModule(module),
  }
  known.set(server.config, made)
  return made
}

export function environmentsOf(server: ViteDevServer): readonly Environment[] {
  return (server.environments as object | undefined) ? Object.values(server.environments) : [clientOf(server)]
}

/** Returns true if the dev server bundles modules (`experimental.bundledDev`). Modules then have no URLs. */
export function isBundled(context: object): boolean {
  const { environment } = context as { readonly environment?: { readonly bundledDev?: unknown } }
  return environment?.bundledDev !== undefined
}

/** Returns `undefined` in Vite 5, where a module may be for both. */
export function consumerOf(context: object): 'client' | 'server' | undefined {
  return (context as Partial<Rollup.PluginContext>).environment?.config.consumer
}

/**
 * Throws in Vite before 5.1, where the server has no `hot`. Unsupported later versions are accepted, because they may
 * work.
 */
export function assertSupported(server: ViteDevServer): void {
  if ((server.hot as object | undefined) || (server.environments as object | undefined)) return
  throw new LocalizationError('unsupported version of Vite', {
    code: 'CONFIG_INVALID',
    hint: `Use vite ${BUNDLERS.vite.versions}.`,
  })
}

const EXCLUDED = { optimizeDeps: { exclude: [MANIFEST_ID] } }

/**
 * Excludes `virtual:translations` from dependency optimization. An installed package may import it, but the optimizer
 * bundles packages without this plugin.
 */
export const keptFromOptimizer = {
  config: () => ({ ...EXCLUDED, ssr: EXCLUDED }),
  configEnvironment: () => EXCLUDED,
}

/**
 * Returns true if the app imports the file itself. Vite also has a module for a file that is only watched by this
 * plugin's modules. If these have stopped watching the file, updating its module would reload the page.
 */
export function isImportedElsewhere({ importers }: EnvironmentModuleNode): boolean {
  return [...importers].some(({ id }) => id === null || !NULL_SPELLING.filter.test(id))
}

/** Returns the modules whose generated code has changed. */
export async function changedModules(
  { moduleGraph }: Environment,
  { before, after }: StateChange,
): Promise<EnvironmentModuleNode[]> {
  if (before === after) return []
  const [old, known] = [knownNames(before), knownNames(after)]
  const names = {
    ...known,
    languages: [...old.languages, ...known.languages],
    namespaces: [...old.namespaces, ...known.namespaces],
  }
  const changed: EnvironmentModuleNode[] = []
  for (const [resolved, module] of moduleGraph.idToModuleMap) {
    const id = NULL_SPELLING.parse(resolved, names)
    if (!id || id.kind === 'runtime') continue
    if (id.kind === 'namespace' && isSameNamespace(id, { before, after })) continue
    const fresh = await codeOf(after, id)
    // Modules of a removed language or namespace are not updated, because the page still shows them.
    if (fresh !== undefined && fresh !== (await codeOf(before, id))) changed.push(module)
  }
  return changed
}

/** Returns true if the change does not affect the module's namespace. Its code need not be compared then. */
function isSameNamespace({ language, namespace }: NamespaceId, { before, after }: StateChange): boolean {
  const chain = after.translations.chain(language)
  if (!isSameList(chain, before.translations.chain(language))) return false
  if (!before.translations.has(language, namespace) || !after.translations.has(language, namespace)) return false
  const [old, fresh] = [before.loaded.catalog, after.loaded.catalog]
  const customers = [undefined, ...new Set([...old.customers, ...fresh.customers])]
  return chain.every((each) =>
    customers.every((customer) =>
      isSamePart(old.part(each, namespace, customer), fresh.part(each, namespace, customer)),
    ),
  )
}

/**
 * Returns the code to compare, or `undefined` if the state does not have the module. For the manifest, returns the
 * short form for pages. The full form lists every module, which takes too long.
 */
export async function codeOf(state: LoadedState, id: ModuleId): Promise<string | undefined> {
  const { generateModule } = await import('../../generate.ts')
  try {
    return (await generateModule(state, id, 'vite', { isServed: true })).code
  } catch {
    return undefined
  }
}
