/** Finds code that may not run because of a condition, for example in some builds. */
import type { Node } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import { isMember, isNullish, memberName, unwrap } from '../syntax/tree.ts'
import type { Definitions } from './definitions.ts'

const COMPARISONS = new Set(['===', '==', '!==', '!='])

export class Conditions {
  constructor(
    private readonly module: Module,
    private readonly definitions: Definitions,
  ) {}

  /** True if a surrounding condition may prevent the code from running in some or all builds. */
  mayExclude(node: Node): boolean {
    for (let at = node, parent = this.module.parentOf(at); parent; at = parent, parent = this.module.parentOf(at)) {
      const condition = conditionOf(parent, at)
      if (!condition) continue
      if (this.excludes(condition.test, condition.runsIf)) return true
    }
    return false
  }

  /** True if the code that runs when the condition has the value `runsIf` may never run. */
  excludes(test: Node, runsIf: boolean): boolean {
    const value = this.valueOf(test)
    return (value !== undefined && value !== runsIf) || isOfEnvironment(test)
  }

  /** The value of a condition; `undefined` if it is known only at run time. */
  valueOf(given: Node): boolean | undefined {
    const node = unwrap(given)
    if (node.type === 'UnaryExpression' && node.operator === '!') {
      const value = this.valueOf(node.argument)
      return value === undefined ? undefined : !value
    }
    if (node.type === 'LogicalExpression' && node.operator !== '??') {
      const all = [this.valueOf(node.left), this.valueOf(node.right)]
      const decisive = node.operator === '||'
      if (all.includes(decisive)) return decisive
      return all.includes(undefined) ? undefined : !decisive
    }
    if (node.type === 'BinaryExpression') return this.#compare(node.operator, node.left, node.right)
    const values = this.#constants(node)
    const truths = new Set(values?.map(Boolean))
    return truths.size === 1 ? [...truths][0] : undefined
  }

  #compare(operator: string, left: Node, right: Node): boolean | undefined {
    if (!COMPARISONS.has(operator)) return undefined
    const [a, b] = [this.#constants(left), this.#constants(right)]
    if (!a || !b) return undefined
    const isNegated = operator.startsWith('!')
    if (!a.some((one) => b.includes(one))) return isNegated
    return a.length === 1 && b.length === 1 ? !isNegated : undefined
  }

  /** The values of the expression; `undefined` if some are not constants. */
  #constants(node: Node): unknown[] | undefined {
    const values = this.definitions.allOf(node)?.map(constantOf)
    return values?.length && values.every((value) => value) ? values.map((value) => value?.[0]) : undefined
  }
}

/** The condition under which this part of the statement or expression runs. */
function conditionOf(parent: Node, part: Node): { readonly test: Node; readonly runsIf: boolean } | undefined {
  if (parent.type === 'IfStatement' || parent.type === 'ConditionalExpression')
    return part === parent.test ? undefined : { test: parent.test, runsIf: part === parent.consequent }
  if (parent.type !== 'LogicalExpression' || part !== parent.right || parent.operator === '??') return undefined
  return { test: parent.left, runsIf: parent.operator === '&&' }
}

function constantOf(node: Node): readonly [unknown] | undefined {
  if (node.type === 'StringLiteral' || node.type === 'NumericLiteral' || node.type === 'BooleanLiteral')
    return [node.value]
  return isNullish(node) ? [undefined] : undefined
}

/**
 * True for `import.meta.env.DEV`, `process.env.NODE_ENV === 'test'` and `__DEV__`, whose values depend on the build.
 */
function isOfEnvironment(given: Node): boolean {
  const node = unwrap(given)
  switch (node.type) {
    case 'UnaryExpression':
      return isOfEnvironment(node.argument)
    case 'BinaryExpression':
    case 'LogicalExpression':
      return isOfEnvironment(node.left) || isOfEnvironment(node.right)
    case 'Identifier':
      return /^__[A-Z]+__$/.test(node.name)
    default:
      return isMember(node) && (memberName(node) === 'env' || isOfEnvironment(node.object))
  }
}
