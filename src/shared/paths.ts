/** Paths and names, and an encoding that makes any name safe on every file system. */

import { dirname, isAbsolute, posix, relative, sep } from 'node:path'

export function toPosix(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path
}

/** Makes the drive letter uppercase, because programs on Windows use both `c:` and `C:`. */
export function normalDrive(path: string): string {
  return sep === '\\' && /^[a-z]:/.test(path) ? path.charAt(0).toUpperCase() + path.slice(1) : path
}

/** The path as messages show it: relative to the root, with forward slashes. */
export function displayPath(root: string, path: string): string {
  return posix.relative(toPosix(normalDrive(root)), toPosix(normalDrive(path))) || '.'
}

/**
 * A module id without the query or hash that a bundler may have appended. These begin after the file's extension,
 * because a folder's name may contain the same characters (`C#/app`).
 */
export function withoutQuery(id: string): string {
  return id.replace(/(?<=\.\w+)[?#](?!\/).*$/s, '')
}

/** True if `path` is `folder` or inside it. Both must be absolute. Links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Matches device names on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

/** Characters that some operating system forbids in file names, and `%`, which starts an encoded character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f<>:"/\\|?*%]/g

/**
 * Encodes a name as a single path segment that is a visible file name on Linux, macOS and Windows. Percent-encodes
 * unsafe characters, a leading dot, trailing dots and spaces, and the first letter of device names and `node_modules`.
 * File systems may change a name's Unicode normalization, so if a name is not in NFC, all its non-ASCII characters are
 * encoded. The empty name becomes `%empty`. `decodeSegment` is the inverse.
 *
 * @param also additional characters to encode
 */
export function encodeSegment(name: string, also = ''): string {
  if (name === '') return '%empty'
  const isComposed = name.normalize('NFC') === name
  let result = ''
  for (const character of name.replace(UNSAFE, percent))
    result += also.includes(character) || (!isComposed && character > '\u007f') ? percent(character) : character
  result = result.replace(/^\./, percent).replace(/[. ]+$/, percent)
  return DEVICE.test(result) || result.toLowerCase() === 'node_modules'
    ? percent(result.charAt(0)) + result.slice(1)
    : result
}

/** Decodes a segment, whatever its Unicode normalization. Segments that are not encoded (`100%`) stay the same. */
export function decodeSegment(segment: string): string {
  if (segment === '%empty') return ''
  const composed = segment.normalize('NFC')
  if (!composed.includes('%')) return composed
  try {
    return decodeURIComponent(composed)
  } catch {
    return composed
  }
}

function percent(text: string): string {
  let result = ''
  for (const byte of Buffer.from(text)) result += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return result
}

/**
 * An ID that is the same for names that a file system may treat as the same. Ignores case and Unicode normalization.
 */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** The folder and all its parent folders, innermost first. */
export function foldersUp(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersUp(parent)]
}
