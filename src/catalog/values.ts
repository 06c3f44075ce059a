/** A part's values that are not texts: numbers, booleans, nulls, and the arrays that contain texts. */
import { branchesOf } from '../shared/key-path.ts'

/** The values by flat key. An array element's key ends in its index. */
export type Values = ReadonlyMap<string, Value>

export type Value =
  /** A number, boolean or null, as JSON. */
  | { readonly kind: 'scalar'; readonly json: string }
  | { readonly kind: 'array'; readonly length: number }
  /** An object inside an array. It keeps its place even if it contains no texts. */
  | { readonly kind: 'object' }
  /** An object outside arrays, on a path with an empty name. Keys below it are split at every separator. */
  | { readonly kind: 'branch' }

/** Returns a test that is true for a key that is known to be an object's name. */
export function objectTest(values: Pick<Values, 'get'> | undefined): (key: string) => boolean {
  return (key) => ['object', 'branch'].includes(values?.get(key)?.kind ?? '')
}

/** Returns `undefined` if the segment is not an array index. */
export function indexOf(segment: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : undefined
}

/** Returns a function that finds the outermost array that contains a key, which may be the key itself. */
export function arrayFinder(values: Values | undefined, separator: string): (key: string) => string | undefined {
  if (!values) return () => undefined
  const isArray = (key: string) => values.get(key)?.kind === 'array'
  return (key) => {
    for (const branch of branchesOf(key, separator)) if (isArray(branch)) return branch
    return isArray(key) ? key : undefined
  }
}

/** Joins the values of several parts; `undefined` if there are none. The first part that has a key wins. */
export function joinValues(all: Iterable<Values | undefined>): Values | undefined {
  let joined: Map<string, Value> | undefined
  for (const values of all) {
    for (const [key, value] of values ?? []) {
      joined ??= new Map()
      if (!joined.has(key)) joined.set(key, value)
    }
  }
  return joined
}

/**
 * The arrays and known objects of several parts. A name is an array if any part has one with this name; the longest is
 * used.
 */
export function longestBranches(all: Iterable<Values | undefined>): ReadonlyMap<string, Value> {
  const branches = new Map<string, Value>()
  for (const values of all) {
    for (const [key, value] of values ?? []) {
      const known = branches.get(key)
      const isLonger = value.kind === 'array' && (known?.kind !== 'array' || known.length < value.length)
      if (isLonger || (value.kind !== 'scalar' && !known)) branches.set(key, value)
    }
  }
  return branches
}

/** If one element of an array is used, the whole array counts as used, so that elements keep their index. */
export function usedWithArrays(
  values: Values | undefined,
  separator: string,
  keys: Iterable<string>,
  isUsed: (key: string) => boolean,
): (key: string) => boolean {
  if (!values) return isUsed
  const arrayOf = arrayFinder(values, separator)
  const used = new Set<string>()
  for (const key of [...keys, ...values.keys()]) {
    const array = arrayOf(key)
    if (array !== undefined && isUsed(key)) used.add(array)
  }
  return (key) => {
    const array = arrayOf(key)
    return array === undefined ? isUsed(key) : used.has(array)
  }
}
