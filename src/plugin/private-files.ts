/**
 * Prevents dev servers from serving `.localization`, which contains the local service's personal token, its database
 * with the API key, and downloaded texts. Servers decode URLs differently, so every spelling that a server or file
 * system could resolve to the folder is refused.
 */
import type { Middleware } from './inspector.ts'

const PRIVATE_FOLDER = '.localization'

const REFUSAL = `${PRIVATE_FOLDER} contains secrets and caches of unplugin-localization and is never served\n`

/** A fast pre-check of ids. */
export const PRIVATE_FILTER: RegExp = /\.localization|locali~/i

/** More than any server needs: servers decode a URL once or twice. */
const MOST_DECODINGS = 8

/**
 * True if a URL or a module id leads into a `.localization` folder within a served folder.
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

/** Refuses requests for private files. Must come before all other middleware that responds. */
export function refusePrivateFiles(roots: readonly string[]): Middleware {
  return ({ url = '/' }, response, next) => {
    if (!isPrivate(url, roots)) return next()
    response.statusCode = 403
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.setHeader('x-content-type-options', 'nosniff')
    response.end(REFUSAL)
  }
}

/** The decoded URL; `undefined` if it is encoded more times than any server decodes. */
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
    // The bytes are not UTF-8, so only the ASCII bytes are decoded.
    return run.replace(/%[0-7][\da-f]/gi, (byte) => decodeURIComponent(byte))
  }
}

/** The parts of a path. Text after `?` and `#` is split too, because a server may treat it as part of the path. */
function segmentsOf(path: string): string[] {
  return path.split(/[/\\?#&=]/).map(nameOf)
}

/**
 * The name as the most lenient file system reads it. macOS ignores invisible characters. Windows ignores trailing dots
 * and spaces, and anything after a colon. Both ignore case. Some servers cut names at a semicolon.
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

/** On Windows, the folder may also have a short (8.3) name. */
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
