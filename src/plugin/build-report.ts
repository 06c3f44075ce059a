/** The build report: its figures, its lines in the log, and its JSON file for tools. */
import { isAbsolute } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Translations } from '../catalog/translations.ts'
import { messageOf } from '../errors.ts'
import { type Logger, silentLogger } from '../logger.ts'
import type { MessageColumn, PrebuiltChunks } from '../output/prebuilt-chunks.ts'
import {
  type BuildReport,
  type ChunkReport,
  type KeptKey,
  type KeptReason,
  printReport,
  reportFile,
} from '../report/report.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { count, formatSize, grouped } from '../shared/figures.ts'
import { displayPath, withoutQuery } from '../shared/paths.ts'
import { compareCodeUnits } from '../shared/split.ts'
import { REASON_TEXTS, type UseReason } from '../usage/model.ts'
import { type KeyName, keysOf, rankUnknownCalls, unusedKeys } from '../usage/unused.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import type { LoadKeys } from './per-chunk-messages.ts'
import { generateMessageFiles } from './prebuilt-chunks.ts'
import type { LoadedState, StateTexts } from './state.ts'

/** The data that only a build with the option `prune` has for its report. */
export interface PrunedBuild {
  /** The texts before pruning. */
  readonly full: StateTexts
  readonly used: UsedKeys
  /**
   * The texts without those that are kept only because of calls with unknown keys. `undefined` if there are no such
   * calls.
   */
  readonly named: Translations | undefined
  /** The keys that every page loads, and the keys of each code load. Set if `prune.perChunk` is on. */
  readonly perChunk: { readonly base: UsedKeys; readonly loads: readonly LoadKeys[] } | undefined
}

/** `keys` must contain the same objects as the list of kept keys, because other maps use these objects as keys. */
interface LoadedKeys extends LoadKeys {
  readonly keys: readonly KeyName[]
}

const LARGEST = 5
/** The log lists this many calls, and only counts the others. */
const SHOWN = 10

/** Logs the report, and writes it to a file if the option `report` is `'json'`. */
export async function reportBuild(
  state: StateTexts & Pick<LoadedState, 'loadMs'>,
  prebuilt: PrebuiltChunks,
  writeMs: number,
  logger: Logger,
  pruned?: PrunedBuild,
): Promise<void> {
  const { root, report } = state.config
  if (report === false) return
  const build = await createReport(state, prebuilt, writeMs, pruned)
  logReport(build, logger)
  if (report !== 'json') return
  try {
    await writeFileAtomic(reportFile(root), printReport(build))
  } catch (error) {
    logger.warn(`cannot write the report: ${messageOf(error)}`)
  }
}

async function createReport(
  state: Parameters<typeof reportBuild>[0],
  prebuilt: PrebuiltChunks,
  writeMs: number,
  pruned: PrunedBuild | undefined,
): Promise<BuildReport> {
  const { languages, namespaces, catalog } = state.translations
  const bytes = sum(prebuilt.files.map(({ module }) => module.size))
  const { chunks, ...figures } = pruned ? await prunedFigures(state, prebuilt, pruned) : {}
  return {
    version: 1,
    languages: languages.length,
    namespaces: namespaces.length,
    texts: catalog.textCount,
    files: prebuilt.files.length,
    bytes,
    ...figures,
    largest: largestFirst(namespaceBytes(prebuilt.columns)).slice(0, LARGEST),
    ...(chunks && { chunks }),
    ms: { load: Math.round(state.loadMs), write: Math.round(writeMs) },
  }
}

