/**
 * What a service tells of its state in a request or two. Two equal answers, the first of them given when the last change was settled, prove
 * that nothing changed between them. Only the service's own times are compared, never this machine's.
 */
import * as z from 'zod'
import { hashOf } from '../shared/hash.ts'

export interface Evidence {
  /** A hash of everything that was told. */
  readonly state: string
  /** When it was told. Milliseconds since 1970, as all times here. */
  readonly toldAt: number
  /** When the last change was made that it tells of; `-Infinity`: there was none. */
  readonly changedAt: number
  /** For how long it is believed at most. Default: for ever. */
  readonly validMs?: number | undefined
}

export const proofSchema = z.object({ state: z.string(), toldAt: z.number(), validMs: z.number().optional() })

/** What is kept of the evidence beside the texts that were downloaded after it. */
export type Proof = z.infer<typeof proofSchema>

/**
 * A change in the same tick of the service's clock may carry the same time as the one before. Ten seconds are more than any tick, and
 * than what the clocks of a service's machines differ by.
 */
const SETTLED_MS = 10_000

/**
 * `undefined`: a later change could look the same.
 *
 * @param staleMs by how much the downloaded texts may be older than the evidence
 */
export function proofOf(evidence: Evidence | undefined, staleMs = 0): Proof | undefined {
  if (!evidence) return undefined
  const { state, toldAt, changedAt, validMs } = evidence
  if (!(toldAt - changedAt >= SETTLED_MS + staleMs)) return undefined
  return { state, toldAt, ...(validMs !== undefined && { validMs }) }
}

/** Whether nothing has changed since. A service whose clock went back proves nothing. */
export function isUnchanged(proof: Proof, { state, toldAt }: Evidence): boolean {
  const ageMs = toldAt - proof.toldAt
  return state === proof.state && ageMs >= 0 && ageMs <= (proof.validMs ?? Number.POSITIVE_INFINITY)
}

export function stateOf(told: unknown): string {
  return hashOf(JSON.stringify(told), 32)
}

export interface ServiceTime {
  /** For each call whose answer is evidence. */
  readonly onHeaders: (header: (name: string) => string | undefined) => void
  /** The earliest of the answers' times; `undefined`: one told none, or came from a cache on the way. */
  toldAt(): number | undefined
}

export function createServiceTime(): ServiceTime {
  let earliest = Number.POSITIVE_INFINITY
  return {
    onHeaders(header) {
      const isCached = Number(header('age') ?? 0) !== 0
      // NaN stays NaN, whatever comes after it.
      earliest = Math.min(earliest, isCached ? Number.NaN : Date.parse(header('date') ?? ''))
    },
    toldAt: () => (Number.isFinite(earliest) ? earliest : undefined),
  }
}

/** The contract's times are UTC; one without a zone would be read as this machine's. */
export function parseServiceTime(time: string | undefined): number {
  if (time === undefined) return Number.NaN
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`)
}

/**
 * For how long caches may give an answer after it has changed, by its `Cache-Control`. Without one nobody knows.
 */
export function cacheLifetimeMs(cacheControl: string | undefined): number {
  if (cacheControl === undefined) return Number.POSITIVE_INFINITY
  const directives = cacheControl.toLowerCase().split(',')
  const seconds = (name: string): number | undefined => {
    const found = directives.map((item) => item.trim().split('=')).find(([key]) => key === name)
    return found && Number(found[1]?.replaceAll('"', '') ?? Number.NaN)
  }
  const has = (name: string) => directives.some((item) => item.trim() === name)
  if (has('no-store') || has('no-cache')) return 0
  const fresh = [seconds('max-age'), seconds('s-maxage')].filter((value) => value !== undefined)
  if (fresh.length === 0) return Number.POSITIVE_INFINITY
  const late = (seconds('stale-while-revalidate') ?? 0) + (seconds('stale-if-error') ?? 0)
  const total = Math.max(...fresh) + late
  return Number.isNaN(total) ? Number.POSITIVE_INFINITY : total * 1000
}
