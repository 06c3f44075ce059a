/** The report of a build's texts: one line for a person, and a file for tools. */
import { isAbsolute, join } from 'node:path'
import { messageOf } from '../errors.ts'
import { displayPath } from '../files/patterns.ts'
import type { Logger } from '../logger.ts'
import type { ChunkMessages, PrebuiltChunks } from '../output/prebuilt-chunks.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { count, grouped } from '../shared/figures.ts'
import { REASON_TEXTS, type ReasonKind, type UseReason } from '../usage/reason.ts'
import type { KeyName } from '../usage/unused.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import type { LoadedState } from './state.ts'

/** The shape of `.localization/report.json`. Sizes are bytes before compression. */
export interface BuildReport {
  readonly version: 1
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
  /** With `prune`: every key that was kept, and why. */
  readonly kept?: readonly KeptKey[]
  /** With `prune.perChunk`: what comes with code that is imported lazily, the largest first. In `bytes` as well. */
  readonly parts?: readonly { readonly chunk: string; readonly bytes: number }[]
  readonly ms: { readonly load: number; readonly write: number }
}

interface KeptKey {
  readonly namespace: string
  readonly key: string
  /** `array`: another element of its array is used. */
  readonly reason: ReasonKind | 'array'
  /** The key, pattern or text as the code has it, the code of the call, the reference, or the pattern of `keep`. */
  readonly by?: string | undefined
  /** File, line and column. */
  readonly at?: string | undefined
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
  readonly kept: readonly (KeyName & { readonly reason: UseReason | undefined })[]
  /** Readable names of the chunks that may bring texts of their own. */
  readonly labels?: ReadonlyMap<string, string> | undefined
}

const LARGEST = 5

export function createBuildReport(
  { config, translations, loadMs }: LoadedState,
  { files, namespaceBytes, perChunk }: PrebuiltChunks,
  writeMs: number,
  pruned?: PruneFigures,
): BuildReport {
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
    ...(pruned && { kept: pruned.kept.map((kept) => keptKey(kept, config.root)) }),
    largest,
    ...(pruned?.labels && { parts: partsOf(perChunk, pruned.labels, config.root) }),
    ms: { load: Math.round(loadMs), write: Math.round(writeMs) },
  }
}

function partsOf(chunks: readonly ChunkMessages[], labels: ReadonlyMap<string, string>, root: string) {
  return chunks
    .map(({ chunk, bytes }) => ({ chunk: nameOf(labels.get(chunk) ?? chunk, root), bytes }))
    .sort((a, b) => b.bytes - a.bytes)
}

/** A path from the root, without the query that bundlers append. */
function nameOf(file: string, root: string): string {
  return isAbsolute(file) ? displayPath(root, file.replace(/[?#].*$/, '')) : file
}

function keptKey({ namespace, key, reason }: PruneFigures['kept'][number], root: string): KeptKey {
  if (!reason) return { namespace, key, reason: 'array' }
  const { kind, name, file, line, column } = reason
  const at = file === undefined ? undefined : `${nameOf(file, root)}:${line}:${column}`
  return { namespace, key, reason: kind, by: name, at }
}

function costsOf({ used, whole, named }: PruneFigures, root: string): UnknownCallCost[] {
  const costOf = (name: string) => (whole.get(name) ?? 0) - (named.get(name) ?? 0)
  return used.unknownCalls.map(({ file, line, column, code, namespaces, isIgnored, keeps }) => {
    const bytes = isIgnored ? 0 : namespaces.reduce((sum, name) => sum + costOf(name), 0)
    return { file: nameOf(file, root), line, column, code, namespaces, isIgnored, keeps, bytes }
  })
}

const sumOf = (bytes: ReadonlyMap<string, number>) => [...bytes.values()].reduce((sum, value) => sum + value, 0)

/** How many calls are named; the rest is counted. */
const SHOWN = 10

export async function writeBuildReport(report: BuildReport, { config }: LoadedState, logger: Logger): Promise<void> {
  if (config.report === false) return
  const { files, bytes, bytesUnpruned, largest, unknownCalls = [], kept = [], parts = [], ms } = report
  for (const { file, line, column, code, namespaces, keeps, bytes: cost } of unknownCalls.slice(0, SHOWN)) {
    const what = {
      all: `keeps ${list(namespaces)} whole (${size(cost)})`,
      literals: `keeps the keys of ${list(namespaces)} that are texts in the code (${size(cost)})`,
      nothing: 'ignored',
    }[keeps]
    logger.warn(`${file}:${line}:${column}: the key is not known, ${what}: ${code}`)
  }
  if (unknownCalls.length > SHOWN) {
    logger.warn(`${unknownCalls.length - SHOWN} more such calls; localization check --unused --verbose lists them all`)
  }
  const of = bytesUnpruned === undefined ? '' : ` of ${size(bytesUnpruned)}`
  const most = largest.map(({ namespace, bytes: cost }) => `${namespace} ${size(cost)}`).join(', ')
  const seconds = ((ms.load + ms.write) / 1000).toFixed(2)
  logger.info(`${count(files, 'file')} of texts, ${size(bytes)}${of}, in ${seconds} s; largest: ${most || 'none'}`)
  if (kept.length > 0) logger.info(`${count(kept.length, 'key')} kept: ${reasonsOf(kept)}`)
  if (parts.length > 0) {
    const first = parts.slice(0, LARGEST).map(({ chunk, bytes: cost }) => `${chunk} ${size(cost)}`)
    const more = parts.length > LARGEST ? `, and ${parts.length - LARGEST} more` : ''
    const whole = parts.reduce((sum, part) => sum + part.bytes, 0)
    logger.info(`${size(whole)} of them come with lazily imported code: ${first.join(', ')}${more}`)
  }
  if (config.report !== 'json') return
  try {
    await writeFileAtomic(join(config.root, '.localization', 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  } catch (error) {
    logger.warn(`the report could not be written. ${messageOf(error)}`)
  }
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

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 999_500 ? `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)} KB` : `${(bytes / 1e6).toFixed(1)} MB`
}