async function prunedFigures({ config, translations }: StateTexts, prebuilt: PrebuiltChunks, pruned: PrunedBuild) {
  const { full, used } = pruned
  const whole = namespaceBytes(await columnsOf(full))
  const named = namespaceBytes(
    pruned.named ? await columnsOf({ ...full, translations: pruned.named }) : prebuilt.columns,
  )
  const kept = keptBy(full, used, keysOf(full.translations.catalog))
  const loads = pruned.perChunk && loadedKeys(full, pruned.perChunk, kept)
  const uses = [used, ...(loads ?? []).flatMap((load) => load.used ?? [])]
  const placeOf = await sourcePlaces(full, config.report === 'json' ? kept : [], uses)
  /** Returns a file's path relative to the root, without the query that a bundler may have appended. */
  const nameOf = (file: string) => (isAbsolute(file) ? displayPath(config.root, withoutQuery(file)) : file)
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
  const language = languages[largestIn(totals(prebuilt.columns, languages.length))]?.key ?? ''
  const bytesOf = textSizes(translations, language)
  const loadsOf = loads && loadsByKey(loads)
  // Sorted, so that the report does not depend on the order of the keys in the files.
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

async function columnsOf(texts: StateTexts): Promise<readonly MessageColumn[]> {
  return (await generateMessageFiles(texts, '.js', silentLogger)).columns
}

function keptBy({ translations, config }: StateTexts, used: UsedKeys, among: readonly KeyName[]): readonly KeyName[] {
  const unused = new Set(unusedKeys(translations.catalog, among, used, config.keySeparator))
  return among.filter((name) => !unused.has(name))
}

function loadedKeys(
  full: StateTexts,
  { base, loads }: NonNullable<PrunedBuild['perChunk']>,
  kept: readonly KeyName[],
): LoadedKeys[] {
  const inBase = new Set(keptBy(full, base, kept))
  return loads.map(({ load, used }) => {
    const keys = used ? keptBy(full, used, kept) : []
    return { load, used, keys: load.isEntry ? keys : keys.filter((key) => !inBase.has(key)) }
  })
}

/** Reads the source locations of the uses that keep keys, and of all calls with unknown keys. */
async function sourcePlaces(
  { config, translations: { namespaces } }: StateTexts,
  kept: readonly KeyName[],
  uses: readonly UsedKeys[],
) {
  const { readSourcePlaces } = await import('../usage/sources/read.ts')
  const files = uses.flatMap(({ unknownCalls, reasonOf }) => [
    ...unknownCalls.map(({ file }) => file),
    ...kept.map(({ namespace, key }) => reasonOf(namespace, key)?.file),
  ])
  return readSourcePlaces(files, namespaces, config)
}

/**
 * Returns a function that estimates the size of a key and its text in a message file, in bytes. The size of a value
 * that is not a text is 0.
 */
function textSizes({ messages, namespaces, languages }: Translations, language: string): (name: KeyName) => number {
  if (!languages.some(({ key }) => key === language)) return () => 0
  const texts = new Map(namespaces.map((namespace) => [namespace, messages(language, namespace)]))
  return ({ namespace, key }) => {
    const text = texts.get(namespace)?.get(key)
    return text === undefined ? 0 : Buffer.byteLength(`${JSON.stringify(key)}:${JSON.stringify(text)},`)
  }
}

/** Returns the indices of the loads in which each key is loaded. */
function loadsByKey(loads: readonly LoadedKeys[]): ReadonlyMap<KeyName, readonly number[]> {
  const places = new Map<KeyName, number[]>()
  for (const [at, { keys }] of loads.entries())
    for (const key of keys) places.set(key, [...(places.get(key) ?? []), at])
  return places
}

function chunkReports(
  loads: readonly LoadedKeys[],
  loadsOf: ReadonlyMap<KeyName, readonly number[]>,
  { columns }: PrebuiltChunks,
  languages: Translations['languages'],
  nameOf: (label: string) => string,
): ChunkReport[] {
  const ofEntries = [...loadsOf].filter(([, at]) => at.some((place) => loads[place]?.load.isEntry)).map(([key]) => key)
  return loads.map(({ load, keys }) => {
    const used = new Set(keys.map(({ namespace }) => namespace))
    const own = columns.filter(({ namespace, chunk }) => {
      if (chunk === undefined) return load.isEntry && used.has(namespace)
      return !load.isEntry && load.bringing.includes(chunk)
    })
    const fetched = ofEntries.filter(({ namespace }) => load.isEntry && used.has(namespace)).length
    const bytes = totals(own, languages.length)
    const most = largestIn(bytes)
    const inLargest = own.map(({ namespace, sizes }) => ({ namespace, sizes: [sizes[most] ?? 0] }))
    return {
      name: nameOf(load.label),
      kind: load.isEntry ? 'entry' : 'lazy',
      keys: keys.length,
      shared: keys.filter((key) => (loadsOf.get(key)?.length ?? 0) > 1).length,
      others: Math.max(0, fetched - keys.length),
      bytes: bytes[most] ?? 0,
      language: languages[most]?.key ?? '',
      byLanguage: Object.fromEntries(languages.map(({ key }, at) => [key, bytes[at] ?? 0])),
      namespaces: largestFirst(namespaceBytes(inLargest)).filter((each) => each.bytes > 0),
    }
  })
}

type Sizes = Pick<MessageColumn, 'namespace' | 'sizes'>

/** Returns the bytes of each namespace in all languages. */
function namespaceBytes(columns: readonly Sizes[]): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>()
  for (const { namespace, sizes } of columns) bytes.set(namespace, (bytes.get(namespace) ?? 0) + sum(sizes))
  return bytes
}

