/** Finds the keys that a project's sources use, according to its configuration. */
import type { Catalog } from '../../catalog/model.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import type { Modules } from '../model.ts'
import { withNames } from '../named.ts'
import { createReferenceCloser } from '../references.ts'
import { createUsedKeys, type UsedKeys, type UsedKeysSettings } from '../used-keys.ts'
import { resolveIgnored } from './list.ts'

/** Names and globs that apply in addition to those in the options. */
interface MoreSettings {
  readonly keep?: readonly string[] | undefined
  readonly ignoreIn?: readonly string[] | undefined
}

export function findUsedKeys(
  { config, catalog }: { readonly config: ResolvedConfig; readonly catalog: Catalog },
  modules: Modules,
  more: MoreSettings = {},
): UsedKeys {
  const { prune, defaultNamespace, keySeparator, namespacePrefix } = config
  const settings: UsedKeysSettings = {
    defaultNamespace,
    namespaces: catalog.namespaces,
    keySeparator,
    namespacePrefix,
    keep: [...(prune ? prune.keep : []), ...(more.keep ?? [])],
    ...(prune && { onUnknown: prune.onUnknown }),
    ignoreIn: resolveIgnored(config.root, ignoredIn(config, more)).patterns,
  }
  const textsOf = (namespace: string) =>
    catalog.parts.filter((part) => part.namespace === namespace).flatMap(({ messages }) => [...messages])
  const close = createReferenceCloser(catalog.namespaces, textsOf, { keySeparator })
  return close(withNames(createUsedKeys(modules, settings), modules, catalog, config))
}

export function ignoredIn({ prune }: ResolvedConfig, { ignoreIn = [] }: MoreSettings): string[] {
  return [...(prune ? prune.ignoreIn : []), ...ignoreIn]
}
