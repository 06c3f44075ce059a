/**
 * Strict JSON (RFC 8259) as a tree with positions, which tells what `JSON.parse` does not: where a value stands, which
 * key comes twice, and how to mend a mistake. A byte order mark at the start is accepted.
 */
import { MAX_DEPTH } from './flatten.ts'
import { describeBrokenString, describeUnexpected, type Expected } from './json-problems.ts'
import { positionAt } from './text-position.ts'

/** Offsets are UTF-16 code units; those of strings and keys include the quotes. */
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

interface JsonProblem {
  readonly kind: 'syntax' | 'depth'
  /** Both count from 1. */
  readonly line: number
  readonly column: number
  readonly message: string
  readonly hint: string | undefined
}

export type ParsedJson = { readonly root: JsonNode } | { readonly problem: JsonProblem }

/** Parses the text up to the first problem. */
export function parseJson(text: string): ParsedJson {
  try {
    return { root: new JsonParser(text).parse() }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const { offset, kind, message, hint } = error
    return { problem: { kind, ...positionAt(text, offset), message, hint } }
  }
}

class JsonError extends Error {
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
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const WORD = /[-+.\w]+/y
const VALID_WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

class JsonParser {
  readonly #text: string
  #at: number
  #depth = 0

  constructor(text: string) {
    this.#text = text
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  }

  parse(): JsonNode {
    const root = this.#value('value', undefined)
    this.#skipSpace()
    return this.#at < this.#text.length ? this.#unexpected('nothing', undefined) : root
  }

  // Recursive: the depth is limited.
  #value(expected: Expected, closer: '}' | ']' | undefined): JsonNode {
    this.#skipSpace()
    switch (this.#text[this.#at]) {
      case '"':
        return this.#string()
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
    for (let expected: Expected = 'key or end'; !this.#isEnd('}', expected); expected = 'key') {
      if (this.#text[this.#at] !== '"') this.#unexpected(expected, '}')
      const key = this.#string()
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
    for (let expected: Expected = 'value or end'; !this.#isEnd(']', expected); expected = 'value') {
      items.push(this.#value(expected, ']'))
      if (this.#isEnd(']', 'comma or end')) break
      this.#comma(']')
    }
    return { kind: 'array', start, end: this.#close(), items }
  }

  #open(): number {
    if (++this.#depth > MAX_DEPTH) {
      const problem = [`nested more than ${MAX_DEPTH} levels deep`, 'A translation file is not that deep.'] as const
      throw new JsonError(this.#at, problem, 'depth')
    }
    return this.#at++
  }

  #close(): number {
    this.#depth--
    return ++this.#at
  }

  /** Whether the container ends here. After a comma it may not end. */
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
      throw new JsonError(this.#at, ['the text ends in the middle', 'The file is cut off, or being written.'])
    }
    if (this.#text[this.#at] !== ':') throw new JsonError(key.start, ['":" is missing after this key'])
    this.#at++
  }

  #string(): StringNode {
    const start = this.#at
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
    // `JSON.parse` makes a string of its own; a slice would keep the whole file in memory.
    return { kind: 'string', start, end, text: JSON.parse(this.#text.slice(start, end)) as string }
  }

  #brokenString(at: number): never {
    throw new JsonError(Math.min(at, this.#text.length), describeBrokenString(this.#text, at))
  }

  #word(): ScalarNode | undefined {
    const start = this.#at
    WORD.lastIndex = start
    const word = WORD.exec(this.#text)?.[0]
    if (word === undefined || !VALID_WORD.test(word)) return undefined
    this.#at = start + word.length
    const kind = word === 'null' ? 'null' : word === 'true' || word === 'false' ? 'boolean' : 'number'
    return { kind, start, end: this.#at, json: word }
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #unexpected(expected: Expected, closer: '}' | ']' | undefined): never {
    const offset = this.#at >= this.#text.length && closer === undefined ? 0 : this.#at
    throw new JsonError(offset, describeUnexpected(this.#text, this.#at, expected, closer))
  }
}
