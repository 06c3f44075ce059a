/** Parses YAML to a tree with positions. Rejects the features that translation files do not need. */

import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import type { CST, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { MAX_DEPTH } from '../../../shared/flatten.ts'
import {
  type ArrayNode,
  type JsonNode,
  jsonOfNumber,
  type MemberNode,
  NOT_IN_JSON,
  type ObjectNode,
  type ParsedJson,
  ParseError,
  parsedOrProblem,
  TOO_DEEP,
} from '../../../shared/json-parser.ts'
import { describeYamlError, EMPTY, findRefused, UNPRINTABLE } from './problems.ts'

const require = createRequire(import.meta.url)

let library: typeof Yaml | undefined

/**
 * Loads the library when the first YAML file is parsed, with `require`, because most files are read synchronously.
 * Cached, because each `require` resolves the name again, which takes a third of the time for a small file.
 */
function yamlLibrary(): typeof Yaml {
  library ??= require('yaml') as typeof Yaml
  return library
}

type StringNode = MemberNode['key']

export function parseYaml(text: string): ParsedJson {
  return parsedOrProblem(text, () => {
    try {
      return parse(text)
    } catch (error) {
      throw error instanceof RangeError ? new ParseError(0, TOO_DEEP, 'depth') : error
    }
  })
}

function parse(text: string): JsonNode {
  const { Parser, Composer } = yamlLibrary()
  const unprintable = text.search(UNPRINTABLE)
  if (unprintable >= 0) throw describeYamlError(text, 'UNPRINTABLE', unprintable)
  const tokens: CST.Token[] = [...new Parser().parse(text)]
  findRefused(tokens)
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    // `read.ts` reports all duplicate keys, with both positions.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    keepSourceTokens: true,
  })
  const [document] = composer.compose(tokens, true, text.length)
  const error = document?.errors.find(({ code }) => code !== 'KEY_OVER_1024_CHARS')
  if (error) throw describeYamlError(text, error.code, error.pos[0])
  if (!document?.contents || tokens.every(({ type }) => type !== 'document')) throw new ParseError(0, EMPTY)
  const root = new TreeBuilder(text).node(document.contents as ParsedNode, 0, 0)
  if (root.kind === 'null' && root.start === root.end) throw new ParseError(0, EMPTY)
  return root
}

class TreeBuilder {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** @param at the position to use for a missing value */
  node(node: ParsedNode | null, at: number, depth: number): JsonNode {
    if (node === null) return { kind: 'null', start: at, end: at, json: 'null' }
    const { isMap, isSeq } = yamlLibrary()
    const [start, end] = node.range
    if (depth >= MAX_DEPTH && (isMap(node) || isSeq(node))) throw new ParseError(start, TOO_DEEP, 'depth')
    if (isMap<ParsedNode, ParsedNode | null>(node)) return this.#object(node, start, end, depth)
    return isSeq<ParsedNode>(node) ? this.#array(node, start, end, depth) : this.#scalar(node as Scalar.Parsed)
  }

  #object(map: YAMLMap<ParsedNode, ParsedNode | null>, start: number, end: number, depth: number): ObjectNode {
    const members = map.items.map(({ key, value }): MemberNode => {
      const name = this.#key(key, start)
      return { key: name, value: this.node(value, name.end, depth + 1) }
    })
    if (map.flow) return { kind: 'object', start, end, members }
    return { kind: 'object', start, end: members.at(-1)?.value.end ?? end, members }
  }

  #array({ items, flow }: YAMLSeq<ParsedNode>, start: number, end: number, depth: number): ArrayNode {
    const nodes = items.map((item) => this.node(item, end, depth + 1))
    return { kind: 'array', start, end: flow ? end : (nodes.at(-1)?.end ?? end), items: nodes }
  }

  /** A key's name. For `1`, `true` and other keys that are not strings, the source text. */
  #key(key: ParsedNode, parent: number): StringNode {
    const [start, end] = key.range ?? [parent, parent]
    if ('items' in key || !('value' in key))
      throw new ParseError(start, ['the key is not a string', 'Write it as a string.'])
    const text = typeof key.value === 'string' ? key.value : this.#text.slice(start, end)
    if (text === '' && start === end) throw new ParseError(start, ['a key is missing before the colon'])
    if (text === '<<' && end - start === 2) {
      throw new ParseError(start, [
        'a merge key ("<<")',
        'Not supported in translation files: write the texts themselves.',
      ])
    }
    return { kind: 'string', start, end, text }
  }

  #scalar({ value, range: [start, valueEnd], type }: Scalar.Parsed): JsonNode {
    if (typeof value !== 'string') {
      if (value === null) return { kind: 'null', start, end: valueEnd, json: 'null' }
      if (typeof value === 'boolean') return { kind: 'boolean', start, end: valueEnd, json: String(value) }
      const json = jsonOfNumber(this.#text.slice(start, valueEnd), Number(value))
      if (json === undefined) throw new ParseError(start, NOT_IN_JSON)
      return { kind: 'number', start, end: valueEnd, json }
    }
    // A block's value must end before its last line break, like every other value.
    const isBlock = type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED'
    const eol = isBlock ? (/\r?\n$/.exec(this.#text.slice(start, valueEnd))?.[0].length ?? 0) : 0
    return { kind: 'string', start, end: valueEnd - eol, text: value }
  }
}
