/**
 * Finds the values that a module imports from the app's other modules, such as options that are set in another file.
 */
import type { Node } from '@babel/types'
import type { ImportedName } from '../syntax/bindings.ts'
import { Module } from '../syntax/module.ts'
import { isMember, memberName, parseOrExplain, staticName, unwrap } from '../syntax/tree.ts'

/** Reads the module that `file` imports as `source`; `undefined` if it is not found. */
export type ReadImport = (source: string, file: string) => { readonly code: string; readonly file: string } | undefined

const MAX_DEPTH = 30

/** Reads each imported module once, and links its nodes into the importing module. */
export class Imports {
  readonly #modules = new Map<string, Module | undefined>()

  constructor(
    private readonly module: Module,
    private readonly read: ReadImport,
  ) {}

  get files(): string[] {
    return [...this.#modules.keys()]
  }

  /**
   * The expression that an imported name refers to. For `import * as name`, this is an object with the module's
   * exports.
   */
  valueOf({ source, imported, file }: ImportedName, depth = 0): Node | undefined {
    const module = depth < MAX_DEPTH ? this.#moduleOf(source, file) : undefined
    if (!module) return undefined
    return imported === '*' ? this.#objectOf(module, depth) : this.#exportOf(module, imported, depth)
  }

  #moduleOf(source: string, file: string): Module | undefined {
    const found = this.read(source, file)
    if (!found) return undefined
    if (this.#modules.has(found.file)) return this.#modules.get(found.file)
    const tree = parseOrExplain(found.code, found.file)
    const module = 'problem' in tree ? undefined : new Module(tree, found.code, found.file)
    if (module) this.module.link(module)
    this.#modules.set(found.file, module)
    return module
  }

  #exportOf(module: Module, name: string, depth: number): Node | undefined {
    const from = (source: string, imported: string) => this.valueOf({ source, imported, file: module.file }, depth + 1)
    const everything: string[] = []
    for (const node of module.nodes) {
      if (name === 'default' && node.type === 'ExportDefaultDeclaration') return node.declaration
      if (name === 'default' && node.type === 'TSExportAssignment') return node.expression
      if (node.type === 'AssignmentExpression' && commonExport(node.left) === name) return node.right
      if (node.type === 'ExportAllDeclaration' && name !== 'default') everything.push(node.source.value)
      if (node.type !== 'ExportNamedDeclaration') continue
      for (const specifier of node.specifiers) {
        if (nameOf(specifier.exported) !== name) continue
        if (specifier.type === 'ExportNamespaceSpecifier') return from(node.source?.value ?? '', '*')
        if (specifier.type !== 'ExportSpecifier') continue
        return node.source ? from(node.source.value, nameOf(specifier.local) ?? '') : specifier.local
      }
      const own = declaredIn(node.declaration, name)
      if (own) return own
    }
    for (const source of everything) {
      const found = from(source, name)
      if (found) return found
    }
    return undefined
  }

  /**
   * An object with the module's exports. Exports that cannot be listed become a spread of an unknown object, which may
   * have any names.
   */
  #objectOf(module: Module, depth: number): Node {
    const names = new Set(module.nodes.flatMap((node) => namesOf(node)))
    const properties = [...names].map((name) => {
      const value = this.#exportOf(module, name, depth)
      const known = { type: 'ObjectProperty', computed: false, key: { type: 'Identifier', name }, value }
      return value ? known : { type: 'SpreadElement', argument: { type: 'ThisExpression' } }
    })
    const hasMore = module.nodes.some(({ type }) => type === 'ExportAllDeclaration')
    const others = hasMore ? [{ type: 'SpreadElement', argument: { type: 'ThisExpression' } }] : []
    return { type: 'ObjectExpression', properties: [...others, ...properties] } as Node
  }
}

function namesOf(node: Node): string[] {
  if (node.type === 'ExportDefaultDeclaration') return ['default']
  if (node.type === 'AssignmentExpression') return [commonExport(node.left)].filter((name) => name !== undefined)
  if (node.type !== 'ExportNamedDeclaration') return []
  const listed = node.specifiers.map(({ exported }) => nameOf(exported))
  const declaration = node.declaration
  const declared =
    declaration?.type === 'VariableDeclaration'
      ? declaration.declarations.map(({ id }) => nameOf(id))
      : [declaration && 'id' in declaration ? nameOf(declaration.id) : undefined]
  return [...listed, ...declared].filter((name) => name !== undefined)
}

function declaredIn(declaration: Node | null | undefined, name: string): Node | undefined {
  if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'TSEnumDeclaration')
    return nameOf(declaration.id) === name ? (declaration.id ?? undefined) : undefined
  if (declaration?.type !== 'VariableDeclaration') return undefined
  for (const { id } of declaration.declarations) if (id.type === 'Identifier' && id.name === name) return id
  return undefined
}

/** Returns `name` for `exports.name = x`, and `default` for `module.exports = x`. */
function commonExport(target: Node): string | undefined {
  if (!isMember(target)) return undefined
  const object = unwrap(target.object)
  const name = memberName(target)
  const isModule = (node: Node) =>
    isMember(node) && memberName(node) === 'exports' && nameOf(unwrap(node.object)) === 'module'
  if (isModule(target)) return 'default'
  return isModule(object) || nameOf(object) === 'exports' ? name : undefined
}

function nameOf(node: Node | null | undefined): string | undefined {
  return node ? staticName(node, false) : undefined
}
