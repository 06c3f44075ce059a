#!/usr/bin/env node
/**
 * Prints every text of `src` that a user can read, with its file and line: errors, warnings, hints, command output, help
 * and the inspector's pages. Placeholders are shown as `{name}`, and joined strings as one.
 *
 *   node scripts/messages.mjs [PATH...]    only files below these paths, such as `src/config`
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const ROOT = path.join(import.meta.dirname, '..')
/** Files with declarations or lists of names. */
const DATA = /\.d\.ts$|\/generated\/|language-names|language-tag/
/** Functions and constructors whose strings are messages, even single words. */
const CALLEES =
  /(?:Error|Diagnostic|YamlError|Refusal)$|^(?:log|info|warn|error|debug|say|write|print|notice|fail|refused|invalid|warnOnce|description|summary|describe|option|argument|addHelpText|problem|unexpected|broken|badRequest|startError|CannotEdit)$/
const PROPERTIES =
  /^(?:message|hint|title|text|label|reason|problem|problems|found|intro|detail|help|confirm|placeholder)$/
const ATTRIBUTES = /^(?:label|title|text|what|intro|placeholder|about|gap|message|aria-label|aria-description|alt)$/
/** Two words, the way sentences have them. */
const PROSE = /[\p{L}\d"'“”),:;]\s+[\p{L}"'`{(]/u
/** Parts of generated code, CSS, SQL, selectors and headers. */
const CODE =
  /=>|[;{]\s*$|^\s*(?:[.#][\w-]|[[<*/])|\b(?:function|const|var|return|import|export|typeof|SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|BEGIN|ALTER|PRAGMA|TABLE)\b.*[=(;*]|^(?:[\w-]+: ?[\w-]+;?\s*)+$|[\w-]+\/[\w.+-]+; ?\w+=|^[\w-]+(?: [\w-]+)*$(?<!\p{L}{3,} \p{L}{2,}.*)/u

if (process.argv[1] === import.meta.filename) {
  const wanted = process.argv.slice(2).map((each) => each.replace(/\/$/, ''))
  const isWanted = (file) => wanted.length === 0 || wanted.some((each) => file === each || file.startsWith(`${each}/`))
  for (const file of sourceFiles('src').filter(isWanted)) {
    const source = parse(file, readFileSync(path.join(ROOT, file), 'utf8'))
    for (const { line, message } of messagesIn(source)) console.log(`${file}:${line} ${message}`)
  }
}

/** The TypeScript files below a folder, without declarations and data. */
export function sourceFiles(folder) {
  return readdirSync(path.join(ROOT, folder), { recursive: true })
    .map((file) => `${folder}/${String(file).replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !DATA.test(file))
    .sort()
}

export function parse(file, text) {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
}

export function* messagesIn(source) {
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  const visit = function* (node) {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    const message = textOf(node, source)
    if (message === undefined) {
      const children = []
      ts.forEachChild(node, (child) => void children.push(child))
      for (const child of children) yield* visit(child)
      return
    }
    const line = message
      .replace(/\s+/g, ' ')
      .replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`)
      .trim()
    if (isMessage(node, line)) yield { line: lineOf(node), message: line }
    yield* nested(node, visit)
  }
  yield* visit(source)
}

/** Strings within the placeholders of a template are messages too. */
function* nested(node, visit) {
  if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) yield* visit(span.expression)
  if (ts.isBinaryExpression(node)) for (const side of [node.left, node.right]) yield* nested(side, visit)
}

/** The text of a string, a template, strings joined with `+`, or JSX text. */
function textOf(node, source) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) return node.text
  if (ts.isTemplateExpression(node))
    return (
      node.head.text +
      node.templateSpans.map((span) => `{${nameOf(span.expression, source)}}${span.literal.text}`).join('')
    )
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const sides = [node.left, node.right].map((side) => textOf(side, source))
    if (sides.every((side) => side !== undefined)) return sides.join('')
  }
  return undefined
}

function nameOf(expression, source) {
  const text = expression.getText(source)
  return /^[\w.]{1,30}$/.test(text) ? text.split('.').at(-1) : '…'
}

function isMessage(node, text) {
  if (!/\p{L}{2,}/u.test(text.replace(/\{[^}]*\}/g, ''))) return false
  if (ts.isJsxText(node)) return true
  const { parent } = outermost(node)
  // A list of words in one string.
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === 'split') return false
  if (ts.isJsxAttribute(parent)) return ATTRIBUTES.test(parent.name.text ?? parent.name.getText())
  if (
    ts.isPropertyAssignment(parent) &&
    parent.initializer === outermost(node) &&
    PROPERTIES.test(parent.name.getText())
  )
    return !CODE.test(text)
  if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && CALLEES.test(calleeOf(parent)))
    return /\s/.test(text) && !/^\w+$/.test(text)
  return PROSE.test(text) && !CODE.test(text)
}

/** The expression that a string is part of: parentheses and conditions around it are skipped. */
function outermost(node) {
  let current = node
  while (
    ts.isParenthesizedExpression(current.parent) ||
    (ts.isConditionalExpression(current.parent) && current.parent.condition !== current) ||
    (ts.isJsxExpression(current.parent) && ts.isJsxAttribute(current.parent.parent))
  )
    current = current.parent
  return current
}

function calleeOf({ expression }) {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
}
