/**
 * The public interface, entry by entry, as the built declarations have it: `api/*.md`, brought up to date with `vitest
 * -u`. A change
 * there is a change for whoever uses the package.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type TypeScript from 'typescript'
import { expect, test } from 'vitest'
import { BUNDLER_NAMES } from '../../src/plugin/bundlers.ts'
import { repository } from '../helpers/bundlers.ts'
import { ts } from '../helpers/typescript.ts'

const { exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  exports: Readonly<Record<string, string | { readonly types: string }>>
}
const ENTRIES = Object.entries(exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [[subpath, join(repository, target.types)] as const],
)

/** They name the same options as `index`, where those are spelled out. */
const BUNDLERS: ReadonlySet<string> = new Set(BUNDLER_NAMES)

/** Without the declarations of others, of which nothing is printed. */
const settings: TypeScript.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  target: ts.ScriptTarget.ESNext,
  noLib: true,
  types: [],
}
const host = ts.createCompilerHost(settings)
host.resolveModuleNameLiterals = (literals, file, redirected, options) =>
  literals.map(({ text }) =>
    text.startsWith('.')
      ? ts.resolveModuleName(text, file, options, host, undefined, redirected)
      : { resolvedModule: undefined },
  )
const program = ts.createProgram(
  ENTRIES.map(([, file]) => file),
  settings,
  host,
)
const checker = program.getTypeChecker()
const printer = ts.createPrinter({ removeComments: true })

test.each(ENTRIES)('%s', async (subpath, file) => {
  const source = program.getSourceFile(file)
  if (!source) throw new Error(`${file} is not there: build first`)
  const name = subpath === '.' ? 'index' : subpath.slice(2)
  const module = checker.getSymbolAtLocation(source)
  const text = module ? describeModule(module, !BUNDLERS.has(name)) : print(source)
  const page = `# \`unplugin-localization${subpath.slice(1)}\`\n\n\`\`\`ts\n${text.trim()}\n\`\`\`\n`
  await expect(page).toMatchFileSnapshot(join(repository, `api/${name}.md`))
})

/** Exports by name, then what their declarations name of this package without exporting it. */
function describeModule(module: TypeScript.Symbol, deep: boolean): string {
  const exported = checker.getExportsOfModule(module).map((symbol) => [symbol.name, resolved(symbol)] as const)
  exported.sort(([a], [b]) => (a < b ? -1 : 1))
  const seen = new Set(exported.map(([, symbol]) => symbol))
  const queue = deep ? [...seen] : []
  const inner: TypeScript.Symbol[] = []
  for (let symbol = queue.pop(); symbol; symbol = queue.pop()) {
    for (const used of symbolsIn(symbol)) {
      if (seen.has(used)) continue
      seen.add(used)
      queue.push(used)
      inner.push(used)
    }
  }
  const lines = exported.map(([name, symbol]) => {
    const own = declarationsOf(symbol)
    return symbol.name === name ? own : `// as ${name}\n${own}`
  })
  const rest = inner.sort((a, b) => (a.name < b.name ? -1 : 1)).map(declarationsOf)
  return [...lines, ...(rest.length > 0 ? ['// not exported, named above', ...rest] : [])].join('\n')
}

function resolved(symbol: TypeScript.Symbol): TypeScript.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function* symbolsIn(symbol: TypeScript.Symbol): Generator<TypeScript.Symbol> {
  const found: TypeScript.Symbol[] = []
  const visit = (node: TypeScript.Node): void => {
    if (ts.isIdentifier(node)) {
      const named = checker.getSymbolAtLocation(node)
      if (named) found.push(resolved(named))
    }
    ts.forEachChild(node, visit)
  }
  for (const declaration of symbol.declarations ?? []) visit(declaration)
  for (const used of found) if (used.declarations?.some(isOwnStatement)) yield used
}

/** At the top of one of this package's own declarations. */
function isOwnStatement(declaration: TypeScript.Declaration): boolean {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  return (
    statement.parent !== undefined &&
    ts.isSourceFile(statement.parent) &&
    statement.getSourceFile().fileName.startsWith(`${repository}/dist/`)
  )
}

function declarationsOf(symbol: TypeScript.Symbol): string {
  const declarations = symbol.declarations ?? []
  return declarations
    .map((declaration) => print(ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration))
    .join('\n')
}

function print(node: TypeScript.Node): string {
  // The letter a bundled declaration gives a name of another file is nobody's interface.
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/^(?:export )?declare /gm, '')
}
