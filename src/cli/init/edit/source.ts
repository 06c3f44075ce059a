/** Edits a source file by insertions, in the style and layout of the surrounding code. */
import type { ArrayExpression, File, Node, ObjectExpression, Statement } from '@babel/types'
import MagicString from 'magic-string'
import { childrenOf, parseOrExplain } from '../../../usage/syntax/tree.ts'

export interface Source {
  readonly text: string
  readonly ast: File
  readonly isEsm: boolean
  readonly quote: string
  /** Empty if the file has no semicolons. */
  readonly semicolon: string
  readonly lineEnd: string
  /** One level of indentation. */
  readonly indent: string
  /** Inserts code at an offset. The same insertion is made only once, because two configurations may share a list. */
  insert(at: number, code: string): void
}

/** Thrown if a file cannot be edited safely. `message` is the reason, `at` the offset. */
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
  if ('problem' in ast)
    throw new CannotEdit('it has a syntax error', text.split('\n', ast.place.line - 1).join('\n').length + 1)
  // The parser continues after an error.
  const { errors: [error] = [] } = ast as { readonly errors?: readonly { readonly pos?: number }[] }
  if (error) throw new CannotEdit('it has a syntax error', error.pos)
  const isModule = ast.program.body.some(({ type }) => /^(?:Import|Export)\w*Declaration$/.test(type))
  const isCommon = /\.c[jt]s$/.test(file) || /\brequire\(|\bmodule\.exports\b|\bexports\.\w/.test(text)
  const [, quote = "'"] = /(?:\bfrom|\bimport|\brequire\()\s*(['"])/.exec(text) ?? /(['"])/.exec(text) ?? []
  return {
    text,
    ast,
    isEsm: isModule || /\.m[jt]s$/.test(file) || !isCommon,
    quote,
    semicolon: /;[ \t]*\r?$/m.test(text) ? ';' : '',
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
    indent: /^([ \t]+)[^\s*/]/m.exec(text)?.[1] ?? '  ',
  }
}

/** The node and all nodes in it, without types. */
export function* nodesIn(node: Node): Generator<Node, void, undefined> {
  yield node
  for (const child of childrenOf(node)) yield* nodesIn(child)
}

/** Imports a default export. Returns its name, which is `preferred` if that is free. */
export function addImport(source: Source, preferred: string, from: string): string {
  const name = [preferred, `${preferred}Plugin`].find((one) => !usesName(source, one)) ?? 'unpluginLocalization'
  addImportOf(source, name, from)
  return name
}

export function usesName({ ast }: Source, name: string): boolean {
  return [...nodesIn(ast.program)].some((node) => node.type === 'Identifier' && node.name === name)
}

/** Adds an import after the others. */
export function addImportOf(source: Source, names: string, from: string) {
  const { text, ast, isEsm, quote, semicolon, lineEnd, insert } = source
  const { body } = ast.program
  const path = `${quote}${from}${quote}`
  const line = (isEsm ? `import ${names} from ${path}` : `const ${names} = require(${path})`) + semicolon
  const isImport = (statement: Statement) =>
    isEsm ? statement.type === 'ImportDeclaration' : REQUIRE.test(text.slice(startOf(statement), endOf(statement)))
  const last = body.findLast(isImport)
  const start = startOfCode(source)
  const gap = body.length > 0 && !/^\r?\n/.test(text.slice(start)) ? lineEnd : ''
  if (last) insert(endOf(last), lineEnd + line)
  else insert(start, `${line}${lineEnd}${gap}`)
}

const REQUIRE = /^(?:const|let|var)\s[^=]+=\s*require\(/

/** The offset after a shebang, directives and comments. A doc comment stays with its statement. */
function startOfCode({ text, ast }: Source): number {
  const [first] = ast.program.body
  const directive = ast.program.directives.at(-1)
  if (directive) return text.indexOf('\n', directive.end as number) + 1 || text.length
  if (!first) return text.length
  const comment = first.leadingComments?.at(-1)
  const isDoc = comment?.type === 'CommentBlock' && comment.value.startsWith('*')
  return isDoc ? (comment.start as number) : startOf(first)
}

/** The indentation of a line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

/** Matches everything up to the comma after an item. */
const COMMA = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*[\r\n])*,/

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
    const comma = COMMA.exec(text.slice(endOf(last), closing))?.[0]
    const behind = endOf(last) + (comma?.length ?? 0)
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
