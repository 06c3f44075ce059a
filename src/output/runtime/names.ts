/** Looks up names, and marks errors that an app can handle. */

/** The name's index in the list. Throws a `RangeError` for a name that is not in it. */
export function placeIn(known: readonly string[], what: string, name: string): number {
  const at = known.indexOf(name)
  if (at < 0) throw RangeError(`unknown ${what} "${name}"; known: ${known.join(', ')}`)
  return at
}

/**
 * Adds a code to an error. A page that was opened before a deployment may need a reload, and the app can recognize this
 * by the code.
 */
export const withCode = (error: Error) => Object.assign(error, { code: 'LOAD_FAILED' })
