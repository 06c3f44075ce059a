/** Converts nested objects of strings to flat keys and back, without losing any texts. */
import { isPath } from './key-path.ts'

/** Files with deeper nesting are rejected. No real catalog is that deep. */
export const MAX_DEPTH = 100

interface FlattenProblem {
  readonly kind: 'value' | 'collision' | 'depth'
  readonly path: readonly string[]
  /** The other path, if two paths join to the same key. */
  readonly other?: readonly string[]
  /** The type of a value that is not a string: `number`, `null`, `array` and so on. */
  readonly type?: string
}

type FlatValue =
  | { readonly kind: 'scalar'; readonly json: string }
  | { readonly kind: 'array'; readonly length: number }
  | { readonly kind: 'object' }

export interface Flattened {
  readonly entries: Map<string, string>
  /** If `values` is `keep`: numbers, booleans, nulls, arrays, and objects in arrays, by key. */
  readonly values: ReadonlyMap<string, FlatValue>
  readonly paths: ReadonlyMap<string, readonly string[]>
  readonly problems: readonly FlattenProblem[]
}

/**
 * Joins nested paths with `separator`. Values other than strings and objects are problems unless `values` is `keep`.
 * Two paths that join to the same key are also a problem; `entries` then contains the first text. Inside arrays,
 * `elementSeparator` joins the paths.
 */
export function flattenStrings(
  value: object,
  separator: string,
  {
    values: policy = 'error',
    elementSeparator = separator,
  }: { readonly values?: 'keep' | 'error'; readonly elementSeparator?: string } = {},
): Flattened {
  const entries = new Map<string, string>()
  const values = new Map<string, FlatValue>()
  const isKept = policy === 'keep'
  const paths = new Map<string, readonly string[]>()
  const problems: FlattenProblem[] = []
  const stack: { path: readonly string[]; key: string; value: unknown; isInArray?: boolean }[] = [
    { path: [], key: '', value },
  ]
  for (let node = stack.pop(); node; node = stack.pop()) {
    const { path, key, value: current, isInArray = false } = node
    if (typeof current === 'string') {
      const other = paths.get(key)
      if (other) problems.push({ kind: 'collision', path, other })
      else {
        entries.set(key, current)
        paths.set(key, path)
      }
    } else if (isKept && (typeof current !== 'object' || current === null)) {
      if (!paths.has(key)) values.set(key, { kind: 'scalar', json: JSON.stringify(current) })
    } else if (typeof current !== 'object' || current === null || (Array.isArray(current) && !isKept)) {
      problems.push({ kind: 'value', path, type: jsonType(current) })
    } else if (path.length >= MAX_DEPTH) {
      problems.push({ kind: 'depth', path })
    } else {
      const isArray = Array.isArray(current)
      if (isArray) values.set(key, { kind: 'array', length: current.length })
      else if (isInArray) values.set(key, { kind: 'object' })
      const children = Object.entries(current)
      for (let i = children.length - 1; i >= 0; i--) {
        const [name, child] = children[i] as [string, unknown]
        const below = isArray || isInArray
        const childKey = path.length === 0 ? name : key + (below ? elementSeparator : separator) + name
        stack.push({ path: [...path, name], key: childKey, value: child, isInArray: below })
      }
    }
  }
  return { entries, values, paths, problems }
}

export type NestedStrings = { [key: string]: string | NestedStrings }

export interface Nested {
  /** Objects without a prototype, so `__proto__` and `constructor` are ordinary keys. */
  readonly value: NestedStrings
  /** Keys that were not split, because they are not paths or because another key's text is in the way. */
  readonly kept: readonly string[]
}

/**
 * Splits flat keys at `separator`. If another key's text is in the way, the rest of the key stays one property next to
 * that text: `{"a": "x", "a.b": "y"}`.
 *
 * @param isObject returns true for a key that is known to be an object's name
 */
export function nestStrings(
  entries: Iterable<readonly [string, string]>,
  separator: string,
  isObject: (key: string) => boolean = () => false,
): Nested {
  const value: NestedStrings = Object.create(null)
  const kept: string[] = []
  // A text must be set before the keys whose paths lead through it, so shorter keys come first.
  const sorted = [...entries].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
  for (const [key, text] of sorted) {
    const segments = key.split(separator)
    if (!isPath(key, separator, isObject) || segments.length > MAX_DEPTH) {
      value[key] = text
      if (segments.length > 1) kept.push(key)
      continue
    }
    let node = value
    let depth = 0
    for (; depth < segments.length - 1; depth++) {
      const segment = segments[depth] as string
      const child = node[segment]
      if (typeof child === 'string') break
      if (child === undefined) node = node[segment] = Object.create(null) as NestedStrings
      else node = child
    }
    const last = segments.slice(depth).join(separator)
    if (depth < segments.length - 1) kept.push(key)
    node[last] = text
  }
  return { value, kept }
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
