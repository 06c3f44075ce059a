/** One module's syntax tree with parents, and the binding that each name refers to. */
import type {
  File,
  ForInStatement,
  ForOfStatement,
  Identifier,
  ImportDeclaration,
  JSXIdentifier,
  Node,
  VariableDeclarator,
} from '@babel/types'
import { type Assignment, assignmentOf, namesIn, UNKNOWN_ASSIGNMENT } from './patterns.ts'
import { type Binding, Scope } from './scope.ts'
import { childrenOf, type FunctionNode, isCall, isFunction, isMember, memberName, staticName, unwrap } from './tree.ts'

const BLOCKS = new Set([
  'BlockStatement',
  'StaticBlock',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'CatchClause',
  'TSModuleBlock',
])

/** The fields with names that are no values, unless they are computed. */
const NAME_FIELDS = ['property', 'key', 'id', 'label', 'imported', 'exported', 'meta']

const ASSIGNING_OPERATORS = new Set(['=', '??=', '||=', '&&='])

export class Module {
  /** Every node, parents before children, in the order of the source. */
  readonly nodes: Node[] = []
  readonly #parents = new Map<Node, Node>()
  readonly #scopes = new Map<Node, Scope>()
  readonly #top = new Scope()
  /** The identifiers that declare a name. */
  readonly #declaring = new Set<Node>()
  readonly #bindings = new Map<Node, Binding | undefined>()

  constructor(
    { program }: File,
    readonly code: string,
  ) {
    this.#walk(program)
    // A declaration may be below its use, so all declarations come first.
    for (const node of this.nodes) this.#declare(node)
    for (const node of this.nodes) this.#resolve(node)
  }

  parentOf(node: Node): Node | undefined {
    return this.#parents.get(node)
  }

  /** The binding that the name refers to. `undefined`: a global. */
  bindingOf(node: Identifier | JSXIdentifier): Binding | undefined {
    if (this.#bindings.has(node)) return this.#bindings.get(node)
    const binding = this.#scopeAt(node).lookup(node.name)
    this.#bindings.set(node, binding)
    return binding
  }

  isGlobal(node: Node, name: string): boolean {
    return node.type === 'Identifier' && node.name === name && !this.bindingOf(node)
  }

  /** Whether the identifier uses a value: not a declaration, the name of a property, or a label. */
  isReference(node: Identifier): boolean {
    const parent = this.parentOf(node)
    if (!parent || this.#declaring.has(node)) return false
    if (parent.type === 'ExportSpecifier' && isReexport(this.parentOf(parent))) return false
    return (
      ('computed' in parent && parent.computed) || !NAME_FIELDS.some((field) => Reflect.get(parent, field) === node)
    )
  }

  /** The function of this module that a callee means. `null`: a local name that may mean something else as well. */
  localFunction(callee: Node): FunctionNode | null | undefined {
    if (isFunction(callee)) return callee
    const binding = callee.type === 'Identifier' ? this.bindingOf(callee) : undefined
    if (!binding || binding.import) return undefined
    const [only, ...others] = functionsOf(binding) ?? []
    return only && others.length === 0 ? only : null
  }

  /** The innermost function around the node. */
  functionAround(node: Node): FunctionNode | undefined {
    let at = this.parentOf(node)
    while (at && !isFunction(at)) at = this.parentOf(at)
    return at
  }

  /** The name under which a function is known: its own, or that of the variable or property that it is assigned to. */
  functionName(node: FunctionNode): string | undefined {
    if ((node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') && node.id) return node.id.name
    if (node.type === 'ObjectMethod' || node.type === 'ClassMethod') return staticName(node.key, node.computed)
    let parent = this.parentOf(node)
    // `const columns = useCallback((t) => ...)`, `memo(function ...)`.
    while (isCall(parent) && parent.callee !== node) parent = this.parentOf(parent)
    switch (parent?.type) {
      case 'VariableDeclarator':
        return parent.id.type === 'Identifier' ? parent.id.name : undefined
      case 'ObjectProperty':
      case 'ClassProperty':
        return staticName(parent.key, parent.computed)
      case 'AssignmentExpression':
        if (parent.left.type === 'Identifier') return parent.left.name
        return isMember(parent.left) ? memberName(parent.left) : undefined
      default:
        return undefined
    }
  }

  #walk(program: Node) {
    this.#scopes.set(program, this.#top)
    const pending = [program]
    for (let node = pending.pop(); node; node = pending.pop()) {
      this.nodes.push(node)
      if (isFunction(node)) this.#scopes.set(node, new Scope(this.#scopeAt(node)))
      else if (BLOCKS.has(node.type)) this.#scopes.set(node, new Scope(this.#scopeAt(node), false))
      for (const child of childrenOf(node).reverse()) {
        // A shorthand property has two nodes for one name: only its value counts.
        if (node.type === 'ObjectProperty' && node.shorthand && child === node.key && child !== node.value) continue
        this.#parents.set(child, node)
        pending.push(child)
      }
    }
  }

  /** The scope that the node opens, or else the one around it. */
  #scopeAt(node: Node): Scope {
    for (let at: Node | undefined = node; at; at = this.#parents.get(at)) {
      const scope = this.#scopes.get(at)
      if (scope) return scope
    }
    return this.#top
  }

  #scopeAround(node: Node): Scope {
    return this.#scopeAt(this.#parents.get(node) ?? node)
  }

  #declare(node: Node) {
    switch (node.type) {
      case 'ImportDeclaration':
        this.#declareImports(node)
        break
      case 'VariableDeclarator':
        this.#declareVariables(node)
        break
      case 'FunctionDeclaration':
        if (node.id) this.#declareName(this.#scopeAround(node), node.id, { function: node })
        break
      case 'ClassDeclaration':
        if (node.id) this.#declareName(this.#scopeAround(node), node.id).assignments.push(UNKNOWN_ASSIGNMENT)
        break
      case 'TSEnumDeclaration':
        this.#declareName(this.#scopeAround(node), node.id, { enumeration: node })
        break
      case 'CatchClause':
        if (node.param) this.#declarePattern(this.#scopeAt(node), node.param, UNKNOWN_ASSIGNMENT)
        break
    }
    if (!isFunction(node)) return
    const own = this.#scopeAt(node)
    if (node.type === 'FunctionExpression' && node.id) this.#declareName(own, node.id, { function: node })
    for (const [index, parameter] of node.params.entries())
      this.#declarePattern(own, parameter, { source: { kind: 'parameter', function: node, index }, path: [] })
  }

