/** A module's syntax tree, with the parent of each node and the binding of each name. */
import type {
  AssignmentExpression,
  File,
  ForInStatement,
  ForOfStatement,
  Identifier,
  ImportDeclaration,
  JSXIdentifier,
  Node,
  TSEnumDeclaration,
  TSEnumMember,
  VariableDeclarator,
} from '@babel/types'
import {
  type Assignment,
  assignmentOf,
  type Binding,
  isSomething,
  Scope,
  targetsIn,
  UNKNOWN_ASSIGNMENT,
} from './bindings.ts'
import {
  type CallNode,
  childrenOf,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  type MemberNode,
  memberName,
  NOTHING,
  staticName,
  unwrap,
} from './tree.ts'

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

/** Fields of nodes in which an identifier is only a name, not a reference to a value, unless the node is `computed`. */
const NAME_FIELDS = ['property', 'key', 'id', 'label', 'imported', 'exported', 'meta']

const ASSIGNING_OPERATORS = new Set(['=', '??=', '||=', '&&='])

interface Place {
  readonly node: Node
  readonly parent: Node | undefined
  /** The scope that the node opens, or otherwise the surrounding scope. */
  readonly scope: Scope
  /** Set if the node is a name that refers to a value: its binding, or `null` for a global. */
  binding: Binding | null | undefined
}

export class Module {
  /** All nodes in source order, parents before children. */
  readonly nodes: Node[] = []
  readonly #top = new Scope()
  readonly #places = new Map<Node, Place>()
  readonly #declaring = new Set<Node>()
  /** The assignments to each member expression. */
  readonly #writes = new Map<MemberNode, Assignment[]>()

