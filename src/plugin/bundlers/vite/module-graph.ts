/** Finds this plugin's modules in the module graph of a Vite environment. */
import type { EnvironmentModuleNode } from 'vite'
import { isSamePart } from '../../../catalog/digest.ts'
import { type ModuleId, type NamespaceId, NULL_SPELLING } from '../../../output/ids.ts'
import { isSameList } from '../../../shared/split.ts'
import { knownNames, type LoadedState, type StateChange } from '../../state.ts'
import type { Environment } from './environments.ts'

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
