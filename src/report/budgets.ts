/** Compares what pages fetch with the option `budgets`, and finds the code that makes them fetch it. Pure. */
import picomatch from 'picomatch'
import type { ResolvedConfig } from '../config/types.ts'
import { suggestName } from '../shared/nearest.ts'
import { parseSize } from '../shared/size.ts'
import type { ChunkReport, KeptKey, KeptReason, RouteReport } from './report.ts'

export type Budgets = ResolvedConfig['budgets']

/** Keys that the same code keeps. */
export interface BudgetCause extends KeptReason {
  readonly namespaces: readonly string[]
  readonly keys: number
  /** About: of keys and texts in the largest language. */
  readonly bytes: number
}

export interface BudgetResult extends Pick<ChunkReport, 'name' | 'kind' | 'bytes' | 'language' | 'keys'> {
  /** In bytes. */
  readonly limit: number
  /** What costs most, or, compared with another report, what is new. Empty within the budget. */
  readonly causes: readonly BudgetCause[]
  /** The causes are what came since the other report. */
  readonly isCompared: boolean
}

export interface BudgetsResult {
  readonly chunks: readonly BudgetResult[]
  /** Names and patterns of the option that match no chunk, and what may be meant. */
  readonly unmatched: readonly { readonly pattern: string; readonly hint: string | undefined }[]
}

/** @param baseline an earlier report: causes are then what came since */
export function checkBudgets(report: RouteReport, budgets: Budgets, baseline?: RouteReport): BudgetsResult {
  const patterns = Object.entries(budgets).map(([pattern, limit]) => ({
    pattern,
    limit: typeof limit === 'number' ? limit : (parseSize(limit) ?? 0),
    matches: matcherOf(pattern),
  }))
  const chunks = report.chunks.flatMap((chunk, place): BudgetResult[] => {
    const limit = patterns.find(({ matches }) => matches(chunk.name))?.limit
    if (limit === undefined) return []
    const { name, kind, bytes, language, keys } = chunk
    const result = { name, kind, bytes, language, keys, limit }
    if (bytes <= limit) return [{ ...result, causes: [], isCompared: false }]
    const before = baseline?.chunks.findIndex((other) => other.name === name && other.kind === kind) ?? -1
    const causes = baseline && before >= 0 ? newCauses(report, place, baseline, before) : []
    // Longer texts, or other languages, are in no call: then what costs most is the answer.
    const isCompared = causes.length > 0
    return [{ ...result, causes: isCompared ? causes : causesOf(keysIn(report, place)), isCompared }]
  })
  const names = report.chunks.map(({ name }) => name)
  const unmatched = patterns
    .filter(({ matches }) => !names.some(matches))
    .map(({ pattern }) => ({ pattern, hint: suggestName(pattern, names) }))
  return { chunks, unmatched }
}

export const isExceeded = ({ bytes, limit }: BudgetResult) => bytes > limit

/** A name, or a glob in which `*` stands for any characters. */
function matcherOf(pattern: string): (name: string) => boolean {
  const matches = picomatch(pattern, { dot: true, bash: true })
  return (name) => name === pattern || matches(name)
}

/** The keys that come with a chunk, each with its reason there. */
function keysIn({ kept }: RouteReport, chunk: number): KeptKey[] {
  return kept.flatMap((key) => {
    const own = key.in?.find((each) => each.chunk === chunk)
    return own ? [own.reason === undefined ? key : { ...key, by: own.by, at: own.at, reason: own.reason }] : []
  })
}

function newCauses(report: RouteReport, place: number, baseline: RouteReport, before: number): BudgetCause[] {
  const idOf = ({ namespace, key }: KeptKey) => JSON.stringify([namespace, key])
  const known = new Map(keysIn(baseline, before).map((key) => [idOf(key), key.bytes]))
  const grown = keysIn(report, place).flatMap((key) => {
    const bytes = key.bytes - (known.get(idOf(key)) ?? 0)
    return bytes > 0 ? [{ ...key, bytes }] : []
  })
  return causesOf(grown)
}

/** The largest first. */
function causesOf(keys: readonly KeptKey[]): BudgetCause[] {
  const causes = new Map<string, BudgetCause>()
  for (const { namespace, reason, by, at, bytes } of keys) {
    const id = JSON.stringify([reason, by, at])
    const known = causes.get(id)
    const namespaces = [...new Set([...(known?.namespaces ?? []), namespace])]
    const sums = { keys: (known?.keys ?? 0) + 1, bytes: (known?.bytes ?? 0) + bytes }
    causes.set(id, { reason, by, at, namespaces, ...sums })
  }
  return [...causes.values()].sort((a, b) => b.bytes - a.bytes)
}