  constructor(
    { program }: File,
    readonly code: string,
    /** Used to resolve the file's imports. */
    readonly file = '',
  ) {
    this.#walk(program)
    // A declaration may come after its use, so all declarations are collected first.
    for (const place of this.#places.values()) this.#resolve(place)
  }

  /** Adds the other module's nodes, so that this module can follow values into them. */
  link(other: Module) {
    for (const [node, place] of other.#places) this.#places.set(node, place)
    for (const node of other.#declaring) this.#declaring.add(node)
    for (const [member, assignments] of other.#writes) this.#writes.set(member, assignments)
  }

  /** The values that the code assigns to each member expression, in source order. */
  get writes(): ReadonlyMap<MemberNode, readonly Assignment[]> {
    return this.#writes
  }

  parentOf(node: Node): Node | undefined {
    return this.#places.get(node)?.parent
  }

  /** The binding of a name; `undefined` for a global. */
  bindingOf(node: Identifier | JSXIdentifier): Binding | undefined {
    const { binding, scope = this.#top }: Partial<Place> = this.#places.get(node) ?? {}
    return binding === undefined ? scope.lookup(node.name) : (binding ?? undefined)
  }

  isGlobal(node: Node, name: string): boolean {
    return node.type === 'Identifier' && node.name === name && !this.bindingOf(node)
  }

  /** True if the name refers to a value. False for names in declarations, property names and labels. */
  isReference(node: Identifier): boolean {
    return this.#places.get(node)?.binding !== undefined
  }

  #isReference(node: Identifier, parent: Node | undefined): boolean {
    if (!parent || this.#declaring.has(node)) return false
    const around = parent.type === 'ExportSpecifier' && this.parentOf(parent)
    if (around && around.type === 'ExportNamedDeclaration' && around.source) return false
    if ('computed' in parent && parent.computed) return true
    for (const field of NAME_FIELDS) if (Reflect.get(parent, field) === node) return false
    return true
  }

  /**
   * The module's functions that a callee may refer to. Empty if it may also be something else; `undefined` if the
   * module does not declare it.
   */
  functionsOf(callee: Node): readonly FunctionNode[] | undefined {
    if (isFunction(callee)) return [callee]
    const binding = callee.type === 'Identifier' ? this.bindingOf(callee) : undefined
    if (!binding || binding.import) return undefined
    const functions = binding.assignments
      .filter(isSomething)
      .map(({ source, path }) => (source.kind === 'expression' && path.length === 0 ? unwrap(source.node) : undefined))
    return functions.every(isFunction) ? functions : []
  }

  /** All calls of the function; `undefined` if unknown code may also call it. */
  callsOf(node: FunctionNode): readonly CallNode[] | undefined {
    const parent = this.parentOf(node)
    const isCalled = isCall(parent) && parent.callee === node
    const variable = parent?.type === 'VariableDeclarator' ? parent.id : undefined
    const outer = node.type === 'FunctionDeclaration' ? node.id : variable
    if (!isCalled && outer?.type !== 'Identifier') return undefined
    const inner =
      node.type === 'FunctionExpression' && node.id ? this.#places.get(node)?.scope.lookup(node.id.name) : undefined
    const bindings = [outer?.type === 'Identifier' ? this.bindingOf(outer) : undefined, inner]
    const calls = bindings.flatMap((binding) =>
      (binding?.references ?? []).map((reference) => {
        const call = this.parentOf(reference)
        return isCall(call) && call.callee === reference ? call : undefined
      }),
    )
    if (isCalled) calls.push(parent)
    const isSeen = calls.length > 0 && !bindings.some((binding) => binding?.isExported)
    return isSeen && calls.every((call) => call !== undefined) ? calls : undefined
  }

  functionAround(node: Node): FunctionNode | undefined {
    let at = this.parentOf(node)
    while (at && !isFunction(at)) at = this.parentOf(at)
    return at
  }

  /** The name of the function, or of the variable or property that it is assigned to. */
  functionName(node: FunctionNode): string | undefined {
    if ((node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') && node.id) return node.id.name
    if (node.type === 'ObjectMethod' || node.type === 'ClassMethod') return staticName(node.key, node.computed)
    let parent = this.parentOf(node)
    // The function may be wrapped in calls: `const columns = useCallback((t) => ...)`.
    while (isCall(parent) && parent.callee !== node) parent = this.parentOf(parent)
    if (parent?.type === 'ObjectProperty' || parent?.type === 'ClassProperty')
      return staticName(parent.key, parent.computed)
    const target = parent?.type === 'VariableDeclarator' ? parent.id : undefined
    const left = parent?.type === 'AssignmentExpression' ? parent.left : target
    if (left?.type === 'Identifier') return left.name
    return isMember(left) ? memberName(left) : undefined
  }

  #walk(program: Node) {
    const pending: Place[] = [{ node: program, parent: undefined, scope: this.#top, binding: undefined }]
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { node, scope: around } = next
      const isOwn = isFunction(node)
      const scope = isOwn || BLOCKS.has(node.type) ? new Scope(around, isOwn) : around
      this.nodes.push(node)
      this.#places.set(node, scope === around ? next : { ...next, scope })
      this.#declare(node, around, scope)
      for (const child of childrenOf(node).reverse()) {
        // A shorthand property has the same name in two nodes, of which only the value counts as a reference.
        if (node.type === 'ObjectProperty' && node.shorthand && child === node.key && child !== node.value) continue
        pending.push({ node: child, parent: node, scope, binding: undefined })
      }
    }
  }

  /** @param own the scope that the node opens, or otherwise the surrounding scope */
  #declare(node: Node, scope: Scope, own: Scope) {
    switch (node.type) {
      case 'ImportDeclaration':
        return this.#declareImports(node)
      case 'VariableDeclarator':
        return this.#declareVariables(node, scope)
      case 'ClassDeclaration':
        return node.id && this.#declarePattern(scope, node.id, UNKNOWN_ASSIGNMENT)
      case 'TSEnumDeclaration':
        return this.#declarePattern(scope, node.id, assignmentOf(objectOf(node)))
      case 'CatchClause':
        return node.param && this.#declarePattern(own, node.param, UNKNOWN_ASSIGNMENT)
      case 'FunctionDeclaration':
        if (node.id) this.#declarePattern(scope, node.id, assignmentOf(node), this.#exportOf(node))
        break
      case 'FunctionExpression':
        if (node.id) this.#declarePattern(own, node.id, assignmentOf(node))
    }
    if (!isFunction(node)) return
    for (const [index, parameter] of node.params.entries()) {
      const source = { kind: 'parameter', function: node, index } as const
      this.#declarePattern(own, parameter, { source, path: [] })
    }
  }

  #exportOf(node: Node): Partial<Binding> {
    return /^Export(?:Named|Default)Declaration$/.test(this.parentOf(node)?.type ?? '') ? { isExported: true } : {}
  }

  #declareImports({ source, specifiers }: ImportDeclaration) {
    for (const specifier of specifiers) {
      let imported = specifier.type === 'ImportNamespaceSpecifier' ? '*' : 'default'
      if (specifier.type === 'ImportSpecifier') imported = staticName(specifier.imported, false) ?? ''
      this.#declarePattern(this.#top, specifier.local, undefined, {
        import: { source: source.value, imported, file: this.file },
      })
    }
  }

  #declareVariables(node: VariableDeclarator, scope: Scope) {
    const declaration = this.parentOf(node)
    const around = declaration && this.parentOf(declaration)
    const isVar = declaration?.type === 'VariableDeclaration' && declaration.kind === 'var'
    const initial = assignmentOf(node.init ?? NOTHING)
    const value = isLoop(around) && around.left === declaration ? iterated(around) : initial
    const details = declaration ? this.#exportOf(declaration) : {}
    this.#declarePattern(isVar ? scope.functionScope() : scope, node.id, value, details)
  }

  #declarePattern(scope: Scope, pattern: Node, value: Assignment | undefined, details?: Partial<Binding>) {
    for (const [target, assignment] of targetsIn(pattern, value ?? UNKNOWN_ASSIGNMENT)) {
      if (target.type !== 'Identifier') continue
      this.#declaring.add(target)
      const binding = scope.declare(target.name, details)
      if (value) binding.assignments.push(assignment)
    }
  }

