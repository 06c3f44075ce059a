/** Where translation functions and messages go: followed as far as names tell, else everything they can reach is kept. */
import type { Node } from '@babel/types'
import { parseRequest } from '../modules/ids.ts'
import type { Tools } from './calls.ts'
import type { UnknownUse } from './model.ts'
import { COMPONENTS, LIBRARY_OBJECT, PASSING } from './names.ts'
import { bareNode, type FunctionNode, isCall, isFunction, isMember, memberName, staticName } from './tree.ts'
import { isPromiseMethod, type Origin, type Value } from './values.ts'

/** Where a value ends up. */
type Destination =
  | { readonly kind: 'fine' }
  /** In a property or under a name by which others will know it. */
  | { readonly kind: 'named' }
  /** In a function of that name. */
  | {
      readonly kind: 'argument'
      readonly function: string | undefined
      readonly index: number
      readonly from?: string | undefined
    }
  | { readonly kind: 'lost' }

const FINE: Destination = { kind: 'fine' }
const LOST: Destination = { kind: 'lost' }
const NAMED: Destination = { kind: 'named' }

export interface Flow {
  /** Looks at one expression that is a value of interest. */
  follow(node: Node, value: Value): void
  /** After all: what parameters pass on. */
  finish(): void
}

export function createFlow(tools: Tools): Flow {
  const { module, collector, values, names } = tools
  const passedOn = new Map<Node, Map<number, UnknownUse[]>>()

  function follow(node: Node, value: Value) {
    if (value.kind === 'messages') return followMessages(node, value)
    const destination = destinationOf(node, value)
    if (destination.kind === 'fine') return
    if (value.kind === 'load' || value.kind === 'module') {
      if (value.kind === 'module' && isNamedByDefault(value.request)) return followDefault(node, value.request)
      return collector.unknown(node, 'any', 'messages', { isExact: true })
    }
    // Whoever gets it does not know what is put before its keys.
    if (value.prefixes && destination.kind !== 'lost') {
      const any = [{ text: '*', isPattern: true }]
      collector.keys(node, any, value.namespaces, { prefixes: value.prefixes.filter(({ text }) => text !== '') })
    }
    if (value.kind === 'holder' || destination.kind === 'named') return
    const options = {
      prefixes: value.prefixes,
      ...(destination.kind === 'argument' &&
        destination.function !== undefined && {
          unless: {
            receiver: {
              name: destination.function,
              index: destination.index,
              ...(destination.from !== undefined && { from: destination.from }),
            },
          },
        }),
    }
    const { parameter } = value
    if (value.origin === 'named') {
      // Only a name speaks for it: what it passes on counts when a translation function comes in there.
      if (typeof parameter !== 'object') return
      const ofFunction = passedOn.get(parameter.function) ?? new Map<number, UnknownUse[]>()
      passedOn.set(parameter.function, ofFunction)
      const uses = ofFunction.get(parameter.index) ?? []
      ofFunction.set(parameter.index, uses)
      uses.push(collector.unknownUse(node, value.namespaces, 'function', options))
      return
    }
    collector.unknown(placeOf(node), value.namespaces, 'function', options)
  }

  /** The call or the property it is in says more than the name alone. */
  function placeOf(node: Node): Node {
    const parent = module.parentOf(node)
    return parent && (isCall(parent) || parent.type === 'ReturnStatement' || parent.type === 'ObjectProperty')
      ? parent
      : node
  }

  function followMessages(node: Node, value: Extract<Value, { kind: 'messages' }>) {
    const parent = module.parentOf(node)
    const { namespaces, path, level } = value
    if (path.length > 0) {
      const goesOn = isMember(node) && isMember(parent) && parent.object === node && memberName(parent) !== undefined
      collector.keys(node, [{ text: path.join('.'), isPattern: false }], namespaces, {
        isExact: true,
        isOnly: goesOn,
        // `title.length` and `title.trim()` are no keys.
        isGuess: path.length > 1 || (isCall(parent) && parent.callee === node),
      })
      return
    }
    const destination = destinationOf(node, value)
    if (destination.kind === 'fine') return
    if (isMember(parent) && parent.object === node) {
      if (level === 'namespace') {
        const texts = tools.readTexts(parent.property)
        const known = texts.filter(({ text }) => text !== '*')
        collector.keys(parent, known, namespaces, { isExact: true })
        if (known.length === texts.length && known.length > 0) return
      }
    }
    collector.unknown(placeOf(node), level === 'language' ? 'any' : namespaces, 'messages', { isExact: true })
  }

  function followDefault(node: Node, request: string) {
    const parent = module.parentOf(node)
    const messages = values.of(node)
    if (isMember(parent) && memberName(parent) === 'default') return
    if (messages?.kind === 'module') collector.unknown(node, namespacesOf(request), 'messages', { isExact: true })
  }

  function namespacesOf(request: string): readonly string[] | 'any' {
    const id = parseRequest(request)
    return id?.kind === 'namespace' ? [id.namespace] : 'any'
  }

  function isNamedByDefault(request: string): boolean {
    return request.includes('/')
  }

  function destinationOf(start: Node, value: Value): Destination {
    let node = start
    for (let parent = module.parentOf(node); parent; parent = module.parentOf(node)) {
      switch (parent.type) {
        case 'ParenthesizedExpression':
        case 'TSAsExpression':
        case 'TSSatisfiesExpression':
        case 'TSNonNullExpression':
        case 'TSTypeAssertion':
        case 'TSInstantiationExpression':
        case 'AwaitExpression':
          node = parent
          continue
        case 'SequenceExpression':
          if (parent.expressions.at(-1) !== node) return FINE
          node = parent
          continue
        case 'ConditionalExpression':
          if (parent.test === node) return FINE
          node = parent
          continue
        case 'LogicalExpression':
          node = parent
          continue
        case 'ExpressionStatement':
        case 'UnaryExpression':
        case 'BinaryExpression':
        case 'IfStatement':
        case 'WhileStatement':
        case 'SwitchStatement':
        case 'TemplateLiteral':
        case 'ImportDeclaration':
          return value.kind === 'messages' && parent.type === 'BinaryExpression' && parent.operator === 'in'
            ? LOST
            : FINE
        case 'MemberExpression':
        case 'OptionalMemberExpression':
          if (parent.object !== node) return LOST
          return memberDestination(parent, value)
        case 'VariableDeclarator':
          return parent.init === node ? bindDestination(parent.id, value) : FINE
        case 'AssignmentPattern':
          return parent.right === node ? bindDestination(parent.left, value) : FINE
        case 'AssignmentExpression':
          if (parent.right !== node) return FINE
          if (isMember(parent.left)) return nameDestination(memberName(parent.left), value)
          return bindDestination(parent.left, value)
        case 'ObjectProperty': {
          if (parent.value !== node) return FINE
          const name = staticName(parent.key, parent.computed)
          if (name === 't' && isPropsOfComponent(parent)) return FINE
          return nameDestination(name, value)
        }
        case 'ClassProperty':
        case 'ClassAccessorProperty':
          return parent.value === node ? nameDestination(staticName(parent.key, parent.computed), value) : FINE
        case 'JSXExpressionContainer': {
          const attribute = module.parentOf(parent)
          if (attribute?.type !== 'JSXAttribute') return LOST
          const name = typeof attribute.name.name === 'string' ? attribute.name.name : undefined
          return nameDestination(name, value)
        }
        case 'SpreadElement':
        case 'JSXSpreadAttribute':
          return value.kind === 'holder' ? NAMED : LOST
        case 'ArrayExpression': {
          const list = module.parentOf(parent)
          if (isCall(list) && list.arguments.includes(parent as never) && isHook(list.callee)) return FINE
          return isCall(list) && isPromiseAll(list) ? FINE : LOST
        }
        case 'ExportSpecifier':
          return nameDestination(
            parent.exported.type === 'Identifier' ? parent.exported.name : parent.exported.value,
            value,
          )
        case 'ExportDefaultDeclaration':
          return value.kind === 'holder' ? NAMED : LOST
        case 'ReturnStatement':
        case 'ArrowFunctionExpression':
          return returnDestination(parent, node, value)
        case 'CallExpression':
        case 'OptionalCallExpression':
        case 'NewExpression': {
          const at = parent.callee === node ? -1 : parent.arguments.indexOf(node as never)
          if (at === -1) return FINE
          const known = callDestination(parent, at, value)
          if (known !== 'through') return known
          node = parent
          continue
        }
        default:
          return LOST
      }
    }
    return FINE
  }

  function memberDestination(member: Node, value: Value): Destination {
    if (!isMember(member)) return LOST
    const name = memberName(member)
    if (value.kind === 'messages' && isPromiseMethod(name) && value.path.length === 0)
      return thenDestination(member, name)
    if (value.kind === 'module' && name === 'then') return thenDestination(member, name)
    return name === undefined && (value.kind === 'messages' || value.kind === 'module') ? LOST : FINE
  }

  /** `.then(show)`: a callback that stands there is followed. */
  function thenDestination(member: Node, name: string | undefined): Destination {
    const call = module.parentOf(member)
    const callback = isCall(call) && call.callee === member && name === 'then' ? call.arguments[0] : undefined
    return name !== 'then' || (callback && isFunction(bareNode(callback))) ? FINE : LOST
  }

  function bindDestination(pattern: Node, value: Value): Destination {
    if (pattern.type === 'Identifier') {
      const isExported = module.bindingOf(pattern)?.isExported === true
      return isExported ? nameDestination(pattern.name, value) : FINE
    }
    if (pattern.type === 'TSAsExpression' || pattern.type === 'TSNonNullExpression')
      return bindDestination(pattern.expression, value)
    if (pattern.type !== 'ObjectPattern')
      return value.kind === 'holder' || value.kind === 'messages' ? messagesPattern(pattern, value) : LOST
    if (value.kind === 'messages') return messagesPattern(pattern, value)
    if (value.kind === 'module')
      return pattern.properties.every((property) => property.type !== 'RestElement') ? FINE : LOST
    return FINE
  }

  /** `const { title, ...others } = messages`. */
  function messagesPattern(pattern: Node, value: Value): Destination {
    if (value.kind !== 'messages') return FINE
    if (pattern.type !== 'ObjectPattern') return LOST
    for (const property of pattern.properties) {
      if (property.type === 'RestElement') return LOST
      const name = staticName(property.key, property.computed)
      if (name === undefined) return LOST
      if (value.level === 'namespace')
        collector.keys(property, [{ text: [...value.path, name].join('.'), isPattern: false }], value.namespaces, {
          isExact: true,
        })
    }
    return FINE
  }

  function nameDestination(name: string | undefined, value: Value): Destination {
    if (value.kind === 'messages' || value.kind === 'load' || value.kind === 'module') return LOST
    if (name === undefined) return value.kind === 'holder' ? NAMED : LOST
    if (value.kind === 'holder') return NAMED
    return names.isProperty(name) ? NAMED : LOST
  }

  function returnDestination(parent: Node, node: Node, value: Value): Destination {
    const owner = isFunction(parent) ? parent : ownerOf(parent)
    if (parent.type === 'ArrowFunctionExpression' && parent.body !== node) return FINE
    const holder = owner && module.parentOf(owner)
    // `.then((x) => x)` and functions of this module, where they are called.
    if (value.kind === 'holder') return NAMED
    const name = owner ? nameOf(owner) : undefined
    if (value.kind === 'function' && name !== undefined && names.isFunction(name)) return NAMED
    // `useCallback(() => t)`, a getter of a compiler: `t: () => t`.
    if (holder?.type === 'ObjectProperty' || owner?.type === 'ObjectMethod') {
      const key = holder?.type === 'ObjectProperty' ? staticName(holder.key, holder.computed) : name
      return nameDestination(key, value)
    }
    return LOST
  }

  function ownerOf(node: Node): Node | undefined {
    let at = module.parentOf(node)
    while (at && !isFunction(at)) at = module.parentOf(at)
    return at
  }

  function nameOf(owner: Node): string | undefined {
    if (owner.type === 'FunctionDeclaration' || owner.type === 'FunctionExpression') {
      if (owner.id) return owner.id.name
    }
    if (owner.type === 'ObjectMethod' || owner.type === 'ClassMethod') return staticName(owner.key, owner.computed)
    let parent = module.parentOf(owner)
    // `const columns = useCallback((t) => ...)`, `memo(function ...)`.
    while (parent && isCall(parent) && parent.callee !== owner) parent = module.parentOf(parent)
    if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name
    if (parent?.type === 'ObjectProperty' || parent?.type === 'ClassProperty')
      return staticName(parent.key, parent.computed)
    if (parent?.type === 'AssignmentExpression') {
      if (parent.left.type === 'Identifier') return parent.left.name
      if (isMember(parent.left)) return memberName(parent.left)
    }
    return undefined
  }

  function callDestination(
    call: Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' | 'NewExpression' }>,
    index: number,
    value: Value,
  ): Destination | 'through' {
    const callee = bareNode(call.callee)
    const from = values.origin(callee)
    if (callee.type === 'Import') return FINE
    if (from?.source?.startsWith('unplugin-localization/')) return FINE
    if (isMember(callee)) {
      const object = bareNode(callee.object)
      const name = memberName(callee)
      if (object.type === 'Identifier' && object.name === 'console') return FINE
      if (name === 'bind' || name === 'call' || name === 'apply')
        return value.kind === 'holder' || index === 0 ? FINE : LOST
      // `i18n.use(backend)`, `app.use(i18n)`.
      if (value.kind === 'holder') return NAMED
      return { kind: 'argument', function: name, index }
    }
    if (from && PASSING.has(from.name)) return 'through'
    if (value.kind === 'holder') return NAMED
    return argumentOf(callee, from, index)
  }

  /** A function of this module is known exactly, others by their names and where they come from. */
  function argumentOf(callee: Node, from: Origin | undefined, index: number): Destination {
    const local = localFunction(callee)
    if (local === undefined) return { kind: 'argument', function: from?.name, index, from: from?.source }
    const tracked = local && parameterName(local, index) !== undefined
    return { kind: 'argument', function: tracked ? `${nameOf(local) ?? ''}#${local.start}` : undefined, index }
  }

  /** `undefined`: none of this module; `null`: one of several. */
  function localFunction(callee: Node): FunctionNode | null | undefined {
    if (isFunction(callee)) return callee
    if (callee.type !== 'Identifier') return undefined
    const binding = module.bindingOf(callee)
    if (!binding || binding.import) return undefined
    const only = binding.values.length === 1 ? binding.values[0] : undefined
    if (binding.function) return binding.values.length === 0 ? binding.function : null
    if (only?.source.kind !== 'node' || only.path.length > 0) return null
    const node = bareNode(only.source.node)
    return isFunction(node) ? node : null
  }

  /** The name of a parameter by which a translation function is known. */
  function parameterName(owner: FunctionNode, index: number): string | undefined {
    const given = owner.params[index]
    const parameter = given?.type === 'AssignmentPattern' ? given.left : given
    if (parameter?.type !== 'Identifier') return undefined
    return names.isFunction(parameter.name) || LIBRARY_OBJECT.test(parameter.name) ? parameter.name : undefined
  }

  function isHook(callee: Node): boolean {
    const name = values.origin(bareNode(callee))?.name
    return name !== undefined && /^(?:use[A-Z]|watch)/.test(name)
  }

  function isPromiseAll(call: Node): boolean {
    if (!isCall(call)) return false
    const callee = bareNode(call.callee)
    return (
      isMember(callee) &&
      callee.object.type === 'Identifier' &&
      callee.object.name === 'Promise' &&
      isDestructured(call) &&
      [...call.arguments].every((list) => list.type !== 'ArrayExpression' || !list.elements.some(isSpread))
    )
  }

  function isDestructured(call: Node): boolean {
    let at = module.parentOf(call)
    while (at?.type === 'AwaitExpression') at = module.parentOf(at)
    return at?.type === 'VariableDeclarator' && at.id.type === 'ArrayPattern' && !at.id.elements.some(isRest)
  }

  /** `_jsx(Trans, { t })`: of a library's own component, whose keys are read where it is. */
  function isPropsOfComponent(property: Node): boolean {
    const object = module.parentOf(property)
    const call = object && module.parentOf(object)
    if (!isCall(call) || call.arguments[1] !== object) return false
    const component = call.arguments[0] && values.origin(call.arguments[0])?.name
    return component !== undefined && Object.hasOwn(COMPONENTS, component)
  }

  return {
    follow,
    finish() {
      for (const node of module.nodes) {
        if (!isFunction(node)) continue
        const name = nameOf(node)
        node.params.forEach((_, index) => {
          if (parameterName(node, index) === undefined) return
          const onward = passedOn.get(node)?.get(index) ?? []
          if (name !== undefined) collector.receiver({ function: name, index, passedOn: onward })
          collector.receiver({ function: `${name ?? ''}#${node.start}`, index, passedOn: onward })
        })
      }
    },
  }
}

/** Elements that are not known one by one. */
const isSpread = (element: Node | null) => element === null || element.type === 'SpreadElement'
const isRest = (element: Node | null) => element?.type === 'RestElement'
