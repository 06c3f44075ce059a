/** Edits a source file by insertions, in the style and layout of the surrounding code. */
import type { ArrayExpression, File, Node, ObjectExpression, Statement } from '@babel/types'
import MagicString from 'magic-string'
import { childrenOf, parseOrExplain } from '../../../usage/syntax/tree.ts'

export interface Source {
  readonly text: string
  readonly ast: File
  readonly isEsm: boolean
  readonly quote: "'" | '"'
  readonly semicolon: ';' | ''
  readonly lineEnd: '\n' | '\r\n'
  /** One level of indentation. */
  readonly indent: string
  /** Inserts code at an offset. Two configurations may share a list: the same insertion is made once. */
  insert(at: number, code: string): void
}

/** Thrown if a file cannot be edited safely. The message is the reason, and `at` its offset. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit'
  constructor(
    reason: string,
    readonly at?: number | null,
  ) {
    super(reason)
  }
}

export const startOf = (node: Node): number => node.start as number
export const endOf = (node: Node): number => node.end as number

/** The edited text, or the reason why the file cannot be edited. */
export type Edited =
  | { readonly text: string; readonly reason?: undefined }
  | { readonly text?: undefined; readonly reason: string; readonly line: number | undefined }

/** Keeps a byte order mark. If `change` throws CannotEdit, nothing is edited. */
export function edit(given: string, file: string, change: (source: Source) => void): Edited {
  const mark = given.startsWith('\ufeff') ? '\ufeff' : ''
  const text = given.slice(mark.length)
  const edited = new MagicString(text)
  const made = new Set<string>()
  const insert = (at: number, code: string) => {
    const id = `${at} ${code}`
    if (!made.has(id)) edited.appendLeft(at, code)
    made.add(id)
  }
  try {
    change({ ...parse(text, file), insert })
    return { text: mark + edited.toString() }
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
    const line = error.at == null ? undefined : text.slice(0, error.at).split('\n').length
    return { reason: error.message, line }
  }
}

function parse(text: string, file: string): Omit<Source, 'insert'> {
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

/** The node and all nodes in it, without types. */
export function* nodesIn(node: Node): Generator<Node, void, undefined> {
  yield node
  for (const child of childrenOf(node)) yield* nodesIn(child)
}

/** Imports a default export after the other imports. Returns its name, which is `preferred` if that is free. */
export function addImport(source: Source, preferred: string, from: string): string {
  const { text, ast, isEsm, quote, semicolon, lineEnd, insert } = source
  const { body } = ast.program
  if (body.some(({ type }) => type === 'TSExportAssignment' || type === 'TSImportEqualsDeclaration'))
    throw new CannotEdit('it uses TypeScript\'s "import = require()"')
  const taken = new Set([...nodesIn(ast.program)].map((node) => (node.type === 'Identifier' ? node.name : '')))
  const name = [preferred, `${preferred}Plugin`].find((one) => !taken.has(one)) ?? 'unpluginLocalization'
  const line = isEsm
    ? `import ${name} from ${quote}${from}${quote}${semicolon}`
    : `const ${name} = require(${quote}${from}${quote})${semicolon}`
  const last = body.findLast(isEsm ? ({ type }) => type === 'ImportDeclaration' : isRequire)
  const start = startOfCode(source)
  const gap = body.length > 0 && !/^\r?\n/.test(text.slice(start)) ? lineEnd : ''
  if (last) insert(endOf(last), lineEnd + line)
  else insert(start, `${line}${lineEnd}${gap}`)
  return name
}

/** True for `const x = require('y')`, `const { x } = require('y')` and `const x = require('y').x`. */
function isRequire(statement: Statement): boolean {
  if (statement.type !== 'VariableDeclaration') return false
  return statement.declarations.some(({ init }) => {
    let node: Node | null | undefined = init
    while (node?.type === 'MemberExpression') node = node.object
    return node?.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require'
  })
}

/** The offset after a shebang, directives and comments. A doc comment stays with its statement. */
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

/** The indentation of a line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

/** Adds an item to a list or an object, in the layout of its neighbors. */
export function addItem(source: Source, list: ArrayExpression | ObjectExpression, code: string, isFirst = false) {
  const { text, lineEnd, insert } = source
  const items = list.type === 'ArrayExpression' ? list.elements.flatMap((item) => item ?? []) : list.properties
  const [first, last] = [items[0], items.at(-1)]
  const start = startOf(list) + 1
  const closing = endOf(list) - 1
  if (!first || !last) insert(start, onlyItem(source, list, code))
  else if (isFirst) {
    const isOnOwnLine = text.slice(start, startOf(first)).includes('\n')
    insert(startOf(first), `${code},${isOnOwnLine ? lineEnd + indentAt(text, startOf(first)) : ' '}`)
  } else {
    const comma = commaBehind(source, endOf(last), closing)
    const behind = comma === undefined ? endOf(last) : comma + 1
    const lineFeed = text.indexOf('\n', behind)
    const endOfLine = lineFeed < 0 ? text.length : lineFeed - (text[lineFeed - 1] === '\r' ? 1 : 0)
    if (comma === undefined) insert(behind, ',')
    // The bracket is on the line of the last item.
    if (endOfLine >= closing) insert(behind, ` ${code}`)
    else insert(endOfLine, `${lineEnd}${indentAt(text, startOf(last))}${code}${comma === undefined ? '' : ','}`)
  }
}

/** The content of an empty list or object with one item. */
function onlyItem({ text, lineEnd, indent }: Source, list: ArrayExpression | ObjectExpression, code: string): string {
  const inside = text.slice(startOf(list) + 1, endOf(list) - 1)
  if (list.type === 'ArrayExpression') return inside.trim() === '' ? code : `${code},`
  const base = indentAt(text, startOf(list))
  return `${lineEnd}${base}${indent}${code},${inside.includes('\n') ? '' : lineEnd + base}`
}

/** The offset of the comma after an item, ignoring comments. */
function commaBehind({ text, ast }: Source, from: number, to: number): number | undefined {
  for (let at = from; at < to; at++) {
    const comment = ast.comments?.find(({ start = 0, end = 0 }) => (start ?? 0) <= at && at < (end ?? 0))
    if (comment) at = (comment.end as number) - 1
    else if (text[at] === ',') return at
  }
  return undefined
}
