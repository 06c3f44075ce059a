/** Paths and names: which are safe on every disk, and how unsafe ones are written. */

import { isAbsolute, relative, sep } from 'node:path'

/** Forward slashes, whatever the platform. */
export function toPosix(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path
}

/** An absolute path with its drive letter in upper case: Windows takes `c:` and `C:` for one, and different programs give one or the other. */
export function normalDrive(path: string): string {
  return sep === '\\' && /^[a-z]:/.test(path) ? path.charAt(0).toUpperCase() + path.slice(1) : path
}

/** True where `path` is `folder` or lies below it. Both absolute; nothing is looked up on the disk. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Names Windows keeps for devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

/** Characters no file name may hold on some system, and `%`, which marks an encoded one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f<>:"/\\|?*%]/g

/**
 * A name as one path segment: injective, reversible by `decodeSegment`, and an ordinary visible name on Linux, macOS and Windows.
 * Unsafe characters become `%` and the two hexadecimal digits of each UTF-8 byte; so do a leading dot, trailing dots and spaces, and the first
 * letter of device names (`CON`) and of `node_modules`. The empty name is `%empty`. Disks give names back in another normal form than they
 * got them in: of a name that is not in form C, all but ASCII is encoded. Names that differ in case only stay different texts, though not
 * every disk can tell them apart. `also`: further characters to encode.
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

/** The name a segment stands for, whatever normal form a disk gave it. What is not an encoding (`100%`) stays as it is. */
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

/** What two names share when a disk that ignores case or normal form takes them for one. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
