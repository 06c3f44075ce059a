/**
 * Revalidation: two requests that prove that a download would bring the texts of the last download. Two equal
 * validators prove it if the first one was given long enough after the last change. Only the service's own times are
 * compared.
 */
import { hashOf } from '../shared/hash.ts'

/** The service's state at a moment. Times are milliseconds since 1970. */
export interface Validator {
  /** A hash of everything that the service answered. */
  readonly state: string
  /** The time of the answer. */
  readonly answeredAt: number
  /** The time of the last change. */
  readonly changedAt: number
}

/** The part of a validator that is stored beside the texts of its download. */
export type StoredValidator = Omit<Validator, 'changedAt'>

/**
 * A change in the same tick of the service's clock may carry the same time as the change before. Ten seconds are longer
 * than any tick, and than the difference between the clocks of a service's machines.
 */
export const SETTLED_MS = 10_000

/**
 * `undefined`: a later change could give an equal validator.
 *
 * @param staleMs how much older than the validator the downloaded texts may be
 */
export function storableValidator(validator: Validator | undefined, staleMs = 0): StoredValidator | undefined {
  if (!validator) return undefined
  const { state, answeredAt, changedAt } = validator
  return answeredAt - changedAt >= SETTLED_MS + staleMs ? { state, answeredAt } : undefined
}

/** Whether nothing has changed since. A service whose clock went back proves nothing. */
export function isUnchanged(stored: StoredValidator, { state, answeredAt }: Validator): boolean {
  return state === stored.state && answeredAt >= stored.answeredAt
}

export function stateHash(answers: unknown): string {
  return hashOf(JSON.stringify(answers), 32)
}

export type ReadHeader = (name: string) => string | undefined

/** The time of an answer, by the service's clock. `NaN`: the answer has none, or came from a cache on the way. */
export function answerTime(header: ReadHeader): number {
  const isCached = Number(header('age') ?? 0) !== 0
  return isCached ? Number.NaN : Date.parse(header('date') ?? '')
}

/** The contract's times are UTC; `Date.parse` would take a time without a zone for a local one. */
export function parseServiceTime(time: string | undefined): number {
  if (time === undefined) return Number.NaN
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`)
}

/** How long caches may give an answer after it has changed, from its `Cache-Control`. Infinite without one. */
export function cacheLifetimeMs(cacheControl = ''): number {
  const directives = new Map<string, string>()
  for (const directive of cacheControl.toLowerCase().split(',')) {
    const [name = '', value = ''] = directive.trim().split('=')
    directives.set(name, value)
  }
  if (directives.has('no-store') || directives.has('no-cache')) return 0
  const seconds = (name: string) => {
    const value = directives.get(name)
    return value === undefined ? undefined : Number(value.replaceAll('"', ''))
  }
  const fresh = [seconds('max-age'), seconds('s-maxage')].filter((value) => value !== undefined)
  const stale = (seconds('stale-while-revalidate') ?? 0) + (seconds('stale-if-error') ?? 0)
  const total = Math.max(...fresh) + stale
  return fresh.length === 0 || Number.isNaN(total) ? Number.POSITIVE_INFINITY : total * 1000
}
