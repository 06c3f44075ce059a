/** The figures of a build report. `publish-report.ts` prints and writes them. */
import { isAbsolute } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compareCodeUnits } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import type { PrebuiltChunks } from '../output/prebuilt-chunks.ts'
import type { BuildReport, ChunkReport, KeptKey, KeptReason } from '../report/report.ts'
import { displayPath } from '../shared/paths.ts'
import type { UsePlace, UseReason } from '../usage/model.ts'
import { type KeyName, rankUnknownCalls } from '../usage/unused.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import type { LoadKeys } from './per-chunk-messages.ts'
import type { LoadedState } from './state.ts'

export interface PruneFigures {
  readonly used: UsedKeys
  /** The bytes of each namespace with all its keys. */
  readonly whole: ReadonlyMap<string, number>
  /** The bytes of each namespace, without the keys that are kept only because of calls with unknown keys. */
  readonly named: ReadonlyMap<string, number>
  /** The keys that `prune` keeps. */
  readonly kept: readonly KeyName[]
  /** The keys of each load, with `prune.perChunk`. They are the same objects as in `kept`. */
  readonly loads?: readonly LoadedKeys[] | undefined
  /** The location in the source file; `undefined` if the file does not contain the use. */
  readonly placeOf: (reason: UseReason) => UsePlace | undefined
}

/** The keys that are loaded with a code load. */
interface LoadedKeys extends LoadKeys {
  readonly keys: readonly KeyName[]
}

export const LARGEST = 5

export function createBuildReport(
  state: LoadedState,
  prebuilt: PrebuiltChunks,
  writeMs: number,
  pruned?: PruneFigures,
): BuildReport {
  const { languages, namespaces, catalog } = state.translations
  const bytes = sum(prebuilt.files.map(({ module }) => module.size))
  const { chunks, ...figures } = pruned ? figuresOf(state, prebuilt, pruned) : {}
  return {
    version: 1,
    languages: languages.length,
    namespaces: namespaces.length,
    texts: catalog.textCount,
    files: prebuilt.files.length,
    bytes,
    ...figures,
    largest: largestFirst(prebuilt.namespaceBytes).slice(0, LARGEST),
    ...(chunks && { chunks }),
    ms: { load: Math.round(state.loadMs), write: Math.round(writeMs) },
  }
}

