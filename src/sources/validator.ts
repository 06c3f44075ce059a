/**
 * Proves with two requests that a download would return the same texts as the last download. Equal validators prove
 * this if the first one was created long enough after the last change. Only the service's own times are compared.
 */
import { hashOf } from '../shared/hash.ts'
import { groupBy } from '../shared/split.ts'

/** The service's state at one point in time. Times are in milliseconds since 1970. */
export interface Validator {
  /** A hash of everything in the service's responses. */
  readonly state: string
  readonly answeredAt: number
  readonly changedAt: number
}

/** The part of a validator that is stored together with the downloaded texts. */
export type StoredValidator = Omit<Validator, 'changedAt'>

/**
 * Two changes within one tick of the service's clock can have the same timestamp. After this interval, another change
 * is certain to get a different timestamp: ten seconds are longer than any tick, and longer than the clock skew between
 * the service's machines.
 */
export const SETTLED_MS = 10_000

/**
 * The validator to store; `undefined` if a later change could produce the same validator.
 *
 * @param staleMs by how much the downloaded texts may be older than the validator
 */
export function storableValidator(validator: Validator | undefined, staleMs = 0): StoredValidator | undefined {
  if (!validator) return undefined
  const { state, answeredAt, changedAt } = validator
  return answeredAt - changedAt >= SETTLED_MS + staleMs ? { state, answeredAt } : undefined
}

/**
 * True if nothing has changed since the stored validator was issued. False if the service's clock went backwards,
 * because the comparison then proves nothing.
 */
export function isUnchanged(stored: StoredValidator, { state, answeredAt }: Validator): boolean {
  return state === stored.state && answeredAt >= stored.answeredAt
}

export function stateHash(answers: unknown): string {
  return hashOf(JSON.stringify(answers), 32)
}

export type ReadHeader = (name: string) => string | undefined

/** The time of a response by the service's clock. `NaN` if the response has no time, or comes from an HTTP cache. */
export function answerTime(header: ReadHeader): number {
  const isCached = Number(header('age') ?? 0) !== 0
  return isCached ? Number.NaN : Date.parse(header('date') ?? '')
}

/**
 * The time for which caches may return an outdated response, according to `Cache-Control`. Infinite if the header is
 * missing.
 */
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

/**
 * One digest for all inputs of a namespace, by namespace. A namespace's messages depend only on the texts of that
 * namespace. So if its inputs have the same digests as before, its message files have not changed either.
 */
export type InputDigests = ReadonlyMap<string, string>

export interface Inputs {
  readonly files: InputDigests
  /** `undefined` if the source uses no service. */
  readonly service?: InputDigests | undefined
  /** Can prove later that the service's inputs have not changed. */
  readonly validator?: StoredValidator | undefined
}

/**
 * @param inputs the files or resources that contain the texts: `namespace` is the namespace's name in the app, `name`
 * the file's path or the resource's URL, and `digest` a hash of the content, or the ETag
 */
export function digestsOf(
  inputs: readonly { readonly namespace: string; readonly name: string; readonly digest: string }[],
): InputDigests {
  const groups = groupBy(inputs, ({ namespace }) => namespace)
  return new Map(
    groups.map((group) => {
      const lines = group.map(({ name, digest }) => JSON.stringify([name, digest])).sort()
      return [(group[0] as (typeof group)[number]).namespace, hashOf(lines.join('\n'), 20)]
    }),
  )
}
