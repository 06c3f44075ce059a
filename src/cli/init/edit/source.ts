/** A source file that is edited by insertions: its text, its syntax tree, and the style of new code. */
import type { File, Node } from '@babel/types'
import { parseSource } from '../../../usage/syntax/tree.ts'

export interface Insertion {
  /** An offset in the text. */
  readonly at: number
  readonly text: string
}

interface Style {
  readonly quote: "'" | '"'
  readonly semicolon: ';' | ''
  readonly lineEnd: '\n' | '\r\n'
  /** One level. */
  readonly indent: string
  /** Behind the only member of an object. */
  readonly trailingComma: ',' | ''
}

export interface Source {
  readonly text: string
  readonly ast: File
  readonly style: Style
}

/** The reason why a file stays unchanged. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit'
  readonly at: number | undefined
  constructor(reason: string, node?: Node | null) {
    super(reason)
    this.at = node?.start ?? undefined
  }
}

/** Errors: CannotEdit for text that is not valid code. */
export function parse(text: string, file: string): Source {
  const ast = parseSource(text, file)
  // The parser goes on after an error.
  const { errors = [] } = (ast ?? {}) as { readonly errors?: readonly unknown[] }
  if (!ast || errors.length > 0) throw new CannotEdit('it has a syntax error')
  return { text, ast, style: styleOf(text, ast) }
}

function styleOf(text: string, { program }: File): Style {
  const places = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*(['"])/g)].map(([, quote]) => quote)
  const quotes = places.length > 0 ? places : [...text.matchAll(/['"]/g)].map(([quote]) => quote)
  const doubles = quotes.filter((quote) => quote === '"').length
  const last = program.body.filter(({ type }) => !/Function|Class|Block|If|TS/.test(type))
  const [, indent = '  '] = /^([ \t]+)[^\s*/]/m.exec(text) ?? []
  return {
    quote: doubles * 2 > quotes.length ? '"' : "'",
    semicolon: last.some(({ end }) => text[(end as number) - 1] === ';') ? ';' : '',
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
    indent,
    trailingComma: ',',
  }
}

/** Insertions at the same offset keep their order. */
export function insert(text: string, insertions: readonly Insertion[]): string {
  let result = ''
  let from = 0
  for (const { at, text: added } of insertions.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(from, at) + added
    from = at
  }
  return result + text.slice(from)
}

export const startOf = (node: Node): number => node.start as number
export const endOf = (node: Node): number => node.end as number

/** The whitespace at the start of the line of this offset. */
export function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

/** The text without the change's effect: unchanged where it has the change already. */
export type Edited =
  | { readonly text: string; readonly reason?: undefined }
  | { readonly text?: undefined; readonly reason: string; readonly line: number | undefined }

const MARK = '\ufeff'

/** Runs an edit without the byte order mark, which stays. */
export function edit(given: string, change: (text: string) => string): Edited {
  const mark = given.startsWith(MARK) ? MARK : ''
  const text = given.slice(mark.length)
  try {
    return { text: mark + change(text) }
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
    const line = error.at === undefined ? undefined : text.slice(0, error.at).split('\n').length
    return { reason: error.message, line }
  }
}