  #resolve(place: Place) {
    const { node, parent, scope } = place
    if (node.type === 'JSXIdentifier' || (node.type === 'Identifier' && this.#isReference(node, parent))) {
      place.binding = scope.lookup(node.name) ?? null
      place.binding?.references.push(node)
    } else if (node.type === 'AssignmentExpression') this.#assign(node.left, assigned(node))
    else if (node.type === 'UpdateExpression') this.#assign(node.argument, UNKNOWN_ASSIGNMENT)
    else if (isLoop(node) && node.left.type !== 'VariableDeclaration') this.#assign(node.left, iterated(node))
  }

  #assign(pattern: Node, value: Assignment) {
    for (const [target, assignment] of targetsIn(pattern, value)) {
      if (target.type === 'Identifier') this.bindingOf(target)?.assignments.push(assignment)
      else this.#writes.set(target, [...(this.#writes.get(target) ?? []), assignment])
    }
  }
}

function assigned({ operator, left, right }: AssignmentExpression): Assignment {
  if (ASSIGNING_OPERATORS.has(operator)) return assignmentOf(right)
  if (operator !== '+=') return UNKNOWN_ASSIGNMENT
  return assignmentOf({ type: 'BinaryExpression', operator: '+', left, right } as Node)
}

function isLoop(node: Node | undefined): node is ForInStatement | ForOfStatement {
  return node?.type === 'ForOfStatement' || node?.type === 'ForInStatement'
}

/** The value that a loop assigns in each iteration. */
function iterated({ type, right }: ForInStatement | ForOfStatement): Assignment {
  return { ...assignmentOf(right), path: [{ kind: type === 'ForOfStatement' ? 'element' : 'key' }] }
}

/**
 * An `enum` as an object literal. Members other than strings become a spread of an unknown object, which may have any
 * names.
 */
function objectOf({ members }: TSEnumDeclaration): Node {
  const isText = ({ initializer }: TSEnumMember) => initializer?.type === 'StringLiteral'
  const texts = members.filter(isText).map(({ id, initializer }) => {
    return { type: 'ObjectProperty', computed: false, key: id, value: initializer }
  })
  const others = { type: 'SpreadElement', argument: { type: 'ThisExpression' } }
  return { type: 'ObjectExpression', properties: members.every(isText) ? texts : [others, ...texts] } as Node
}
