/**
 * The quick way to read a translation file that a tool or a careful person wrote: one pass that looks at quotes and what stands between
 * them, and takes texts as they are written. Whatever it is not sure about is for `parseTranslationText`.
 */
import { MAX_DEPTH } from '../shared/flatten.ts'

export interface PlainScan {
  /** Joined paths, in the file's order; one may come twice. */
  readonly keys: readonly string[]
  /** The texts as JSON strings, spelled as `JSON.stringify` spells them. */
  readonly tokens: readonly string[]
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

/** `undefined`: not that plain, or not right; read it the careful way. */
export function scanPlain(text: string, separator: string): PlainScan | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no string may hold them
  if (/[\0-\x08\x0b\x0c\x0e-\x1f]/.test(text)) return undefined
  const keys: string[] = []
  const tokens: string[] = []
  const prefixes: string[] = []
  // Joined paths of the objects: one that comes twice, or is a text as well, is for the careful reader to judge.
  const branches = new Set<string>()
  const unwanted = [nextOf(text, '\n'), nextOf(text, '\r'), nextOf(text, '\t')]
  const nextBackslash = nextOf(text, '\\')
  let prefix = ''
  let at = skipSpace(text, 0)
  if (text.charCodeAt(at) !== OPEN) return undefined
  at = skipSpace(text, at + 1)
  let mayClose = true

  for (;;) {
    if (text.charCodeAt(at) === CLOSE && mayClose) {
      at = skipSpace(text, at + 1)
      const outer = prefixes.pop()
      if (outer === undefined) return at === text.length && !isBoth(keys, branches) ? { keys, tokens } : undefined
      prefix = outer
    } else {
      const key = stringAt(at)
      if (key === undefined) return undefined
      at = skipSpace(text, at + key.length)
      if (text.charCodeAt(at) !== COLON) return undefined
      at = skipSpace(text, at + 1)
      const name = key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1)
      if (text.charCodeAt(at) === OPEN) {
        prefixes.push(prefix)
        if (prefixes.length >= MAX_DEPTH || branches.has(prefix + name)) return undefined
        branches.add(prefix + name)
        prefix += name + separator
        at = skipSpace(text, at + 1)
        mayClose = true
        continue
      }
      const token = stringAt(at)
      if (token === undefined) return undefined
      keys.push(prefix + name)
      tokens.push(token)
      at = skipSpace(text, at + token.length)
    }
    mayClose = text.charCodeAt(at) !== COMMA
    if (!mayClose) at = skipSpace(text, at + 1)
    else if (text.charCodeAt(at) !== CLOSE) return undefined
  }

  function stringAt(start: number): string | undefined {
    if (text.charCodeAt(start) !== QUOTE) return undefined
    let end = text.indexOf('"', start + 1)
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
    if (end === -1 || unwanted.some((next) => next(start) < end)) return undefined
    const token = text.slice(start, end + 1)
    return nextBackslash(start) > end || isCanonical(token) ? token : undefined
  }
}

function isBoth(keys: readonly string[], branches: ReadonlySet<string>): boolean {
  return branches.size > 0 && keys.some((key) => branches.has(key))
}

/** Where the character stands next; asked for growing places only. */
function nextOf(text: string, character: string): (from: number) => number {
  let next = -1
  return (from) => {
    if (next < from) {
      const found = text.indexOf(character, from)
      next = found === -1 ? Number.POSITIVE_INFINITY : found
    }
    return next
  }
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

/** Its escapes are right, and the ones that are always used. `\\u` may stand for half a character. */
function isCanonical(token: string): boolean {
  if (token.includes('\\u')) return false
  try {
    return JSON.stringify(JSON.parse(token)) === token
  } catch {
    return false
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}
