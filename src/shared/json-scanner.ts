/**
 * Reads JSON by position, without recursion: for everything `JSON.parse` does not tell, such as where a value stands, which key comes
 * twice, and what to do about a mistake. Strict JSON (RFC 8259); a byte order mark at the start is accepted. Messages quote no
 * string of the text: it may hold a key.
 */

import { MAX_DEPTH } from './flatten.ts'

export interface JsonProblem {
  readonly kind: 'syntax' | 'depth'
  /** UTF-16 code units from the start. */
  readonly offset: number
  /** Both count from 1. */
  readonly line: number
  readonly column: number
  readonly message: string
  readonly hint: string | undefined
}

/** Called in document order. Offsets of strings include both quotes; `escaped`: the string holds a backslash. */
export interface JsonVisitor {
  open(kind: 'object' | 'array', start: number): void
  close(kind: 'object' | 'array', end: number): void
  key(start: number, end: number, escaped: boolean): void
  string(start: number, end: number, escaped: boolean): void
  /** Numbers and the literals `true`, `false` and `null`. */
  other(type: 'number' | 'boolean' | 'null', start: number, end: number): void
}

const OBJECT = 1
const ARRAY = 2

enum Expect {
  Value,
  ValueOrEnd,
  KeyOrEnd,
  Key,
  CommaOrEnd,
  Nothing,
}

/** Scans the whole text, telling `visitor` what it meets, up to the first problem. */
export function scanJson(text: string, visitor?: JsonVisitor): { readonly problem: JsonProblem | undefined } {
  const length = text.length
  const containers: number[] = []
  let kind = 0
  let expect: Expect = Expect.Value
  let escaped = false
  let i = text.charCodeAt(0) === 0xfeff ? 1 : 0

  const fail = (offset: number, message: string, hint?: string, problem: JsonProblem['kind'] = 'syntax') => ({
    problem: { kind: problem, offset, ...positionAt(text, offset), message, hint },
  })

  /** The offset behind the closing quote; negative: the string is broken at `-offset - 1`. */
  const endOfString = (start: number): number => {
    escaped = false
    for (let at = start + 1; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x22) return at + 1
      if (code === 0x5c) {
        escaped = true
        const next = text.charCodeAt(at + 1)
        if (next === 0x75) {
          for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(text.charCodeAt(digit))) return -at - 1
          at += 5
        } else if (isSimpleEscape(next)) at++
        else return -at - 1
      } else if (code < 0x20) return -at - 1
    }
    return -length - 1
  }

  for (; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) continue
    if (code === 0x22) {
      if (expect === Expect.CommaOrEnd)
        return fail(i, 'a comma is missing before this', 'Put a comma between two entries.')
      if (expect === Expect.Nothing) return fail(i, 'something follows the end of the JSON', 'Remove it.')
      const end = endOfString(i)
      if (end < 0) {
        const at = -end - 1
        return fail(Math.min(at, length), ...describeBrokenString(text, at))
      }
      if (expect === Expect.Key || expect === Expect.KeyOrEnd) {
        const start = i
        visitor?.key(start, end, escaped)
        i = end
        while (i < length && isSpace(text.charCodeAt(i))) i++
        if (text.charCodeAt(i) !== 0x3a) {
          if (i >= length) return fail(i, 'the text ends in the middle', 'The file is cut off, or being written.')
          return fail(start, '":" is missing after this key')
        }
        expect = Expect.Value
        continue
      }
      visitor?.string(i, end, escaped)
      i = end - 1
      expect = kind === 0 ? Expect.Nothing : Expect.CommaOrEnd
      continue
    }
    if (code === 0x2c && expect === Expect.CommaOrEnd) {
      expect = kind === OBJECT ? Expect.Key : Expect.Value
      continue
    }
    if (code === 0x7d || code === 0x5d) {
      const closes = code === 0x7d ? OBJECT : ARRAY
      const allowed =
        expect === Expect.CommaOrEnd ||
        (expect === Expect.KeyOrEnd && closes === OBJECT) ||
        (expect === Expect.ValueOrEnd && closes === ARRAY)
      if (!allowed || closes !== kind) return fail(i, ...describeWrongEnd(text, i, kind, expect))
      visitor?.close(kind === OBJECT ? 'object' : 'array', i + 1)
      kind = containers.pop() ?? 0
      expect = kind === 0 ? Expect.Nothing : Expect.CommaOrEnd
      continue
    }
    if (expect !== Expect.Value && expect !== Expect.ValueOrEnd) {
      return fail(i, ...describeUnexpected(text, i, expect))
    }
    if (code === 0x7b || code === 0x5b) {
      if (containers.length >= MAX_DEPTH) {
        return fail(i, `nested more than ${MAX_DEPTH} levels deep`, 'A translation file is not that deep.', 'depth')
      }
      containers.push(kind)
      kind = code === 0x7b ? OBJECT : ARRAY
      visitor?.open(kind === OBJECT ? 'object' : 'array', i)
      expect = kind === OBJECT ? Expect.KeyOrEnd : Expect.ValueOrEnd
      continue
    }
    WORD.lastIndex = i
    const word = WORD.exec(text)?.[0]
    if (word === undefined || !VALID_WORD.test(word)) return fail(i, ...describeUnexpected(text, i, expect))
    visitor?.other(
      word === 'null' ? 'null' : word === 'true' || word === 'false' ? 'boolean' : 'number',
      i,
      i + word.length,
    )
    i += word.length - 1
    expect = kind === 0 ? Expect.Nothing : Expect.CommaOrEnd
  }
  if (expect === Expect.Nothing) return { problem: undefined }
  if (kind === 0) return fail(0, 'the file is empty', 'Write {} for a file that has no texts.')
  const missing = kind === OBJECT ? '"}"' : '"]"'
  return fail(length, `the text ends in the middle: ${missing} is missing`, 'The file is cut off, or being written.')
}

