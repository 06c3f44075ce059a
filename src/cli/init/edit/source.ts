/** A source file that is edited by insertions, in the style and layout of the surrounding code. */
import type { ArrayExpression, File, Node, ObjectExpression, Statement } from '@babel/types'
import { childrenOf, parseOrExplain } from '../../../usage/syntax/tree.ts'

export interface Insertion {
  /** An offset in the text. */
  readonly at: number
  readonly text: string
}

export interface Source {
  readonly text: string
  readonly ast: File
  readonly isEsm: boolean
  readonly quote: "'" | '"'
  readonly semicolon: ';' | ''
  readonly lineEnd: '\n' | '\r\n'
  /** One level of indentation. */
  readonly indent: string
}

/** The reason why a file is not changed. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit'
  constructor(
    reason: string,
    readonly at?: number | null,
  ) {
    super(reason)
  }
}

/** Parses a text. Throws CannotEdit if it is not valid code. */
export function parse(text: string, file: string): Source {
  const ast = parseOrExplain(text, file, true)
  const startOfLine = (line: number) => text.split('\n', line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  if ('problem' in ast) throw new CannotEdit('it has a syntax error', startOfLine(ast.place.line))
  // The parser continues after an error.
  const { errors: [error] = [] } = ast as { readonly errors?: readonly { readonly pos?: number }[] }
  if (error) throw new CannotEdit('it has a syntax error', error.pos)
  const { body } = ast.program
  const places = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*(['"])/g)].map(([, quote]) => quote)
  const quotes = places.length > 0 ? places : [...text.matchAll(/['"]/g)].map(([quote]) => quote)
  const doubles = quotes.filter((quote) => quote === '"').length
  const lines = body.filter(({ type }) => !/Function|Class|Block|If|TS/.test(type))
  const isModule = body.some(({ type }) => /^(?:Import|Export)\w*Declaration$/.test(type))
  const isCommon = /\.c[jt]s$/.test(file) || /\brequire\(|\bmodule\.exports\b|\bexports\.\w/.test(text)
  return {
    text,
    ast,
    isEsm: isModule || /\.m[jt]s$/.test(file) || !isCommon,
    quote: doubles * 2 > quotes.length ? '"' : "'",
    semicolon: lines.some((node) => text[endOf(node) - 1] === ';') ? ';' : '',
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
    indent: /^([ \t]+)[^\s*/]/m.exec(text)?.[1] ?? '  ',
  }
}

export const startOf = (node: Node): number => node.start as number
export const endOf = (node: Node): number => node.end as number

/** The text without the change. A text that already has the change is returned unchanged. */
export type Edited =
  | { readonly text: string; readonly reason?: undefined }
  | { readonly text?: undefined; readonly reason: string; readonly line: number | undefined }

/** Runs an edit. A byte order mark is kept, and insertions at the same offset keep their order. */
export function edit(given: string, file: string, change: (source: Source) => readonly Insertion[]): Edited {
  const mark = given.startsWith('\ufeff') ? '\ufeff' : ''
  const text = given.slice(mark.length)
  try {
    let result = mark
    let from = 0
    for (const { at, text: added } of change(parse(text, file)).toSorted((a, b) => a.at - b.at)) {
      result += text.slice(from, at) + added
      from = at
    }
    return { text: result + text.slice(from) }
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
    const line = error.at == null ? undefined : text.slice(0, error.at).split('\n').length
    return { reason: error.message, line }
  }
}

/** All nodes below a node, without types. */
export function* nodesIn(node: Node): Generator<Node, void, undefined> {
  yield node
  for (const child of childrenOf(node)) yield* nodesIn(child)
}

/**
 * Imports the default export of a module after the last import, with the preferred name or a free one. Throws
 * CannotEdit.
 */
export function addImport(source: Source, preferred: string, from: string): { name: string; insertion: Insertion } {
  const { ast, isEsm, quote, semicolon, lineEnd } = source
  const { body } = ast.program
  if (body.some(({ type }) => type === 'TSExportAssignment' || type === 'TSImportEqualsDeclaration'))
    throw new CannotEdit('it uses TypeScript\'s "import = require()"')
  const taken = new Set([...nodesIn(ast.program)].map((node) => (node.type === 'Identifier' ? node.name : '')))
  const name = [preferred, `${preferred}Plugin`].find((one) => !taken.has(one)) ?? 'unpluginLocalization'
  const line = isEsm
    ? `import ${name} from ${quote}${from}${quote}${semicolon}`
    : `const ${name} = require(${quote}${from}${quote})${semicolon}`
  const last = body.findLast(isEsm ? ({ type }) => type === 'ImportDeclaration' : isRequire)
  if (last) return { name, insertion: { at: endOf(last), text: lineEnd + line } }
  const at = startOfCode(source)
  const gap = body.length > 0 && !/^\r?\n/.test(source.text.slice(at)) ? lineEnd : ''
  return { name, insertion: { at, text: `${line}${lineEnd}${gap}` } }
}

/** True for `const x = require('y')`, including those with a pattern or a member. */
function isRequire(statement: Statement): boolean {
  if (statement.type !== 'VariableDeclaration') return false
  return statement.declarations.some(({ init }) => {
    let node: Node | null | undefined = init
    while (node?.type === 'MemberExpression') node = node.object
    return node?.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require'
  })
}

/** The offset after a shebang, directives and comments, but before the comment that documents the first statement. */
function startOfCode({ text, ast }: Source): number {
  const [first] = ast.program.body
  const directive = ast.program.directives.at(-1)
  if (directive) return text.indexOf('\n', directive.end as number) + 1 || text.length
  if (!first) return text.length
  const comment = first.leadingComments?.at(-1)
  const isDoc = comment?.type === 'CommentBlock' && comment.value.startsWith('*')
  const gap = text.slice(comment?.end ?? 0, startOf(first))
  return isDoc && gap.split('\n').length <= 2 ? (comment.start as number) : startOf(first)
}

/** The whitespace at the start of the line of this offset. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

/** Adds an item to a list or an object, in the layout of its neighbors. */
export function addItem(source: Source, list: ArrayExpression | ObjectExpression, code: string, isFirst = false) {
  const { text, lineEnd, indent } = source
  const items = list.type === 'ArrayExpression' ? list.elements.flatMap((item) => item ?? []) : list.properties
  const [first, last] = [items[0], items.at(-1)]
  const start = startOf(list) + 1
  const closing = endOf(list) - 1
  if (!first || !last) {
    const inside = text.slice(start, closing)
    if (list.type === 'ArrayExpression') return [{ at: start, text: inside.trim() === '' ? code : `${code},` }]
    const base = indentAt(text, start)
    const behind = inside.includes('\n') ? '' : lineEnd + base
    return [{ at: start, text: `${lineEnd}${base}${indent}${code},${behind}` }]
  }
  if (isFirst) {
    const isOnOwnLine = text.slice(start, startOf(first)).includes('\n')
    return [{ at: startOf(first), text: `${code},${isOnOwnLine ? lineEnd + indentAt(text, startOf(first)) : ' '}` }]
  }
  const end = endOf(last)
  const comma = commaBehind(source, end, closing)
  const behind = comma === undefined ? end : comma + 1
  const lineFeed = text.indexOf('\n', behind)
  const endOfLine = lineFeed < 0 ? text.length : lineFeed - (text[lineFeed - 1] === '\r' ? 1 : 0)
  // The bracket is on the line of the last item.
  if (endOfLine >= closing) return [{ at: behind, text: `${comma === undefined ? ',' : ''} ${code}` }]
  const line = `${lineEnd}${indentAt(text, startOf(last))}${code}`
  if (comma !== undefined) return [{ at: endOfLine, text: `${line},` }]
  return [
    { at: end, text: ',' },
    { at: endOfLine, text: line },
  ]
}

/** The offset of the comma after an item. A comma in a comment does not count. */
function commaBehind({ text, ast }: Source, from: number, to: number): number | undefined {
  for (let at = from; at < to; at++) {
    const comment = ast.comments?.find(({ start = 0, end = 0 }) => (start ?? 0) <= at && at < (end ?? 0))
    if (comment) at = (comment.end as number) - 1
    else if (text[at] === ',') return at
  }
  return undefined
}
