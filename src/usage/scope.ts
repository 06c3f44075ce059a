/** Which declaration each name of a module means, and every value that may be assigned to it. */
import type { File, Identifier, JSXIdentifier, Node } from '@babel/types'
import { bareNode, childrenOf, type FunctionNode, isFunction, staticName } from './tree.ts'

/** A way down into a value: a property, an index, one element of many, or what is left over. */
export type Step =
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'element' }
  | { readonly kind: 'key' }
  | { readonly kind: 'rest' }
  | { readonly kind: 'unknown' }

export type ValueSource =
  | { readonly kind: 'node'; readonly node: Node }
  | { readonly kind: 'parameter'; readonly function: FunctionNode; readonly index: number }
  | { readonly kind: 'unknown' }

export interface BoundValue {
  readonly source: ValueSource
  readonly path: readonly Step[]
}

export interface Binding {
  readonly name: string
  readonly values: BoundValue[]
  readonly references: (Identifier | JSXIdentifier)[]
  /** `imported` is `*` for the whole module. */
  readonly import?: { readonly source: string; readonly imported: string }
  readonly function?: FunctionNode
  readonly enumeration?: Extract<Node, { type: 'TSEnumDeclaration' }>
  /** Its declaration is exported: `export const x`. */
  readonly isExported?: boolean
}

interface Scope {
  readonly parent: Scope | undefined
  readonly isFunction: boolean
  readonly names: Map<string, Binding>
}

export interface Module {
  readonly code: string
  readonly file: string
  /** Every node, parents before children, in the order of the source. */
  readonly nodes: readonly Node[]
  parentOf(node: Node): Node | undefined
  /** `undefined`: a global. */
  bindingOf(node: Identifier | JSXIdentifier): Binding | undefined
  /** The name is a use of a value, not a declaration, a property or a label. */
  isReference(node: Identifier): boolean
}

const UNKNOWN: ValueSource = { kind: 'unknown' }

