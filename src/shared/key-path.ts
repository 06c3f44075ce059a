/** Joins the names of nested objects into a key, and splits a key into names again. */

/**
 * Joins names with `keySeparator: false`. Names must not contain this character, and it is readable where the service
 * shows the key.
 */
export const PATH_JOINT = '\u241F'

/** The prefixes of the key that end before a separator, shortest first. */
export function* branchesOf(key: string, separator: string): Iterable<string> {
  for (let at = key.indexOf(separator); at !== -1; at = key.indexOf(separator, at + separator.length))
    yield key.slice(0, at)
}

/**
 * True if a key is a path of names. A key with an empty name is usually a sentence, such as `Loading...`: it is a path
 * only if each of its prefixes is known as an object.
 */
export function isPath(key: string, separator: string, isObject: (branch: string) => boolean): boolean {
  if (separator === PATH_JOINT || !key.split(separator).includes('')) return true
  return [...branchesOf(key, separator)].every(isObject)
}
