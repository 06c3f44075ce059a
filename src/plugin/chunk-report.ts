/** The part of the report about entries and lazily loaded chunks: what comes with each, and why. */
import type { Translations } from '../catalog/translations.ts'
import type { NamespaceSizes, PrebuiltChunks } from '../output/prebuilt-chunks.ts'
import type { ChunkReport, KeptKey } from '../report/report.ts'
import type { UseReason } from '../usage/reason.ts'
import type { KeyName } from '../usage/unused.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import type { LoadKeys } from './per-chunk-messages.ts'

/** The keys that come with the code of a load. */
export interface LoadedKeys extends LoadKeys {
  readonly keys: readonly KeyName[]
}

/**
 * @param base what the entries use together
 * @param keysOf the keys that are kept if the code uses these
 */
export function loadedKeys(
  loads: readonly LoadKeys[],
  base: UsedKeys,
  keysOf: (used: UsedKeys) => readonly KeyName[],
): LoadedKeys[] {
  const inBase = new Set(keysOf(base).map(idOf))
  return loads.map((each) => {
    const keys = each.used ? keysOf(each.used) : []
    return { ...each, keys: each.load.isEntry ? keys : keys.filter((key) => !inBase.has(idOf(key))) }
  })
}

interface ChunkReportsInput {
  readonly loads: readonly LoadedKeys[]
  readonly prebuilt: Pick<PrebuiltChunks, 'base' | 'perChunk'>
  readonly languages: Translations['languages']
  /** A chunk's name for people. */
  readonly nameOf: (label: string) => string
}

export function chunkReports({ loads, prebuilt, languages, nameOf }: ChunkReportsInput): ChunkReport[] {
  const chunksWith = countKeys(loads.map(({ keys }) => keys))
  const ofEntries = new Map(
    loads.flatMap(({ load, keys }) => (load.isEntry ? keys.map((key) => [idOf(key), key]) : [])),
  )
  return loads.map(({ load, keys }) => {
    const used = new Set(keys.map(({ namespace }) => namespace))
    const sizes = load.isEntry
      ? new Map([...prebuilt.base].filter(([namespace]) => used.has(namespace)))
      : joinSizes(prebuilt.perChunk.filter(({ chunk }) => load.bringing.includes(chunk)).map((chunk) => chunk.sizes))
    const fetched = [...ofEntries.values()].filter(({ namespace }) => load.isEntry && used.has(namespace)).length
    const byLanguage = languages.map(({ key }, at) => ({
      key,
      bytes: sum([...sizes.values()].map((row) => row[at] ?? 0)),
    }))
    const most = byLanguage.reduce((a, b, at) => (b.bytes > (byLanguage[a]?.bytes ?? 0) ? at : a), 0)
    return {
      name: nameOf(load.label),
      kind: load.isEntry ? 'entry' : 'lazy',
      keys: keys.length,
      shared: keys.filter((key) => (chunksWith.get(idOf(key)) ?? 0) > 1).length,
      others: Math.max(0, fetched - keys.length),
      bytes: byLanguage[most]?.bytes ?? 0,
      language: byLanguage[most]?.key ?? '',
      byLanguage: Object.fromEntries(byLanguage.map(({ key, bytes }) => [key, bytes])),
      namespaces: [...sizes]
        .map(([namespace, row]) => ({ namespace, bytes: row[most] ?? 0 }))
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => b.bytes - a.bytes),
    }
  })
}

/** The one with the most bytes in all files. */
export function largestLanguage(
  { base, perChunk }: Pick<PrebuiltChunks, 'base' | 'perChunk'>,
  languages: Translations['languages'],
): string {
  const sizes = joinSizes([base, ...perChunk.map((chunk) => chunk.sizes)])
  const bytes = languages.map((_, at) => sum([...sizes.values()].map((row) => row[at] ?? 0)))
  return languages[bytes.indexOf(Math.max(...bytes))]?.key ?? ''
}

/**
 * The chunks that a key comes with.
 *
 * @param print how the report shows a reason
 */
export function chunksOfKeys(
  loads: readonly LoadedKeys[],
  print: (reason: UseReason | undefined) => Partial<KeptKey>,
): (name: KeyName, shown: UseReason | undefined) => NonNullable<KeptKey['in']> {
  const places = new Map<string, number[]>()
  for (const [at, { keys }] of loads.entries())
    for (const key of keys) places.set(idOf(key), [...(places.get(idOf(key)) ?? []), at])
  return (name, shown) =>
    (places.get(idOf(name)) ?? []).map((chunk) => {
      const reason = loads[chunk]?.used?.reasonOf(name.namespace, name.key)
      return { chunk, ...(isSame(reason, shown) ? {} : print(reason)) }
    })
}

function isSame(a: UseReason | undefined, b: UseReason | undefined): boolean {
  return (
    a?.kind === b?.kind && a?.name === b?.name && a?.file === b?.file && a?.line === b?.line && a?.column === b?.column
  )
}

const idOf = ({ namespace, key }: KeyName) => JSON.stringify([namespace, key])

function countKeys(lists: readonly (readonly KeyName[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const key of lists.flat()) counts.set(idOf(key), (counts.get(idOf(key)) ?? 0) + 1)
  return counts
}

function joinSizes(all: readonly NamespaceSizes[]): NamespaceSizes {
  const joined = new Map<string, readonly number[]>()
  for (const [namespace, row] of all.flatMap((sizes) => [...sizes])) {
    const known = joined.get(namespace)
    joined.set(namespace, known ? row.map((size, at) => size + (known[at] ?? 0)) : row)
  }
  return joined
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
