/** The option `prune.perChunk`: which keys a page has from its start, and which come with what it loads later. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import type { PartPlan } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'

export function wantsParts({ prune }: Pick<ResolvedConfig, 'prune'>): boolean {
  return prune !== false && prune.perChunk
}

/** Says once that the option has no effect, and why. Keys are then pruned for the app as a whole. */
export function createPartsNotice(logger: Logger): (reason: string) => void {
  let isTold = false
  return (reason) => {
    if (!isTold)
      logger.warn(`prune.perChunk has no effect: ${reason}. Every page fetches the used keys of the whole app`)
    isTold = true
  }
}

/** The keys of one chunk, by namespace. None of them is empty. */
export interface KeyPart {
  /** The chunk's name as the plan has it. */
  readonly chunk: string
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>
}

export interface PartedKeys {
  readonly base: UsedKeys
  /** Chunks that need more than that. */
  readonly parts: readonly KeyPart[]
}

/** @param close keeps what the texts of used keys refer to as well */
export function partKeys(
  used: UsedKeys,
  { base: first, lazy }: PartPlan,
  translations: Translations,
  close: (used: UsedKeys) => UsedKeys,
): PartedKeys {
  const placed = new Set([...lazy.values()].flatMap((modules) => [...modules]))
  // What is in no chunk is taken for what every page has.
  const base = close(used.within((file) => first.has(file) || !placed.has(file)))
  const open = translations.namespaces.filter((namespace) => !base.isWhole(namespace))
  const left = new Map(
    open.map((namespace) => [
      namespace,
      [...keysOf(translations, namespace)].filter((key) => !base.isUsed(namespace, key)),
    ]),
  )
  const parts: KeyPart[] = []
  for (const [chunk, modules] of [...lazy].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const own = close(used.within((file) => modules.has(file)))
    const keys = new Map<string, ReadonlySet<string>>()
    for (const [namespace, candidates] of left) {
      const ofNamespace = candidates.filter((key) => own.isUsed(namespace, key))
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