  #declareImports({ source, specifiers }: ImportDeclaration) {
    for (const specifier of specifiers) {
      const imported =
        specifier.type === 'ImportNamespaceSpecifier'
          ? '*'
          : specifier.type === 'ImportDefaultSpecifier'
            ? 'default'
            : (staticName(specifier.imported, false) ?? '')
      this.#declareName(this.#top, specifier.local, { import: { source: source.value, imported } })
    }
  }

  #declareVariables(node: VariableDeclarator) {
    const scope = this.#scopeAround(node)
    const declaration = this.parentOf(node)
    const around = declaration && this.parentOf(declaration)
    const isVar = declaration?.type === 'VariableDeclaration' && declaration.kind === 'var'
    const value =
      isLoop(around) && around.left === declaration ? iterated(around) : node.init && assignmentOf(node.init)
    const details = around?.type === 'ExportNamedDeclaration' ? { isExported: true } : {}
    this.#declarePattern(isVar ? scope.functionScope() : scope, node.id, value ?? undefined, details)
  }

  #declareName(scope: Scope, identifier: Identifier, details?: Partial<Binding>): Binding {
    this.#declaring.add(identifier)
    return scope.declare(identifier.name, details)
  }

  #declarePattern(scope: Scope, pattern: Node, value: Assignment | undefined, details?: Partial<Binding>) {
    for (const [identifier, assignment] of namesIn(pattern, value ?? UNKNOWN_ASSIGNMENT)) {
      const binding = this.#declareName(scope, identifier, details)
      if (value) binding.assignments.push(assignment)
    }
  }

  /** Links references and assignments to the bindings that they are about. */
  #resolve(node: Node) {
    if (node.type === 'JSXIdentifier' || (node.type === 'Identifier' && this.isReference(node)))
      this.bindingOf(node)?.references.push(node)
    else if (node.type === 'AssignmentExpression')
      this.#assign(node.left, ASSIGNING_OPERATORS.has(node.operator) ? assignmentOf(node.right) : UNKNOWN_ASSIGNMENT)
    else if (isLoop(node) && node.left.type !== 'VariableDeclaration') this.#assign(node.left, iterated(node))
  }

  #assign(pattern: Node, value: Assignment) {
    for (const [identifier, assignment] of namesIn(pattern, value))
      this.bindingOf(identifier)?.assignments.push(assignment)
  }
}

/** Every function that the binding may hold. `undefined`: the binding may hold something else. */
export function functionsOf(binding: Binding): FunctionNode[] | undefined {
  const functions = binding.function ? [binding.function] : []
  for (const { source, path } of binding.assignments) {
    const node = source.kind === 'expression' && path.length === 0 ? unwrap(source.node) : undefined
    if (!isFunction(node)) return undefined
    functions.push(node)
  }
  return !binding.import && functions.length > 0 ? functions : undefined
}

function isLoop(node: Node | undefined): node is ForInStatement | ForOfStatement {
  return node?.type === 'ForOfStatement' || node?.type === 'ForInStatement'
}

/** The value that a loop assigns in each iteration. */
function iterated({ type, right }: ForInStatement | ForOfStatement): Assignment {
  return { ...assignmentOf(right), path: [{ kind: type === 'ForOfStatement' ? 'element' : 'key' }] }
}

function isReexport(node: Node | undefined): boolean {
  return node?.type === 'ExportNamedDeclaration' && node.source != null
}
