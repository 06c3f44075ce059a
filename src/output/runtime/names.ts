/** Looks up names, and marks errors that an app can handle. */

/** The name's index in the list. Throws a `RangeError` for an unknown name. */
export function placeIn(known: readonly string[], what: string, name: string): number {
  const at = known.indexOf(name)
  if (at < 0) throw RangeError(`unknown ${what} "${name}"; known: ${known.join(', ')}`)
  return at
}

/** Adds a code by which an app can recognize that a page, opened before a deployment, needs a reload. */
export const withCode = (error: Error) => Object.assign(error, { code: 'LOAD_FAILED' })
