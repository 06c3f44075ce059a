/**
 * Parses strict JSON (RFC 8259), JSON with comments, or JSON5 into a tree with positions. Unlike `JSON.parse`, it
 * reports where each value is, finds duplicate keys, and gives hints for errors. Accepts a byte order mark at the
 * start.
 */
import { MAX_DEPTH } from './flatten.ts'
import { describeBrokenString, describeUnexpected, type Expected } from './json-problems.ts'
import { decodeJson5, JSON5_NAME, JSON5_SPACE, JSON5_STRING, JSON5_WORD, json5Number } from './json5-tokens.ts'
import { positionAt } from './text-position.ts'

/** Offsets count UTF-16 code units. The spans of strings and keys include their quotes. */
interface Span {
  readonly start: number
  readonly end: number
}

interface StringNode extends Span {
  readonly kind: 'string'
  readonly text: string
}

export interface ObjectNode extends Span {
  readonly kind: 'object'
  readonly members: readonly MemberNode[]
}

export interface MemberNode {
  readonly key: StringNode
  readonly value: JsonNode
}

export interface ArrayNode extends Span {
  readonly kind: 'array'
  readonly items: readonly JsonNode[]
}

interface ScalarNode extends Span {
  readonly kind: 'number' | 'boolean' | 'null'
  /** The value as JSON. */
  readonly json: string
}

export type JsonNode = ObjectNode | ArrayNode | StringNode | ScalarNode

/** `jsonc` allows comments and trailing commas. */
export type JsonDialect = 'json' | 'jsonc' | 'json5'

interface JsonProblem {
  readonly kind: 'syntax' | 'depth'
  /** Line and column are 1-based. */
  readonly line: number
  readonly column: number
  readonly message: string
  readonly hint: string | undefined
}

export type ParsedJson = { readonly root: JsonNode } | { readonly problem: JsonProblem }

/** Stops at the first problem. */
export function parseJson(text: string, dialect: JsonDialect = 'json'): ParsedJson {
  return parsedOrProblem(text, () => new JsonParser(text, dialect).parse())
}

/** Calls `parse`, and turns a `ParseError` into a problem. */
export function parsedOrProblem(text: string, parse: () => JsonNode): ParsedJson {
  try {
    return { root: parse() }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const { offset, kind, message, hint } = error
    return { problem: { kind, ...positionAt(text, offset), message, hint } }
  }
}

export class ParseError extends Error {
  readonly offset: number
  readonly hint: string | undefined
  readonly kind: JsonProblem['kind']

  constructor(offset: number, [message, hint]: readonly [string, string?], kind: JsonProblem['kind'] = 'syntax') {
    super(message)
    this.offset = offset
    this.hint = hint
    this.kind = kind
  }
}

const QUOTE = 0x22
const SLASH = 0x2f
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const WORD = /[-+.\w]+/y
const VALID_WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

const COMMENT = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//y
/** In JSON5, the characters U+2028 and U+2029 also end a line comment. */
const JSON5_COMMENT = /\/\/[^\r\n\u2028\u2029]*|\/\*[\s\S]*?\*\//y

export const TOO_DEEP = [`nested more than ${MAX_DEPTH} levels deep`, 'Reduce the nesting.'] as const
export const NOT_IN_JSON = ['not a valid JSON number', 'Put it in quotes to use it as a string.'] as const

/** Converts a number in JSON5 notation to JSON. `undefined` for infinity and NaN. */
export function jsonOfNumber(source: string, value: number): string | undefined {
  if (VALID_WORD.test(source)) return source
  return Number.isFinite(value) ? JSON.stringify(value) : undefined
}

class JsonParser {
  readonly #text: string
  readonly #dialect: JsonDialect
  #at: number
  #depth = 0

  constructor(text: string, dialect: JsonDialect) {
    this.#text = text
    this.#dialect = dialect
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  }

  parse(): JsonNode {
    const root = this.#value('value', undefined)
    this.#skipSpace()
    return this.#at < this.#text.length ? this.#unexpected('nothing', undefined) : root
  }

