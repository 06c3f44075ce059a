/** Looks up names, and marks errors that an app can handle. */

/** The name's index in the list. Throws a `RangeError` for a name that is not in it. */
export function placeIn(known: readonly string[], what: string, name: string): number {
  const at = known.indexOf(name)
  if (at < 0) throw RangeError(`unknown ${what} "${name}"; known: ${known.join(', ')}`)
  return at
}

/** A page that was opened before a deployment may need a reload: the code lets the app recognize that. */
export const withCode = (error: Error) => Object.assign(error, { code: 'LOAD_FAILED' })
