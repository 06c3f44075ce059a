/** No message shows `[object Object]`: only strings, numbers, booleans and lists of them become a part of a text. */
import { relative } from 'node:path'
import type TypeScript from 'typescript'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { ts } from '../helpers/typescript.ts'

/** Their texts are meant for readers, or for the program that the text is for. */
const OWN_TEXT = new Set(['URL', 'URLSearchParams', 'Buffer', 'NonSharedBuffer'])

const { fileNames, options } = ts.parseJsonConfigFileContent(
  { extends: './tsconfig.json', include: ['src'], exclude: ['src/inspector/page'] },
  ts.sys,
  repository,
)

test('the type of every part of a text has a text', () => {
  const program = ts.createProgram(fileNames, options)
  const checker = program.getTypeChecker()
  const hasText = (type: TypeScript.Type): boolean => {
    const { Primitive, Never, Instantiable } = PARTS
    if (type.isUnion()) return type.types.every(hasText)
    if (type.isIntersection()) return type.types.some(hasText)
    if (type.flags & (Primitive | Never)) return true
    if (type.flags & Instantiable) return hasText(checker.getBaseConstraintOfType(type) ?? checker.getUnknownType())
    const element = checker.isArrayLikeType(type) && type.getNumberIndexType()
    return element ? hasText(element) : OWN_TEXT.has((type.aliasSymbol ?? type.symbol)?.name ?? '')
  }
  const wrong: string[] = []
  let parts = 0
  const visit = (node: TypeScript.Node): void => {
    for (const part of partsOfText(node, checker)) {
      parts++
      if (hasText(checker.getTypeAtLocation(part))) continue
      const source = part.getSourceFile()
      const { line } = source.getLineAndCharacterOfPosition(part.getStart())
      wrong.push(`${relative(repository, source.fileName)}:${line + 1} ${part.getText()}`)
    }
    ts.forEachChild(node, visit)
  }
  for (const name of fileNames) {
    const source = program.getSourceFile(name)
    if (source && !source.isDeclarationFile) visit(source)
  }
  expect(wrong).toEqual([])
  expect(parts).toBeGreaterThan(3000)
}, 300_000)

const PARTS = {
  Primitive:
    ts.TypeFlags.StringLike |
    ts.TypeFlags.NumberLike |
    ts.TypeFlags.BooleanLike |
    ts.TypeFlags.BigIntLike |
    ts.TypeFlags.ESSymbolLike |
    ts.TypeFlags.Undefined |
    ts.TypeFlags.Null,
  Never: ts.TypeFlags.Never,
  Instantiable: ts.TypeFlags.Instantiable,
}

/** What JavaScript turns into a string: in templates, by `+`, `String` and `join`. */
function partsOfText(node: TypeScript.Node, checker: TypeScript.TypeChecker): readonly TypeScript.Node[] {
  if (ts.isTemplateExpression(node) && !ts.isTaggedTemplateExpression(node.parent))
    return node.templateSpans.map(({ expression }) => expression)
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const isText = checker.getTypeAtLocation(node).flags & ts.TypeFlags.StringLike
    return isText ? [node.left, node.right] : []
  }
  if (!ts.isCallExpression(node)) return []
  if (ts.isIdentifier(node.expression) && node.expression.text === 'String') return node.arguments.slice(0, 1)
  const isJoin = ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'join'
  const list = isJoin ? (node.expression as TypeScript.PropertyAccessExpression).expression : undefined
  return list && checker.isArrayLikeType(checker.getTypeAtLocation(list)) ? [list] : []
}