  // Recursion is safe, because the depth is limited.
  #value(expected: Expected, closer: '}' | ']' | undefined): JsonNode {
    this.#skipSpace()
    switch (this.#text[this.#at]) {
      case '"':
      case "'":
        return this.#string() ?? this.#unexpected(expected, closer)
      case '{':
        return this.#object()
      case '[':
        return this.#array()
      default:
        return this.#word() ?? this.#unexpected(expected, closer)
    }
  }

  #object(): ObjectNode {
    const start = this.#open()
    const members: MemberNode[] = []
    const next = this.#dialect === 'json' ? 'key' : 'key or end'
    for (let expected: Expected = 'key or end'; !this.#isEnd('}', expected); expected = next) {
      const key = this.#string() ?? this.#name() ?? this.#unexpected(expected, '}')
      this.#colonAfter(key)
      members.push({ key, value: this.#value('value', '}') })
      if (this.#isEnd('}', 'comma or end')) break
      this.#comma('}')
    }
    return { kind: 'object', start, end: this.#close(), members }
  }

  #array(): ArrayNode {
    const start = this.#open()
    const items: JsonNode[] = []
    const next = this.#dialect === 'json' ? 'value' : 'value or end'
    for (let expected: Expected = 'value or end'; !this.#isEnd(']', expected); expected = next) {
      items.push(this.#value(expected, ']'))
      if (this.#isEnd(']', 'comma or end')) break
      this.#comma(']')
    }
    return { kind: 'array', start, end: this.#close(), items }
  }

  #open(): number {
    if (++this.#depth > MAX_DEPTH) throw new ParseError(this.#at, TOO_DEEP, 'depth')
    return this.#at++
  }

  #close(): number {
    this.#depth--
    return ++this.#at
  }

  /** True if the object or array ends here. In strict JSON, it must not end after a comma. */
  #isEnd(closer: '}' | ']', expected: Expected): boolean {
    this.#skipSpace()
    return expected.endsWith('or end') && this.#text[this.#at] === closer
  }

  #comma(closer: '}' | ']'): void {
    if (this.#text[this.#at] !== ',') this.#unexpected('comma or end', closer)
    this.#at++
  }

  #colonAfter(key: StringNode): void {
    this.#skipSpace()
    if (this.#at >= this.#text.length) {
      throw new ParseError(this.#at, ['unexpected end of file', 'The file is truncated or still being written.'])
    }
    if (this.#text[this.#at] !== ':') throw new ParseError(key.start, ['missing ":" after this key'])
    this.#at++
  }

  #string(): StringNode | undefined {
    const start = this.#at
    const first = this.#text.charCodeAt(start)
    if (this.#dialect === 'json5' && (first === QUOTE || this.#text[start] === "'")) return this.#json5String()
    if (first !== QUOTE) return undefined
    let at = start + 1
    for (let code = this.#text.charCodeAt(at); code !== QUOTE; code = this.#text.charCodeAt(at)) {
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = at
        if (!ESCAPE.test(this.#text)) this.#brokenString(at)
        at = ESCAPE.lastIndex
      } else if (code >= FIRST_PRINTABLE) at++
      else this.#brokenString(at)
    }
    const end = at + 1
    this.#at = end
    // `JSON.parse` creates a new string. A slice would keep the whole file in memory.
    return { kind: 'string', start, end, text: JSON.parse(this.#text.slice(start, end)) as string }
  }

  #json5String(): StringNode {
    const start = this.#at
    JSON5_STRING.lastIndex = start
    const raw = JSON5_STRING.exec(this.#text)?.[0]
    if (raw === undefined) {
      const quote = this.#text[start]
      let at = start + 1
      while (at < this.#text.length && !/[\r\n]/.test(this.#text[at] as string)) at += this.#text[at] === '\\' ? 2 : 1
      throw new ParseError(Math.min(at, this.#text.length), ['unterminated string', `Close it with ${quote}.`])
    }
    return this.#json5Text(start, start + raw.length, raw.slice(1, -1), 1)
  }

  /** Reads an unquoted key. */
  #name(): StringNode | undefined {
    if (this.#dialect !== 'json5') return undefined
    const start = this.#at
    JSON5_NAME.lastIndex = start
    const raw = JSON5_NAME.exec(this.#text)?.[0]
    return raw === undefined ? undefined : this.#json5Text(start, start + raw.length, raw, 0)
  }

  #json5Text(start: number, end: number, raw: string, quote: number): StringNode {
    const text = decodeJson5(raw)
    if (typeof text === 'number') this.#brokenString(start + quote + text)
    this.#at = end
    return { kind: 'string', start, end, text }
  }

  #brokenString(at: number): never {
    throw new ParseError(Math.min(at, this.#text.length), describeBrokenString(this.#text, at))
  }

  #word(): ScalarNode | undefined {
    const start = this.#at
    WORD.lastIndex = start
    const word = WORD.exec(this.#text)?.[0]
    const isValid = this.#dialect === 'json5' ? JSON5_WORD : VALID_WORD
    if (word === undefined || !isValid.test(word)) return undefined
    this.#at = start + word.length
    if (word === 'null') return { kind: 'null', start, end: this.#at, json: word }
    const kind = word === 'true' || word === 'false' ? 'boolean' : 'number'
    const json = kind === 'boolean' ? word : jsonOfNumber(word, json5Number(word))
    if (json === undefined) throw new ParseError(start, NOT_IN_JSON)
    return { kind, start, end: this.#at, json }
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.#at++
      else if (this.#dialect === 'json' || !this.#skipOther(code)) return
    }
  }

  #skipOther(code: number): boolean {
    if (code === SLASH) {
      const comment = this.#dialect === 'json5' ? JSON5_COMMENT : COMMENT
      comment.lastIndex = this.#at
      if (comment.test(this.#text)) this.#at = comment.lastIndex
      else if (this.#text[this.#at + 1] === '*') throw new ParseError(this.#at, ['unterminated comment', 'Add */.'])
      else return false
      return true
    }
    if (this.#dialect !== 'json5' || !JSON5_SPACE.test(String.fromCharCode(code))) return false
    this.#at++
    return true
  }

  #unexpected(expected: Expected, closer: '}' | ']' | undefined): never {
    const offset = this.#at >= this.#text.length && closer === undefined ? 0 : this.#at
    throw new ParseError(offset, describeUnexpected(this.#text, this.#at, expected, closer))
  }
}
