/** Insertions into a source text: an import, and an item of an array or an object, in the layout of its neighbors. */
import type { ArrayExpression, Node, ObjectExpression, Statement } from '@babel/types'
import { childrenOf } from '../../../usage/syntax/tree.ts'
import { CannotEdit, endOf, type Insertion, indentAt, type Source, startOf } from './source.ts'

export interface Import {
  /** The preferred name of a default import; another one is used if the file has this name. */
  readonly name: string
  readonly from: string
}

export interface AddedImport {
  readonly insertions: Insertion[]
  readonly name: string
}

/** Errors: CannotEdit. */
export function addImport(source: Source, file: string, { name: preferred, from }: Import): AddedImport {
  const { ast, style } = source
  const { body } = ast.program
  if (body.some(({ type }) => type === 'TSExportAssignment' || type === 'TSImportEqualsDeclaration'))
    throw new CannotEdit('it uses TypeScript\'s "import = require()"')
  const name = freeName(ast.program, preferred)
  const quoted = `${style.quote}${from}${style.quote}`
  const isModule = isEsm(source, file)
  const line = isModule
    ? `import ${name} from ${quoted}${style.semicolon}`
    : `const ${name} = require(${quoted})${style.semicolon}`
  const last = body.findLast(isModule ? ({ type }) => type === 'ImportDeclaration' : isRequire)
  if (last) return { name, insertions: [{ at: endOf(last), text: `${style.lineEnd}${line}` }] }
  const at = startOfCode(source)
  const gap = body.length > 0 ? style.lineEnd : ''
  return { name, insertions: [{ at, text: `${line}${style.lineEnd}${gap}` }] }
}

export function isEsm({ ast, text }: Source, file: string): boolean {
  if (ast.program.body.some(({ type }) => /^(?:Import|Export)\w*Declaration$/.test(type))) return true
  if (/\.c[jt]s$/.test(file)) return false
  return /\.m[jt]s$/.test(file) || !/\brequire\(|\bmodule\.exports\b|\bexports\.\w/.test(text)
}

export function endOfLastImport({ ast }: Source): number | undefined {
  const last = ast.program.body.findLast(({ type }) => type === 'ImportDeclaration')
  return last && endOf(last)
}

/** `const x = require('y')`, also with a pattern or a member. */
function isRequire(statement: Statement): boolean {
  if (statement.type !== 'VariableDeclaration') return false
  const names = statement.declarations.map(({ init }) => {
    let node: Node | null | undefined = init
    while (node?.type === 'MemberExpression') node = node.object
    return node?.type === 'CallExpression' && node.callee.type === 'Identifier' ? node.callee.name : undefined
  })
  return names.includes('require')
}

function freeName(program: Node, preferred: string): string {
  const taken = new Set<string>()
  const pending = [program]
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'Identifier') taken.add(node.name)
    pending.push(...childrenOf(node))
  }
  return [preferred, `${preferred}Plugin`, 'unpluginLocalization'].find((name) => !taken.has(name)) ?? preferred
}

/** Behind a shebang, directives and comments; before the comment that documents the first statement. */
function startOfCode({ text, ast }: Source): number {
  const [first] = ast.program.body
  const directive = ast.program.directives.at(-1)
  if (directive) return nextLine(text, endOf(directive as Node))
  if (!first) return text.length
  const comment = first.leadingComments?.at(-1)
  const start = startOf(first)
  if (comment?.type !== 'CommentBlock' || !comment.value.startsWith('*')) return start
  const between = text.slice(comment.end as number, start)
  return between.split('\n').length <= 2 ? (comment.start as number) : start
}

function nextLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at + 1
}

export type List = ArrayExpression | ObjectExpression

const itemsOf = (list: List): Node[] =>
  list.type === 'ArrayExpression' ? list.elements.flatMap((item) => item ?? []) : [...list.properties]

/** `code` may have several lines, each indented as for an item at the start of a line. */
export function appendItem({ text, style, ast }: Source, list: List, code: string): Insertion[] {
  const last = itemsOf(list).at(-1)
  if (!last) return fillEmpty({ text, style }, list, code)
  const end = endOf(last)
  const closing = endOf(list) - 1
  const comma = commaBehind(text, end, closing, ast.comments ?? [])
  const behind = comma === undefined ? end : comma + 1
  const lineEnd = endOfLine(text, behind)
  if (lineEnd >= closing) {
    // The bracket is on the line of the last item.
    const space = comma === undefined ? ', ' : ' '
    return [{ at: behind, text: `${space}${oneLine(code)}` }]
  }
  const line = `${style.lineEnd}${indentLines(code, indentAt(text, startOf(last)), style.lineEnd)}`
  if (comma !== undefined) return [{ at: lineEnd, text: `${line},` }]
  return [
    { at: end, text: ',' },
    { at: lineEnd, text: line },
  ]
}

export function prependItem({ text, style }: Source, list: List, code: string): Insertion[] {
  const [first] = itemsOf(list)
  if (!first) return fillEmpty({ text, style }, list, code)
  const isOnOwnLine = text.slice(startOf(list), startOf(first)).includes('\n')
  const space = isOnOwnLine ? `${style.lineEnd}${indentAt(text, startOf(first))}` : ' '
  return [{ at: startOf(first), text: `${oneLine(code)},${space}` }]
}

function fillEmpty({ text, style }: Pick<Source, 'text' | 'style'>, list: List, code: string): Insertion[] {
  const at = startOf(list) + 1
  const inside = text.slice(at, endOf(list) - 1)
  if (list.type === 'ArrayExpression') return [{ at, text: inside.trim() === '' ? code : `${code},` }]
  const base = indentAt(text, startOf(list))
  const item = `${style.lineEnd}${indentLines(code, base + style.indent, style.lineEnd)}`
  return [{ at, text: `${item}${style.trailingComma}${inside.includes('\n') ? '' : `${style.lineEnd}${base}`}` }]
}

interface Comment {
  readonly start?: number | null
  readonly end?: number | null
}

/** The place of the comma behind an item; one in a comment does not count. */
function commaBehind(text: string, from: number, to: number, comments: readonly Comment[]): number | undefined {
  for (let at = from; at < to; at++) {
    const comment = comments.find(({ start, end }) => (start as number) <= at && at < (end as number))
    if (comment) at = (comment.end as number) - 1
    else if (text[at] === ',') return at
  }
  return undefined
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  if (at < 0) return text.length
  return text[at - 1] === '\r' ? at - 1 : at
}

const indentLines = (code: string, indent: string, lineEnd: string) =>
  code
    .split('\n')
    .map((line) => indent + line)
    .join(lineEnd)

const oneLine = (code: string) => code.replace(/\s*\n\s*/g, ' ').replace(/,(?= [}\]])/g, '')
