// Takes zod out of the declarations in a folder: the package holds a copy of zod's code, and installs no types of it.
// Types made from schemas are spelled out, and the schemas themselves become `Schema` (src/api/schemas.ts).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const { NodeNext } = ts.ModuleKind
const printer = ts.createPrinter()
const { NoTruncation, InTypeAlias, MultilineObjectLiterals, UseSingleQuotesForStringLiteralType } = ts.NodeBuilderFlags
const FLAGS = NoTruncation | InTypeAlias | MultilineObjectLiterals | UseSingleQuotesForStringLiteralType

export function withoutZod(folder) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
    .filter((file) => readFileSync(file, 'utf8').includes("'zod'"))
  const program = ts.createProgram(files, { module: NodeNext, strict: true, types: [] })
  for (const file of files) writeFileSync(file, plainText(program, file))
}

function plainText(program, file) {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const print = (type) =>
    printer.printNode(ts.EmitHint.Unspecified, checker.typeToTypeNode(type, source, FLAGS), source)
  const outputOf = (schema) => checker.getTypeOfSymbol(checker.getPropertyOfType(schema, '_output'))
  const names = new Map()
  const edits = []
  const replace = (node, text) => edits.push({ start: node.getStart(source), end: node.getEnd(), text })
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) && statement.moduleSpecifier.text === 'zod') replace(statement, '')
    if (!ts.isTypeAliasDeclaration(statement)) continue
    const inferred = /^z\.infer<typeof (\w+)>$/.exec(statement.type.getText(source))
    if (!inferred) continue
    names.set(inferred[1], statement.name.text)
    replace(statement.type, print(checker.getTypeAtLocation(statement.name)))
  }
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.type?.getText(source).startsWith('z.')) {
      const output = names.get(node.name.text) ?? print(outputOf(checker.getTypeAtLocation(node)))
      replace(node.type, `Schema<${output}>`)
    } else if (ts.isTypeReferenceNode(node) && node.typeName.getText(source) === 'z.ZodType') {
      replace(node.typeName, 'Schema')
    } else ts.forEachChild(node, visit)
  }
  for (const statement of source.statements) if (!ts.isTypeAliasDeclaration(statement)) visit(statement)
  let text = source.text
  for (const { start, end, text: fresh } of edits.sort((a, b) => b.start - a.start))
    text = text.slice(0, start) + fresh + text.slice(end)
  const left = /^.*\b(?:z\.|zod\b).*$/m.exec(text.replace(/\/\*[\s\S]*?\*\//g, ''))
  if (left) throw new Error(`${file} names zod: ${left[0].trim()}`)
  return text
}
