/** The option `prune.perChunk`: which keys a page has from its start, and which come with what it loads later. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import type { PartPlan } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'

export function wantsPerChunk({ prune }: Pick<ResolvedConfig, 'prune'>): boolean {
  return prune !== false && prune.perChunk
}

/** Says once that the option has no effect, and why. Keys are then pruned for the app as a whole. */
export function createPerChunkNotice(logger: Logger): (reason: string) => void {
  let isTold = false
  return (reason) => {
    if (!isTold)
      logger.warn(`prune.perChunk has no effect: ${reason}. Every page fetches the used keys of the whole app`)
    isTold = true
  }
}

/** The keys of one chunk, by namespace. None of them is empty. */
export interface ChunkKeys {
  /** The chunk's name as the plan has it. */
  readonly chunk: string
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>
}

export interface PerChunkKeys {
  readonly base: UsedKeys
  /** Chunks that need more than that. */
  readonly parts: readonly ChunkKeys[]
}

export interface SplitKeysInput {
  /** What all modules use, and what the texts of that refer to. */
  readonly used: UsedKeys
  /** Modules that use any key. */
  readonly users: ReadonlySet<string>
  readonly plan: PartPlan
  readonly translations: Translations
  /** Keeps what the texts of used keys refer to as well. */
  close(used: UsedKeys): UsedKeys
}

export function splitKeys({ used, users, plan, translations, close }: SplitKeysInput): PerChunkKeys {
  const placed = new Set([...plan.lazy.values()].flatMap((modules) => [...modules]))
  // What is in no chunk is taken for what every page has.
  const base = close(used.within((file) => plan.base.has(file) || !placed.has(file)))
  const left = new Map<string, string[]>()
  for (const namespace of translations.namespaces) {
    const isLeft = (key: string) => used.isUsed(namespace, key) && !base.isUsed(namespace, key)
    const keys = base.isWhole(namespace) ? [] : [...keysOf(translations, namespace)].filter(isLeft)
    if (keys.length > 0) left.set(namespace, keys)
  }
  const parts: ChunkKeys[] = []
  for (const [chunk, modules] of [...plan.lazy].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (![...modules].some((module) => users.has(module))) continue
    const own = close(used.within((file) => modules.has(file)))
    const keys = new Map<string, ReadonlySet<string>>()
    for (const [namespace, candidates] of left) {
      const isAll = own.isWhole(namespace)
      const ofNamespace = isAll ? candidates : candidates.filter((key) => own.isUsed(namespace, key))
      if (ofNamespace.length > 0) keys.set(namespace, new Set(ofNamespace))
    }
    if (keys.size > 0) parts.push({ chunk, keys })
  }
  return { base, parts }
}

/** Of every language. */
function keysOf(translations: Translations, namespace: string): Set<string> {
  const keys = new Set<string>()
  const seen = new Set<readonly string[]>()
  for (const { key: language } of translations.languages) {
    const lists = translations.layers(language, namespace)?.map((layer) => layer.keys)
    const known = lists?.every((list) => list !== undefined) ? lists : undefined
    for (const list of known ?? [[...translations.messages(language, namespace).keys()]]) {
      if (list === undefined || seen.has(list)) continue
      seen.add(list)
      for (const key of list) keys.add(key)
    }
  }
  return keys
}