export function createModule(tree: File, code: string, file: string): Module {
  const nodes: Node[] = []
  const parents = new Map<Node, Node>()
  const scopes = new Map<Node, Scope>()
  const declared = new Set<Node>()
  const top: Scope = { parent: undefined, isFunction: true, names: new Map() }
  scopes.set(tree.program, top)

  const pending: Node[] = [tree.program]
  for (let node = pending.pop(); node; node = pending.pop()) {
    nodes.push(node)
    const children = childrenOf(node)
    for (let at = children.length - 1; at >= 0; at--) {
      const child = children[at] as Node
      // A shorthand property has one name for two: the value counts.
      if (node.type === 'ObjectProperty' && node.shorthand && child === node.key && child !== node.value) continue
      parents.set(child, node)
      pending.push(child)
    }
  }

  const scopeAt = (node: Node): Scope => {
    for (let at: Node | undefined = node; at; at = parents.get(at)) {
      const scope = scopes.get(at)
      if (scope) return scope
    }
    return top
  }
  const declare = (scope: Scope, name: string, more: Partial<Binding> = {}): Binding => {
    const known = scope.names.get(name)
    if (known && Object.keys(more).length === 0) return known
    const binding: Binding = { name, values: [], references: [], ...known, ...more }
    scope.names.set(name, binding)
    return binding
  }
  const bind = (
    pattern: Node,
    source: ValueSource,
    path: readonly Step[],
    into: (name: string) => Binding | undefined,
  ) => {
    switch (pattern.type) {
      case 'Identifier': {
        const binding = into(pattern.name)
        binding?.values.push({ source, path })
        break
      }
      case 'AssignmentPattern':
        bind(pattern.left, source, path, into)
        bind(pattern.left, { kind: 'node', node: pattern.right }, [], into)
        break
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') bind(property.argument, source, [...path, { kind: 'rest' }], into)
          else {
            const name = staticName(property.key, property.computed)
            const step: Step = name === undefined ? { kind: 'unknown' } : { kind: 'property', name }
            bind(property.value, source, [...path, step], into)
          }
        }
        break
      case 'ArrayPattern':
        pattern.elements.forEach((element, index) => {
          if (!element) return
          if (element.type === 'RestElement') bind(element.argument, source, [...path, { kind: 'rest' }], into)
          else bind(element, source, [...path, { kind: 'property', name: String(index) }], into)
        })
        break
      case 'RestElement':
        bind(pattern.argument, source, [...path, { kind: 'rest' }], into)
        break
      case 'TSParameterProperty':
        bind(pattern.parameter, source, path, into)
        break
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'TSSatisfiesExpression':
      case 'TSTypeAssertion':
      case 'ParenthesizedExpression':
        bind(pattern.expression, source, path, into)
        break
    }
  }
  const markDeclared = (pattern: Node) => {
    if (pattern.type === 'Identifier') declared.add(pattern)
    else if (pattern.type === 'AssignmentPattern') markDeclared(pattern.left)
    else if (pattern.type === 'RestElement') markDeclared(pattern.argument)
    else if (pattern.type === 'TSParameterProperty') markDeclared(pattern.parameter)
    else if (pattern.type === 'ArrayPattern') for (const element of pattern.elements) element && markDeclared(element)
    else if (pattern.type === 'ObjectPattern')
      for (const property of pattern.properties)
        markDeclared(property.type === 'RestElement' ? property.argument : property.value)
  }

  // Scopes first: a declaration may stand below its use.
  for (const node of nodes) {
    if (isFunction(node)) scopes.set(node, { parent: undefined, isFunction: true, names: new Map() })
    else if (isBlock(node)) scopes.set(node, { parent: undefined, isFunction: false, names: new Map() })
  }
  for (const [node, scope] of scopes) {
    const parent = parents.get(node)
    if (parent) Object.assign(scope, { parent: scopeAt(parent) })
  }
  const functionScope = (scope: Scope): Scope => {
    let at = scope
    while (!at.isFunction && at.parent) at = at.parent
    return at
  }
  const outer = (node: Node): Scope => scopeAt(parents.get(node) ?? node)

  for (const node of nodes) {
    switch (node.type) {
      case 'ImportDeclaration':
        for (const specifier of node.specifiers) {
          declared.add(specifier.local)
          const imported =
            specifier.type === 'ImportNamespaceSpecifier'
              ? '*'
              : specifier.type === 'ImportDefaultSpecifier'
                ? 'default'
                : specifier.imported.type === 'Identifier'
                  ? specifier.imported.name
                  : specifier.imported.value
          declare(top, specifier.local.name, { import: { source: node.source.value, imported } })
          if (specifier.type === 'ImportSpecifier') declared.add(specifier.imported)
        }
        break
      case 'VariableDeclarator': {
        const declaration = parents.get(node)
        const isVar = declaration?.type === 'VariableDeclaration' && declaration.kind === 'var'
        const scope = isVar ? functionScope(outer(node)) : outer(node)
        markDeclared(node.id)
        const loop = declaration && parents.get(declaration)
        const inLoop =
          (loop?.type === 'ForOfStatement' || loop?.type === 'ForInStatement') && loop.left === declaration
            ? loop
            : undefined
        const source: ValueSource | undefined = inLoop
          ? { kind: 'node', node: inLoop.right }
          : node.init
            ? { kind: 'node', node: node.init }
            : undefined
        const path: Step[] = inLoop ? [{ kind: inLoop.type === 'ForOfStatement' ? 'element' : 'key' }] : []
        const isExported = declaration !== undefined && parents.get(declaration)?.type === 'ExportNamedDeclaration'
        for (const name of namesIn(node.id)) declare(scope, name, isExported ? { isExported } : {})
        if (source) bind(node.id, source, path, (name) => scope.names.get(name))
        break
      }
      case 'FunctionDeclaration':
        if (node.id) {
          declared.add(node.id)
          declare(outer(node), node.id.name, { function: node })
        }
        break
      case 'ClassDeclaration':
        if (node.id) {
          declared.add(node.id)
          declare(outer(node), node.id.name).values.push({ source: UNKNOWN, path: [] })
        }
        break
      case 'TSEnumDeclaration':
        declared.add(node.id)
        declare(outer(node), node.id.name, { enumeration: node })
        break
      case 'CatchClause':
        if (node.param) {
          markDeclared(node.param)
          const scope = scopeAt(node)
          bind(node.param, UNKNOWN, [], (name) => declare(scope, name))
        }
        break
    }
    if (isFunction(node)) {
      const scope = scopes.get(node) as Scope
      if (node.type === 'FunctionExpression' && node.id) {
        declared.add(node.id)
        declare(scope, node.id.name, { function: node })
      }
      node.params.forEach((parameter, index) => {
        markDeclared(parameter)
        for (const name of namesIn(parameter)) declare(scope, name)
        bind(parameter, { kind: 'parameter', function: node, index }, [], (name) => scope.names.get(name))
      })
    }
  }

  const lookup = (name: string, at: Node): Binding | undefined => {
    for (let scope: Scope | undefined = scopeAt(at); scope; scope = scope.parent) {
      const binding = scope.names.get(name)
      if (binding) return binding
    }
    return undefined
  }
  const isReference = (node: Identifier): boolean => {
    if (declared.has(node)) return false
    const parent = parents.get(node)
    switch (parent?.type) {
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return parent.computed || parent.property !== node
      case 'ObjectProperty':
        return parent.computed || parent.key !== node || parent.value === node
      case 'ObjectMethod':
      case 'ClassMethod':
      case 'ClassProperty':
      case 'ClassAccessorProperty':
        return parent.computed || parent.key !== node
      case 'TSEnumMember':
        return parent.id !== node
      case 'ExportSpecifier':
        return parent.local === node && !isReexport(parents.get(parent))
      case 'LabeledStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'ImportSpecifier':
      case 'ImportAttribute':
      case 'MetaProperty':
      case 'PrivateName':
      case 'ClassExpression':
        return parent.type === 'ClassExpression' ? parent.superClass === node : false
      default:
        return true
    }
  }

  const resolved = new Map<Node, Binding | undefined>()
  const bindingOf = (node: Identifier | JSXIdentifier): Binding | undefined => {
    if (resolved.has(node)) return resolved.get(node)
    const binding = lookup(node.name, node)
    resolved.set(node, binding)
    return binding
  }
  for (const node of nodes) {
    if (node.type === 'Identifier' && isReference(node)) bindingOf(node)?.references.push(node)
    else if (node.type === 'JSXIdentifier') bindingOf(node)?.references.push(node)
    else if (node.type === 'AssignmentExpression') {
      const value: ValueSource =
        node.operator === '=' || node.operator === '??=' || node.operator === '||=' || node.operator === '&&='
          ? { kind: 'node', node: node.right }
          : UNKNOWN
      bind(node.left, value, [], (name) => lookup(name, node))
    } else if (
      (node.type === 'ForOfStatement' || node.type === 'ForInStatement') &&
      node.left.type !== 'VariableDeclaration'
    ) {
      const kind = node.type === 'ForOfStatement' ? 'element' : 'key'
      bind(node.left, { kind: 'node', node: node.right }, [{ kind }], (name) => lookup(name, node))
    }
  }
  return { code, file, nodes, parentOf: (node) => parents.get(node), bindingOf, isReference }
}

function isBlock(node: Node): boolean {
  switch (node.type) {
    case 'BlockStatement':
    case 'StaticBlock':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'SwitchStatement':
    case 'CatchClause':
    case 'TSModuleBlock':
      return true
    default:
      return false
  }
}

function isReexport(node: Node | undefined): boolean {
  return node?.type === 'ExportNamedDeclaration' && node.source != null
}

function namesIn(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name]
    case 'AssignmentPattern':
      return namesIn(pattern.left)
    case 'RestElement':
      return namesIn(pattern.argument)
    case 'TSParameterProperty':
      return namesIn(pattern.parameter)
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? namesIn(element) : []))
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === 'RestElement' ? property.argument : property.value),
      )
    default:
      return []
  }
}

/** The function's own `return` values; an arrow's expression counts. */
export function returnsOf(node: FunctionNode): Node[] {
  if (node.body.type !== 'BlockStatement') return [node.body]
  const found: Node[] = []
  const pending: Node[] = [node.body]
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (at.type === 'ReturnStatement' && at.argument) found.push(at.argument)
    if (!isFunction(at)) pending.push(...childrenOf(at))
  }
  return found.map(bareNode)
}
