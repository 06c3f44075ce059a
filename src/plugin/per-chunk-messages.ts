/**
 * The option `prune.perChunk`. Decides which keys a page loads at its start, and which keys it loads together with lazy
 * chunks.
 */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { CodeChunk, CodeLoad, PartPlan } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'

export function wantsPerChunk({ prune }: Pick<ResolvedConfig, 'prune'>): boolean {
  return prune !== false && prune.perChunk
}

export function perChunkWarning(reason: string): string {
  return `prune.perChunk has no effect: ${reason}. Every page fetches the used keys of the whole app`
}

/** The keys of a chunk. Namespaces without keys are left out. */
export interface ChunkKeys {
  /** The chunk's name in the plan. */
  readonly chunk: string
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>
}

export interface PerChunkKeys {
  readonly base: UsedKeys
  /** The chunks that use keys outside the base. */
  readonly chunks: readonly ChunkKeys[]
  readonly loads: readonly LoadKeys[]
}

export interface LoadKeys {
  readonly load: CodeLoad
  /** The keys that the code of this load uses; `undefined` if it uses none. */
  readonly used: UsedKeys | undefined
}

export interface SplitKeysInput {
  /** The keys that modules use, and the keys to which the texts of these keys refer. */
  readonly used: UsedKeys
  /** The modules that use at least one key. */
  readonly users: ReadonlySet<string>
  readonly plan: PartPlan
  readonly codeChunks: readonly CodeChunk[]
  readonly codeLoads: readonly CodeLoad[]
  readonly translations: Translations
  /** Adds the keys to which the texts of the used keys refer. */
  close(used: UsedKeys): UsedKeys
}

export function splitKeys(input: SplitKeysInput): PerChunkKeys {
  const { used, users, plan, translations, close } = input
  const placed = new Set([...plan.lazy.values()].flatMap((modules) => [...modules]))
  // A module that is in no chunk counts as part of every page.
  const base = close(used.within((file) => plan.base.has(file) || !placed.has(file)))
  const left = new Map<string, string[]>()
  for (const namespace of translations.namespaces) {
    const isLeft = (key: string) => used.isUsed(namespace, key) && !base.isUsed(namespace, key)
    if (!base.isWhole(namespace)) left.set(namespace, keysOf(translations, namespace).filter(isLeft))
  }
  const lazy = [...plan.lazy].sort(([a], [b]) => (a < b ? -1 : 1))
  const chunks = lazy.flatMap(([chunk, modules]) => {
    if (![...modules].some((module) => users.has(module))) return []
    const own = close(used.within((file) => modules.has(file)))
    const keys = new Map<string, ReadonlySet<string>>()
    for (const [namespace, candidates] of left) {
      const isOwn = (key: string) => own.isWhole(namespace) || own.isUsed(namespace, key)
      const ofNamespace = new Set(candidates.filter(isOwn))
      if (ofNamespace.size > 0) keys.set(namespace, ofNamespace)
    }
    return keys.size === 0 ? [] : [{ chunk, keys }]
  })
  return { base, chunks, loads: loadKeys(input) }
}

function loadKeys({ used, users, codeChunks, codeLoads, close }: SplitKeysInput): LoadKeys[] {
  const modulesOf = new Map(codeChunks.map(({ name, modules }) => [name, modules]))
  const loads = codeLoads.map((load) => {
    return { load, modules: new Set(load.chunks.flatMap((name) => modulesOf.get(name) ?? [])) }
  })
  const loaded = new Set(loads.flatMap(({ modules }) => [...modules]))
  return loads.map(({ load, modules }) => {
    // A module that belongs to no load counts as part of every entry.
    const isOwn = (file: string) => modules.has(file) || (load.isEntry && !loaded.has(file))
    const usesKeys = load.isEntry || [...modules].some((module) => users.has(module))
    return { load, used: usesKeys ? close(used.within(isOwn)) : undefined }
  })
}

/** Returns the keys that a namespace has in any language. */
function keysOf({ languages, messages, values }: Translations, namespace: string): string[] {
  const keys = languages.flatMap(({ key }) => [
    ...messages(key, namespace).keys(),
    ...(values(key, namespace)?.keys() ?? []),
  ])
  return [...new Set(keys)]
}
