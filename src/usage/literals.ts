/** Finds strings in the code that may be keys, for calls whose key is unknown. */
import type { Node } from '@babel/types'
import { createPositions } from '../shared/text-position.ts'
import { literal, type StringValue } from './flow/strings.ts'
import type { Analysis } from './libraries/library.ts'
import type { LiteralText } from './model.ts'
import { isCall, isMember, memberName, placeOf, staticName, unwrap } from './syntax/tree.ts'

/** The maximum length of a key. */
const MAX_LENGTH = 1000

/** Functions and options that return all texts below a key. */
const BRANCH_NAMES = new Set(['returnObjects', 'tm', '$tm', '$json'])
/** Methods of a translation function that return all texts below a key. */
const BRANCH_METHODS = new Set(['raw', 'json'])

export interface LiteralFilter {
  /** False if the code certainly contains no string that the filter accepts. */
  mayHave(code: string): boolean
  accepts(text: string): boolean
}

export const ALL_LITERALS: LiteralFilter = { mayHave: () => true, accepts: () => true }

/** Returns a filter for strings that begin with a namespace and a separator. Any call may use such strings as keys. */
export function namespacedLiterals(namespaces: readonly string[]): LiteralFilter {
  const names = namespaces.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  if (names === '') return { mayHave: () => false, accepts: () => false }
  const inCode = new RegExp(`["'\`](?:${names})[^\\w\\s"'\`.-]`)
  const text = new RegExp(`^(?:${names})[^\\w\\s.-]`)
  return { mayHave: (code) => inCode.test(code), accepts: (given) => text.test(given) }
}

/** The strings in a module: literals, property names, and the fixed parts of composed strings. */
export function readLiterals(analysis: Analysis, filter: LiteralFilter): LiteralText[] {
  const found = new Map<string, LiteralText>()
  for (const node of analysis.module.nodes)
    for (const { text, isPattern } of textsOf(analysis, node)) {
      const id = `${isPattern} ${text}`
      if (text.length > MAX_LENGTH || !filter.accepts(text) || found.has(id)) continue
      // A string such as `${a}, ${b}` does not identify a key.
      if (isPattern && !/[\p{L}\p{N}]/u.test(text)) continue
      found.set(id, { text, isPattern, ...placeOf(node) })
    }
  return [...found.values()]
}

function textsOf({ module, strings }: Analysis, node: Node): readonly StringValue[] {
  const exact = (text: string | undefined) => (text === undefined ? [] : [literal(text)])
  switch (node.type) {
    case 'StringLiteral':
      return /^(?:Import|Export)\w*Declaration$/.test(module.parentOf(node)?.type ?? '') ? [] : exact(node.value)
    case 'JSXText':
      return exact(node.value.trim().replace(/\s*\n\s*/g, ' '))
    case 'ObjectProperty':
    case 'ObjectMethod':
      return exact(staticName(node.key, node.computed))
    case 'TemplateLiteral':
      return strings.of(node)
    case 'BinaryExpression': {
      const parent = module.parentOf(node)
      const isInner = parent?.type === 'BinaryExpression' && parent.operator === '+'
      return node.operator === '+' && !isInner ? strings.of(node) : []
    }
    default: {
      const callee = isCall(node) ? unwrap(node.callee) : undefined
      return isMember(callee) && /^(?:concat|join)$/.test(memberName(callee) ?? '') ? strings.of(node) : []
    }
  }
}

/** True if a call in the module may read all texts below a key. */
export function asksForBranches({ module, values }: Analysis): boolean {
  return module.nodes.some((node) => {
    if (node.type === 'Identifier') return BRANCH_NAMES.has(node.name)
    if (node.type === 'StringLiteral') return node.value === 'returnObjects'
    if (node.type === 'ImportSpecifier') return staticName(node.imported, false) === 'json'
    const name = isMember(node) ? memberName(node) : ''
    if (!isMember(node) || (name !== undefined && !BRANCH_METHODS.has(name))) return false
    const object = values.of(node.object)
    // In nested messages, `messages[key]` may be a branch.
    if (name === undefined) return object?.kind === 'messages'
    return object?.kind === 'function' || object?.kind === 'translator'
  })
}

/**
 * Finds strings in code without parsing it. Everything between two equal quotes counts as a string, so that none is
 * missed.
 */
export function scanLiterals(code: string): LiteralText[] {
  const texts = new Set([...quotedTexts(code)].map(([text]) => text))
  return [...texts].map((text) => ({ text, isPattern: false, line: 1, column: 1 }))
}

function* quotedTexts(code: string): Iterable<readonly [text: string, offset: number]> {
  for (const { index, 0: quote } of code.matchAll(/["'`]/g)) {
    let end = index + 1
    const last = Math.min(code.length, index + MAX_LENGTH)
    while (end < last && code[end] !== quote && (quote === '`' || code[end] !== '\n')) end += code[end] === '\\' ? 2 : 1
    const text = code.slice(index + 1, end)
    if (code[end] === quote && text !== '') yield [text.includes('\\') ? unescaped(text) : text, index + 1]
  }
}

const EXPRESSION = /\{\{((?:(?!\{\{|\}\})[\s\S]){0,1000})\}\}|\$\{([^{}]{0,1000})\}/g
/** Matches unquoted values after `=` or after `:` and a space, and text between tags. */
const BARE_TEXT = /(?:=[ \t]*|:[ \t]+)([^\s"'`=<>{}]+)|>([^<>{}]+)</g

/**
 * Finds strings in a file of any type that may be keys. Expressions become `*`. A string that ends in a separator also
 * gets a `*` at the end, because code may append the rest of the key.
 */
export function scanTexts(source: string): LiteralText[] {
  const code = source.replace(/&(?:quot|#34|#x22);/gi, '"').replace(/&(?:apos|#39|#x27);/gi, "'")
  const positionOf = createPositions(code)
  const found = new Map<string, LiteralText>()
  const add = (text: string, offset: number, isPattern = false) => {
    const id = `${isPattern} ${text}`
    if (text === '' || text.length > MAX_LENGTH || found.has(id) || (isPattern && !/[\p{L}\p{N}]/u.test(text))) return
    found.set(id, { text, isPattern, ...positionOf(offset) })
  }
  const addText = (text: string, offset: number) => {
    add(text, offset)
    const pattern = /[{$]\{/.test(text) ? text.replace(EXPRESSION, '*') : text
    const open = /[.:_/-]$/.test(pattern) ? `${pattern}*` : pattern
    if (open !== text) add(open, offset, true)
  }
  for (const [text, offset] of quotedTexts(code)) addText(text, offset)
  for (const { index, 1: value, 2: text = '' } of code.matchAll(BARE_TEXT))
    addText(value?.replace(/[,;)]{1,9}$/, '') ?? text.trim().replace(/\s+/g, ' '), index + 1)
  for (const { index, 1: braces, 2: content = braces ?? '' } of code.matchAll(EXPRESSION))
    for (const word of [content.trim(), ...content.split(/[\s"'`|(),;]+/)]) add(word, index + 2)
  return [...found.values()]
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0' }

function unescaped(text: string): string {
  return text.replace(
    /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|(\r\n|[\s\S]))/gi,
    (_, long, four, two, one) => {
      const digits: string | undefined = long ?? four ?? two
      if (digits === undefined) return /^[\r\n]/.test(one) ? '' : (ESCAPES[one] ?? one)
      const point = Number.parseInt(digits, 16)
      return point > 0x10ffff ? '' : String.fromCodePoint(point)
    },
  )
}
