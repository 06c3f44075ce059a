/** The public interface, entry by entry, as the built declarations have it: for `api/*.md` and for the site. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type TypeScript from 'typescript'
import { BUNDLER_NAMES } from '../src/plugin/bundlers.ts'

/** `import` would search the nine megabytes for the names of exports. */
const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript
const REPOSITORY = join(import.meta.dirname, '..')

export interface ApiName {
  /** The name as exported. */
  readonly name: string
  readonly declarations: readonly TypeScript.Node[]
}

export interface ApiEntry {
  /** Such as `unplugin-localization/client`. */
  readonly specifier: string
  /** The name of its page. */
  readonly name: string
  readonly isBundler: boolean
  /** True for a file of `declare module` blocks. */
  readonly isAmbient: boolean
  readonly source: TypeScript.SourceFile
  readonly exported: readonly ApiName[]
  /** Types of this package that the exports name, but that are not exported. */
  readonly inner: readonly ApiName[]
}

/** Reads `dist`, which must be built. */
export function readPublicApi(): ApiEntry[] {
  const { exports } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  const entries = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string' ? [] : [[subpath.slice(1), join(REPOSITORY, target.types)] as const],
  )
  const program = programOf(entries.map(([, file]) => file))
  const checker = program.getTypeChecker()
  return entries.map(([subpath, file]) => {
    const source = program.getSourceFile(file)
    if (!source) throw new Error(`${file} does not exist: run npm run build first`)
    const name = subpath.slice(1) || 'index'
    const isBundler = (BUNDLER_NAMES as readonly string[]).includes(name)
    const module = checker.getSymbolAtLocation(source)
    const isAmbient = module === undefined
    const entry = { specifier: `unplugin-localization${subpath}`, name, isBundler, isAmbient, source }
    // The entry of a bundler names the same options as `index`, where those are spelled out.
    return { ...entry, ...(module ? namesOf(checker, module, !isBundler) : ambientNames(source)) }
  })
}

function programOf(files: readonly string[]): TypeScript.Program {
  // Without the declarations of others, of which nothing is printed.
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
  return ts.createProgram(files, settings, host)
}

const byName = (a: ApiName, b: ApiName) => (a.name < b.name ? -1 : 1)

/** Exports by name, then what their declarations name of this package without exporting it. */
function namesOf(checker: TypeScript.TypeChecker, module: TypeScript.Symbol, isDeep: boolean) {
  const resolved = (symbol: TypeScript.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const exported = checker.getExportsOfModule(module).map((symbol) => [symbol.name, resolved(symbol)] as const)
  const seen = new Set(exported.map(([, symbol]) => symbol))
  const inner: TypeScript.Symbol[] = []
  const visit = (node: TypeScript.Node): void => {
    const named = ts.isIdentifier(node) && checker.getSymbolAtLocation(node)
    const symbol = named && resolved(named)
    if (symbol && !seen.has(symbol) && symbol.declarations?.some(isOwnStatement)) {
      seen.add(symbol)
      inner.push(symbol)
      symbol.declarations.forEach(visit)
    }
    ts.forEachChild(node, visit)
  }
  if (isDeep) for (const [, { declarations }] of exported) declarations?.forEach(visit)
  const apiName = (name: string, { declarations = [] }: TypeScript.Symbol): ApiName => ({
    name,
    declarations: declarations.map(statementOf),
  })
  return {
    exported: exported.map(([name, symbol]) => apiName(name, symbol)).sort(byName),
    inner: inner.map((symbol) => apiName(symbol.name, symbol)).sort(byName),
  }
}

/** What an ambient file declares for the modules of its `declare module` blocks. */
function ambientNames({ statements }: TypeScript.SourceFile) {
  const names = new Map<string, TypeScript.Node[]>()
  for (const statement of statements) {
    if (!ts.isModuleDeclaration(statement) || !statement.body || !ts.isModuleBlock(statement.body)) continue
    for (const declaration of statement.body.statements) {
      const name = nameOf(declaration)
      if (name !== undefined) names.set(name, [...(names.get(name) ?? []), declaration])
    }
  }
  return { exported: [...names].map(([name, declarations]) => ({ name, declarations })), inner: [] }
}

function nameOf(statement: TypeScript.Node): string | undefined {
  const named = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement
  const name = named && (named as Partial<TypeScript.NamedDeclaration>).name
  return name && ts.isIdentifier(name) ? name.text : undefined
}

const statementOf = (declaration: TypeScript.Declaration) =>
  ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration

/** At the top of one of this package's own declarations. */
function isOwnStatement(declaration: TypeScript.Declaration): boolean {
  const { parent } = statementOf(declaration)
  return (
    parent !== undefined &&
    ts.isSourceFile(parent) &&
    parent.fileName.startsWith(`${REPOSITORY.replaceAll('\\', '/')}/dist/`)
  )
}

/** Without comments: what compatibility depends on. */
export function signature(node: TypeScript.Node): string {
  const printer = ts.createPrinter({ removeComments: true })
  // The letter a bundled declaration gives a name of another file is nobody's interface.
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/^(?:export )?declare /gm, '')
}

/** With the comments of members, as TypeScript. */
export const declarationText = (node: TypeScript.Node) =>
  node
    .getText()
    .replace(/^export (?=declare|interface|type|const|function|class)/, '')
    .replace(/^declare /, '')

/** The documentation of a statement, as Markdown. */
export function documentationOf(node: TypeScript.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .flatMap((part) => {
      if (!ts.isJSDoc(part)) return []
      const tags = part.tags?.map(({ tagName, ...tag }) => tagText(tagName.text, tag as TypeScript.JSDocTag)) ?? []
      return [ts.getTextOfJSDocComment(part.comment) ?? '', ...tags]
    })
    .filter((text) => text !== '')
    .join('\n\n')
}

function tagText(name: string, tag: TypeScript.JSDocTag): string {
  const text = ts.getTextOfJSDocComment(tag.comment) ?? ''
  if (name === 'example') return text.includes('```') ? text : `\`\`\`ts\n${text}\n\`\`\``
  if (name === 'param') return `- \`${(tag as TypeScript.JSDocParameterTag).name.getText()}\`: ${text}`
  const label = { throws: 'Throws', returns: 'Returns', default: 'Default:' }[name]
  return label === undefined ? '' : `${label} ${text}`
}
