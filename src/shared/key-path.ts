/** How the names of nested objects make one key, and how a key is split into names again. */

/**
 * Joins names with `keySeparator: false`. No name may hold this character, and a person can read it where the service
 * shows the key.
 */
export const PATH_JOINT = '\u241F'

/** The key's beginnings that end before a separator, shortest first. */
export function* branchesOf(key: string, separator: string): Iterable<string> {
  for (let at = key.indexOf(separator); at !== -1; at = key.indexOf(separator, at + separator.length))
    yield key.slice(0, at)
}

/**
 * Whether a key is a path of names. A key with an empty name is mostly a sentence, such as `Loading...`: it is a path
 * only where each of its beginnings is known as an object.
 */
export function isPath(key: string, separator: string, isObject: (branch: string) => boolean): boolean {
  if (separator === PATH_JOINT || !key.split(separator).includes('')) return true
  return [...branchesOf(key, separator)].every(isObject)
}
