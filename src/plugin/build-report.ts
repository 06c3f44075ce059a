/** The report of a build's texts: the figures. `log-build-report.ts` shows them. */
import { isAbsolute } from 'node:path'
import type { Translations } from '../catalog/translations.ts'
import { displayPath } from '../files/patterns.ts'
import type { PrebuiltChunks } from '../output/prebuilt-chunks.ts'
import type { CodeReport, KeptKey, KeptReason } from '../report/report.ts'
import type { UsePlace } from '../usage/model.ts'
import type { UseReason } from '../usage/reason.ts'
import type { KeyName } from '../usage/unused.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import { chunkReports, chunksOfKeys, type LoadedKeys, largestLanguage } from './chunk-report.ts'
import type { LoadedState } from './state.ts'

/** What `.localization/report.json` holds. Sizes are bytes before compression. */
export interface BuildReport extends CodeReport {
  readonly languages: number
  readonly namespaces: number
  readonly texts: number
  /** Files that `load()` fetches. */
  readonly files: number
  readonly bytes: number
  /** `bytes` without `prune`; absent where nothing is pruned. */
  readonly bytesUnpruned?: number
  /** The five largest namespaces, over all languages. */
  readonly largest: readonly { readonly namespace: string; readonly bytes: number }[]
  /** Calls whose key is not known, and the bytes that only they keep. */
  readonly unknownCalls?: readonly UnknownCallCost[]
  readonly ms: { readonly load: number; readonly write: number }
}

interface UnknownCallCost {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly code: string
  readonly namespaces: readonly string[]
  readonly isIgnored: boolean
  readonly keeps: 'all' | 'literals' | 'nothing'
  readonly bytes: number
}

export interface PruneFigures {
  readonly used: UsedKeys
  /** Bytes of each namespace with every key. */
  readonly whole: ReadonlyMap<string, number>
  /** Bytes of each namespace if no unknown call kept anything. */
  readonly named: ReadonlyMap<string, number>
  /** The keys that are kept. */
  readonly kept: readonly KeyName[]
  /** With `prune.perChunk`: what comes with entries and lazily loaded chunks. */
  readonly loads?: readonly LoadedKeys[] | undefined
  /** The place in the source that is meant by a place in compiled code. Default: the same. */
  readonly placeOf?: ((reason: UseReason) => UsePlace | undefined) | undefined
}

export const LARGEST = 5

export function createBuildReport(
  state: LoadedState,
  prebuilt: PrebuiltChunks,
  writeMs: number,
  pruned?: PruneFigures,
): BuildReport {
  const { config, translations, loadMs } = state
  const { files, namespaceBytes } = prebuilt
  const { languages, namespaces, catalog } = translations
  const largest = [...namespaceBytes]
    .map(([namespace, bytes]) => ({ namespace, bytes }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, LARGEST)
  return {
    version: 1,
    languages: languages.length,
    namespaces: namespaces.length,
    texts: catalog.textCount,
    files: files.length,
    bytes: files.reduce((sum, { module }) => sum + module.size, 0),
    ...(pruned && { bytesUnpruned: sumOf(pruned.whole), unknownCalls: costsOf(pruned, config.root) }),
    ...(pruned && keptOf(state, prebuilt, pruned)),
    largest,
    ...(pruned?.loads && {
      chunks: chunkReports({ loads: pruned.loads, prebuilt, languages, nameOf: (label) => nameOf(label, config.root) }),
    }),
    ms: { load: Math.round(loadMs), write: Math.round(writeMs) },
  }
}

/** A path from the root, without the query that bundlers append. */
function nameOf(file: string, root: string): string {
  return isAbsolute(file) ? displayPath(root, file.replace(/[?#].*$/, '')) : file
}

function keptOf(
  { config, translations }: LoadedState,
  prebuilt: PrebuiltChunks,
  { used, kept, loads, placeOf }: PruneFigures,
) {
  const language = largestLanguage(prebuilt, translations.languages)
  const bytesOf = textSizes(translations, language)
  const print = (reason: UseReason | undefined): KeptReason => {
    if (!reason) return { reason: 'array' }
    const { kind, name, file } = reason
    const { line, column } = placeOf?.(reason) ?? reason
    return {
      reason: kind,
      by: name,
      at: file === undefined ? undefined : `${nameOf(file, config.root)}:${line}:${column}`,
    }
  }
  const chunksOf = loads && chunksOfKeys(loads, print)
  const keys = kept.map((name): KeptKey => {
    const reason = used.reasonOf(name.namespace, name.key)
    return { ...name, ...print(reason), bytes: bytesOf(name), ...(chunksOf && { in: chunksOf(name, reason) }) }
  })
  return { language, kept: keys }
}

/** About what a key costs in a file. Values that are no texts count nothing. */
function textSizes({ messages, namespaces, languages }: Translations, language: string): (name: KeyName) => number {
  if (!languages.some(({ key }) => key === language)) return () => 0
  const texts = new Map(namespaces.map((namespace) => [namespace, messages(language, namespace)]))
  return ({ namespace, key }) => {
    const text = texts.get(namespace)?.get(key)
    return text === undefined ? 0 : Buffer.byteLength(`${JSON.stringify(key)}:${JSON.stringify(text)},`)
  }
}

function costsOf({ used, whole, named, placeOf }: PruneFigures, root: string): UnknownCallCost[] {
  const costOf = (name: string) => (whole.get(name) ?? 0) - (named.get(name) ?? 0)
  return used.unknownCalls.map(({ file, code, namespaces, isIgnored, keeps, ...place }) => {
    const { line, column } = placeOf?.({ kind: 'call', name: code, file }) ?? place
    const bytes = isIgnored ? 0 : namespaces.reduce((sum, name) => sum + costOf(name), 0)
    return { file: nameOf(file, root), line, column, code, namespaces, isIgnored, keeps, bytes }
  })
}

const sumOf = (bytes: ReadonlyMap<string, number>) => [...bytes.values()].reduce((sum, value) => sum + value, 0)