/** Returns the bytes of each language. */
const totals = (columns: readonly Sizes[], languages: number) =>
  Array.from({ length: languages }, (_, at) => sum(columns.map(({ sizes }) => sizes[at] ?? 0)))

const largestIn = (numbers: readonly number[]) => numbers.indexOf(Math.max(...numbers))

const largestFirst = (bytesOf: ReadonlyMap<string, number>) =>
  [...bytesOf].map(([namespace, bytes]) => ({ namespace, bytes })).sort((a, b) => b.bytes - a.bytes)

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

function logReport(report: BuildReport, logger: Logger): void {
  const { files, bytes, bytesUnpruned, largest, unknownCalls = [], kept = [], chunks = [], ms } = report
  for (const { file, line, column, code, reason, namespaces, keeps, bytes: cost } of unknownCalls.slice(0, SHOWN)) {
    const what = {
      all: `keeps all keys of ${list(namespaces)} (${formatSize(cost)})`,
      literals: `keeps the keys of ${list(namespaces)} that occur as strings in the code (${formatSize(cost)})`,
      nothing: 'ignored',
    }[keeps]
    const place = [file, line, column].filter((part) => part !== undefined).join(':')
    logger.warn(reason === 'syntax' ? `${place}: ${code}; ${what}` : `${place}: unknown key in ${code}; ${what}`)
  }
  if (unknownCalls.length > SHOWN) {
    logger.warn(`${unknownCalls.length - SHOWN} more such calls. "localization check --unused --verbose" lists them`)
  }
  const of = bytesUnpruned === undefined ? '' : ` of ${formatSize(bytesUnpruned)}`
  const most = largest.map(({ namespace, bytes: cost }) => `${namespace} ${formatSize(cost)}`).join(', ')
  const seconds = ((ms.load + ms.write) / 1000).toFixed(2)
  logger.info(`${count(files, 'message file')}, ${formatSize(bytes)}${of}, in ${seconds} s; largest: ${most || 'none'}`)
  if (kept.length > 0) logger.info(`${count(kept.length, 'key')} kept: ${reasonsOf(kept)}`)
  for (const line of chunkLines(chunks)) logger.info(line)
}

function chunkLines(chunks: readonly ChunkReport[]): string[] {
  const sorted = [...chunks].filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes)
  const entries = sorted.filter(({ kind }) => kind === 'entry').slice(0, LARGEST)
  const lazy = sorted.filter(({ kind }) => kind === 'lazy').slice(0, LARGEST)
  if (sorted.length === 0) return []
  const rows = [...entries, ...lazy].map(({ name, kind, bytes, language, keys, shared }) => [
    name,
    `${kind === 'entry' ? '' : '+ '}${formatSize(bytes)} in ${language}`,
    `${count(keys, 'key')}${shared > 0 ? `, ${grouped(shared)} shared` : ''}`,
  ])
  const widthAt = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0))
  const more = sorted.length - rows.length
  return [
    'texts that a page loads with its entry, and (+) with lazy code, in the largest language:',
    ...rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widthAt(at))).join('  ')}`.trimEnd()),
    ...(more > 0 ? [`  and ${count(more, 'more chunk', 'more chunks')}, listed with report: 'json'`] : []),
  ]
}

function reasonsOf(kept: readonly KeptKey[]): string {
  const counts = Object.entries(REASON_TEXTS).map(([reason, text]) => {
    const number = kept.filter((each) => each.reason === reason).length
    return number === 0 ? [] : [`${grouped(number)} ${text}`]
  })
  return counts.flat().join(', ')
}

function list(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names.length} namespaces`
}
