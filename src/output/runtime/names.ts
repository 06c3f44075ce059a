/** Looks up names, and marks errors that an app can handle. */

/** Returns the name's index in the list. Throws a `RangeError` for an unknown name. */
export function placeIn(known: readonly string[], what: string, name: string): number {
  const at = known.indexOf(name)
  if (at < 0) throw RangeError(`unknown ${what} "${name}"; known: ${known.join(', ')}`)
  return at
}

/** Adds an error code. An app can then recognize that the page was opened before a deployment and needs a reload. */
export const withCode = (error: Error) => Object.assign(error, { code: 'LOAD_FAILED' })