/** The part of the report that `prune` adds. */
function figuresOf({ config, translations }: LoadedState, prebuilt: PrebuiltChunks, pruned: PruneFigures) {
  const { used, whole, named, kept, loads, placeOf } = pruned
  /** The path relative to the root, without the query that bundlers append. */
  const nameOf = (file: string) => (isAbsolute(file) ? displayPath(config.root, file.replace(/[?#].*$/, '')) : file)
  const costOf = (name: string) => (whole.get(name) ?? 0) - (named.get(name) ?? 0)
  const placeOfCall = (call: UsedKeys['unknownCalls'][number]) =>
    call.reason === 'syntax' ? call : placeOf({ ...call, kind: 'call', name: call.code })
  const unknownCalls = rankUnknownCalls(used, kept, placeOfCall).map(({ file, isIgnored, namespaces, ...call }) => {
    const bytes = isIgnored ? 0 : sum(namespaces.map(costOf))
    return { file: nameOf(file), ...call, namespaces, isIgnored, bytes }
  })
  const print = (reason: UseReason | undefined): KeptReason => {
    if (!reason) return { reason: 'array' }
    const { kind, name, file } = reason
    const { line, column } = placeOf(reason) ?? {}
    const at = file === undefined ? undefined : [nameOf(file), line, column].filter((part) => part !== undefined)
    return { reason: kind, by: name, at: at?.join(':') }
  }
  const { languages } = translations
  const rows = [prebuilt.base, ...prebuilt.perChunk.map(({ sizes }) => sizes)].flatMap((sizes) => [...sizes])
  const language = languages[largestIn(totals(rows, languages.length))]?.key ?? ''
  const bytesOf = textSizes(translations, language)
  const loadsOf = loads && loadsByKey(loads)
  // The order in the files does not matter, so that the same texts have the same report.
  const inOrder = [...kept].sort((a, b) => compareCodeUnits(a.namespace, b.namespace) || compareCodeUnits(a.key, b.key))
  const keys = inOrder.map((name): KeptKey => {
    const { namespace, key } = name
    const reason = used.reasonOf(namespace, key)
    const ofLoads = loadsOf?.get(name) ?? []
    const where = ofLoads.map((chunk) => {
      const there = loads?.[chunk]?.used?.reasonOf(namespace, key)
      return { chunk, ...(isDeepStrictEqual(there, reason) ? {} : print(there)) }
    })
    return { namespace, key, ...print(reason), bytes: bytesOf(name), ...(loads && { in: where }) }
  })
  return {
    bytesUnpruned: sum([...whole.values()]),
    unknownCalls,
    language,
    kept: keys,
    ...(loads && loadsOf && { chunks: chunkReports(loads, loadsOf, prebuilt, languages, nameOf) }),
  }
}

/** The approximate size of each key in a file. Values that are not texts count as 0. */
function textSizes({ messages, namespaces, languages }: Translations, language: string): (name: KeyName) => number {
  if (!languages.some(({ key }) => key === language)) return () => 0
  const texts = new Map(namespaces.map((namespace) => [namespace, messages(language, namespace)]))
  return ({ namespace, key }) => {
    const text = texts.get(namespace)?.get(key)
    return text === undefined ? 0 : Buffer.byteLength(`${JSON.stringify(key)}:${JSON.stringify(text)},`)
  }
}

/** The indices of the loads that include a key. */
function loadsByKey(loads: readonly LoadedKeys[]): ReadonlyMap<KeyName, readonly number[]> {
  const places = new Map<KeyName, number[]>()
  for (const [at, { keys }] of loads.entries())
    for (const key of keys) places.set(key, [...(places.get(key) ?? []), at])
  return places
}

function chunkReports(
  loads: readonly LoadedKeys[],
  loadsOf: ReadonlyMap<KeyName, readonly number[]>,
  { base, perChunk }: PrebuiltChunks,
  languages: Translations['languages'],
  nameOf: (label: string) => string,
): ChunkReport[] {
  const ofEntries = [...loadsOf].filter(([, at]) => at.some((place) => loads[place]?.load.isEntry)).map(([key]) => key)
  return loads.map(({ load, keys }) => {
    const used = new Set(keys.map(({ namespace }) => namespace))
    const rows = load.isEntry
      ? [...base].filter(([namespace]) => used.has(namespace))
      : perChunk.filter(({ chunk }) => load.bringing.includes(chunk)).flatMap(({ sizes }) => [...sizes])
    const fetched = ofEntries.filter(({ namespace }) => load.isEntry && used.has(namespace)).length
    const bytes = totals(rows, languages.length)
    const most = largestIn(bytes)
    const namespaceBytes = new Map<string, number>()
    for (const [namespace, row] of rows)
      namespaceBytes.set(namespace, (namespaceBytes.get(namespace) ?? 0) + (row[most] ?? 0))
    return {
      name: nameOf(load.label),
      kind: load.isEntry ? 'entry' : 'lazy',
      keys: keys.length,
      shared: keys.filter((key) => (loadsOf.get(key)?.length ?? 0) > 1).length,
      others: Math.max(0, fetched - keys.length),
      bytes: bytes[most] ?? 0,
      language: languages[most]?.key ?? '',
      byLanguage: Object.fromEntries(languages.map(({ key }, at) => [key, bytes[at] ?? 0])),
      namespaces: largestFirst(namespaceBytes).filter((own) => own.bytes > 0),
    }
  })
}

type SizeRows = readonly (readonly [namespace: string, row: readonly number[]])[]

/** The bytes per language. */
const totals = (rows: SizeRows, languages: number) =>
  Array.from({ length: languages }, (_, at) => sum(rows.map(([, row]) => row[at] ?? 0)))

/** The index of the largest number. */
const largestIn = (numbers: readonly number[]) => numbers.indexOf(Math.max(...numbers))

const largestFirst = (bytesOf: ReadonlyMap<string, number>) =>
  [...bytesOf].map(([namespace, bytes]) => ({ namespace, bytes })).sort((a, b) => b.bytes - a.bytes)

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