const WORD = /[-+.\w]+/y
const VALID_WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}

function isSimpleEscape(code: number): boolean {
  return '"\\/bfnrt'.includes(String.fromCharCode(code)) && !Number.isNaN(code)
}

type Description = [message: string, hint?: string]

function describeBrokenString(text: string, at: number): Description {
  if (at >= text.length) return ['the text ends in the middle of a string', 'A closing quote is missing.']
  const code = text.charCodeAt(at)
  if (code === 0x5c) return [`${text.slice(at, at + 2)} is not an escape`, 'Write \\\\ for a backslash.']
  if (code === 0x0a || code === 0x0d) {
    return ['a string is not closed on its line', 'Close the quote, or write \\n for a line break.']
  }
  return [`a control character (U+${hex(code)}) stands in a string`, `Write \\u${hex(code)}.`]
}

function describeWrongEnd(text: string, at: number, kind: number, expect: Expect): Description {
  const found = text.charAt(at)
  if (kind === 0) return [`"${found}" closes nothing`, 'Remove it.']
  if ((expect === Expect.Key && found === '}') || (expect === Expect.Value && found === ']' && kind === ARRAY)) {
    return [`a comma stands before "${found}"`, 'JSON allows no comma after the last entry: remove it.']
  }
  if (expect === Expect.Value) return [`a value is missing before "${found}"`]
  return [`"${found}" stands where "${kind === OBJECT ? '}' : ']'}" is expected`]
}

function describeUnexpected(text: string, at: number, expect: Expect): Description {
  const rest = text.slice(at, at + 8)
  if (rest.startsWith('//') || rest.startsWith('/*')) return ['a comment', 'JSON has no comments: remove it.']
  if (/^(?:<{7}|={7}|>{7}|\|{7})/.test(rest))
    return ['a merge conflict marker', 'Resolve the conflict in this file first.']
  if (rest.startsWith("'")) return ['a single quote', 'JSON wants double quotes.']
  const code = text.codePointAt(at) ?? 0
  const shown =
    code < 0x21 || code === 0x7f || (code >= 0x80 && code < 0xa1) || code === 0xfeff
      ? `U+${hex(code)}`
      : JSON.stringify(String.fromCodePoint(code))
  if (expect === Expect.Nothing) return ['something follows the end of the JSON', 'Remove it.']
  if (expect === Expect.CommaOrEnd) return [`${shown} stands where a comma or the end is expected`]
  if (expect === Expect.Value || expect === Expect.ValueOrEnd) return [`${shown} stands where a value is expected`]
  if (rest.startsWith(',')) return ['a comma too many', 'Remove it.']
  return [`${shown} stands where a key is expected`, 'Keys are strings in double quotes.']
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0')
}

/** The string token between two offsets, decoded: a string of its own. A slice would keep the whole text in memory as long as it is kept. */
export function decodeJsonString(text: string, start: number, end: number): string {
  return JSON.parse(text.slice(start, end)) as string
}

export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Line and column (UTF-16 code units), both from 1. A byte order mark takes no column; CRLF is one line end. */
export function positionAt(text: string, offset: number): TextPosition {
  let line = 1
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (let i = start; i < offset; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) {
      line++
      start = i + 1
    }
  }
  return { line, column: Math.max(1, offset - start + 1) }
}

/** `positionAt` for many offsets of one text: the lines are looked up, not counted again. */
export function createPositions(text: string): (offset: number) => TextPosition {
  const starts = [text.charCodeAt(0) === 0xfeff ? 1 : 0]
  for (let i = starts[0] as number; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) starts.push(i + 1)
  }
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] as number) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: Math.max(1, offset - (starts[low] as number) + 1) }
  }
}
