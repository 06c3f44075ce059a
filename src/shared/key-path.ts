/** Joins the names of nested objects into a key, and splits a key into its names. */

/**
 * Joins names if `keySeparator` is `false`. Names must not contain this character. It is readable where the service
 * shows the key.
 */
export const PATH_JOINT = '\u241F'

/** The parts of the key before each separator, shortest first. */
export function* branchesOf(key: string, separator: string): Iterable<string> {
  for (let at = key.indexOf(separator); at !== -1; at = key.indexOf(separator, at + separator.length))
    yield key.slice(0, at)
}

/**
 * True if the key is a path of names. A key with an empty name is usually a sentence, such as `Loading...`: it is a
 * path only if all its prefixes are known objects.
 */
export function isPath(key: string, separator: string, isObject: (branch: string) => boolean): boolean {
  if (separator === PATH_JOINT || !key.split(separator).includes('')) return true
  return [...branchesOf(key, separator)].every(isObject)
}
