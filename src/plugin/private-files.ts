/**
 * `.localization` holds the local service's personal token, its database with the API key, and what was downloaded: no
 * dev server may hand out any of it. Servers read one address in many ways, so that each spelling that some server or
 * file system could take for the folder is refused.
 */
import type { Middleware } from './inspector.ts'

const PRIVATE_FOLDER = '.localization'

const REFUSAL = `${PRIVATE_FOLDER} holds secrets and caches of unplugin-localization: it is never served\n`

/** Ids that are worth a closer look. */
export const PRIVATE_FILTER: RegExp = /\.localization|locali~/i

/** Servers decode an address once or twice. */
const MOST_DECODINGS = 8

/**
 * Whether an address, or a module's id, leads into a `.localization` folder of a served folder.
 * @param roots absolute paths that are served; such a folder among their own parents does not count
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

/** In front of everything else that answers. */
export function refusePrivateFiles(roots: readonly string[]): Middleware {
  return ({ url = '/' }, response, next) => {
    if (!isPrivate(url, roots)) return next()
    response.statusCode = 403
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.setHeader('x-content-type-options', 'nosniff')
    response.end(REFUSAL)
  }
}

/** `undefined`: encoded more often than anybody decodes. */
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
    // No UTF-8: what is ASCII in it counts.
    return run.replace(/%[0-7][\da-f]/gi, (byte) => decodeURIComponent(byte))
  }
}

/** Parts of a path; what stands behind `?` and `#` may be taken for one as well. */
function segmentsOf(path: string): string[] {
  return path.split(/[/\\?#&=]/).map(nameOf)
}

/**
 * A name as the most forgiving file system reads it: macOS passes over invisible characters, Windows over dots and
 * spaces at the end and what follows a colon, both over case; some servers cut names at a semicolon.
 */
function nameOf(segment: string): string {
  const name = segment
    .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[;:].*$/su, '')
  return /^\.{1,2}$/.test(name) ? name : name.replace(/[. ]+$/, '')
}

/** Between slashes, also at both ends. */
function pathOf(names: readonly string[]): string {
  return `/${names.filter((name) => name !== '').join('/')}/`
}

/** Windows has a second, short name for it. */
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
