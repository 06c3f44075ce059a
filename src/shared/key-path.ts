/** Joins the names of nested objects into a key, and splits a key into its names. */

/**
 * The separator if `keySeparator` is `false`. Names must not contain it. The character is visible, because the service
 * displays keys.
 */
export const PATH_JOINT = '\u241F'

/** The parts of the key before each separator, shortest first. */
export function* branchesOf(key: string, separator: string): Iterable<string> {
  for (let at = key.indexOf(separator); at !== -1; at = key.indexOf(separator, at + separator.length))
    yield key.slice(0, at)
}

/** The name that follows a branch in a key. */
export function segmentBelow(branch: string, key: string, separator: string): string {
  const rest = key.slice(branch.length + separator.length)
  const end = rest.indexOf(separator)
  return end === -1 ? rest : rest.slice(0, end)
}

/**
 * True if the key is a path of names. A key such as `Loading...` contains empty names and is usually a sentence. It is
 * a path only if all its prefixes are known objects.
 */
export function isPath(key: string, separator: string, isObject: (branch: string) => boolean): boolean {
  if (separator === PATH_JOINT || !key.split(separator).includes('')) return true
  return [...branchesOf(key, separator)].every(isObject)
}
