/**
 * Prevents dev servers from serving the folder `.localization`. It contains the local service's personal token, the
 * service's database with the API key, and downloaded texts. Servers decode URLs in different ways, so every spelling
 * that some server or file system could resolve to the folder is refused.
 */
import type { Middleware } from './inspector.ts'

const PRIVATE_FOLDER = '.localization'

const REFUSAL = `${PRIVATE_FOLDER} contains secrets and caches of unplugin-localization and is never served\n`

/** Finds ids that need the exact check. This is faster than the check. */
export const PRIVATE_FILTER: RegExp = /\.localization|locali~/i

/** More than any server does: servers decode a URL once or twice. */
const MOST_DECODINGS = 8

/**
 * Returns true if a URL or a module id points into a `.localization` folder that is inside a served folder.
 *
 * @param roots absolute paths of the served folders, which may themselves be inside a `.localization` folder
 */
export function isPrivate(address: string, roots: readonly string[]): boolean {
  if (!/%|locali/i.test(address)) return false
  const decoded = decodedFully(address)
  if (decoded === undefined) return true
  const written = segmentsOf(decoded)
  if (!written.some(isPrivateName)) return false
  const served = roots.map((root) => pathOf(segmentsOf(root)))
  return [written, withoutDots(written)].some((names) => {
    const below = served.reduce((path, root) => path.replaceAll(root, '/'), pathOf(names))
    return below.split('/').some(isPrivateName)
  })
}

/** Refuses requests for private files. Must come before all other middlewares that respond. */
export function refusePrivateFiles(roots: readonly string[]): Middleware {
  return ({ url = '/' }, response, next) => {
    if (!isPrivate(url, roots)) return next()
    response.statusCode = 403
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.setHeader('x-content-type-options', 'nosniff')
    response.end(REFUSAL)
  }
}

/** Returns the decoded URL, or `undefined` if it is encoded more times than any server decodes. */
function decodedFully(address: string): string | undefined {
  let text = address
  for (let i = 0; i < MOST_DECODINGS; i++) {
    const decoded = text.replace(/(?:%[\da-f]{2})+/gi, decodedRun)
    if (decoded === text) return text
    text = decoded
  }
  return undefined
}

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    // If the bytes are not valid UTF-8, only those of ASCII characters are decoded.
    return run.replace(/%[0-7][\da-f]/gi, (byte) => decodeURIComponent(byte))
  }
}

/** Splits a path. Also splits the text after `?` and `#`, because some servers treat it as part of the path. */
function segmentsOf(path: string): string[] {
  return path.split(/[/\\?#&=]/).map(nameOf)
}

/**
 * Returns the name that the most lenient server or file system would use. macOS ignores invisible characters. Windows
 * ignores dots and spaces at the end, and everything after a colon. Both ignore case. Some servers ignore everything
 * after a semicolon.
 */
function nameOf(segment: string): string {
  const name = segment
    .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[;:].*$/su, '')
  return /^\.{1,2}$/.test(name) ? name : name.replace(/[. ]+$/, '')
}

function pathOf(names: readonly string[]): string {
  return `/${names.filter((name) => name !== '').join('/')}/`
}

/** On Windows, the folder can also have a short (8.3) name. */
function isPrivateName(name: string): boolean {
  return name === PRIVATE_FOLDER || /^locali~\d+$/.test(name)
}

function withoutDots(names: readonly string[]): string[] {
  const left: string[] = []
  for (const name of names) {
    if (name === '..') left.pop()
    else if (name !== '.') left.push(name)
  }
  return left
}
