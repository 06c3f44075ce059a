/** Reads the other arguments of calls: default texts, counts and contexts. */
import type { Node, ObjectExpression } from '@babel/types'
import { localName } from '../flow/escapes.ts'
import type { Analysis, TranslatorValue } from '../libraries/library.ts'
import type { UseDetails } from '../model.ts'
import { isCall, isFunction, isMember, isNullish, propertyOf, staticName, unwrap } from '../syntax/tree.ts'

/** The details of a use that shows the text and has no other arguments. */
export const NO_DETAILS: UseDetails = { texts: {} }

const FORM_TEXT = /^defaultValue_((?:ordinal_)?(?:zero|one|two|few|many|other))$/

/**
 * Reads `t('key', 'text')` and `t('key', { count, defaultValue: 'text' })`. If the app's own function is called, a
 * string in the second argument is not a default text.
 */
export function callDetails(
  analysis: Analysis,
  call: Node,
  args: readonly (Node | null)[],
  { parameter }: TranslatorValue,
): UseDetails {
  const given = args.map((each) => (each ? argumentDetails(analysis, unwrap(each)) : NO_DETAILS))
  const all = isCall(call) && isOwnFunction(analysis, call.callee) ? given.filter((each) => !each.isArgument) : given
  const receiver = parameter && { name: localName(analysis, parameter.function), index: parameter.index }
  return { ...joinDetails(all), ...(receiver && { parameter: receiver }) }
}

/**
 * True for a function in the option `functions`, for its methods such as `say.call`, and for the result of a hook in
 * that option.
 */
function isOwnFunction({ definitions, libraries, values }: Analysis, callee: Node): boolean {
  const node = unwrap(callee)
  const makers = definitions.of(node).nodes.flatMap((each) => (isCall(each) ? each.callee : []))
  const names = [node, ...(isMember(node) ? [node.object] : []), ...makers].map((each) => values.origin(each)?.name)
  return names.some((name) => libraries.isOwn(name))
}

/** Reads `{ id: 'key', defaultMessage: 'text' }`, and svelte-i18n's `{ id: 'key', default: 'text' }`. */
export function descriptorDetails(analysis: Analysis, descriptor: Node): UseDetails {
  const text = ['defaultMessage', 'default'].map((name) => onlyText(analysis, propertyOf(descriptor, name).value))
  return textDetails(text[0] ?? text[1])
}

/** Reads i18next's options. */
export function optionsDetails(analysis: Analysis, options: ObjectExpression): UseDetails {
  const texts: Record<string, string> = {}
  for (const property of options.properties) {
    const name = property.type === 'ObjectProperty' ? staticName(property.key, property.computed) : undefined
    if (property.type !== 'ObjectProperty' || name === undefined) continue
    const form = name === 'defaultValue' || name === 'default' ? '' : FORM_TEXT.exec(name)?.[1]
    const text = form === undefined ? undefined : onlyText(analysis, property.value)
    if (form !== undefined && text !== undefined) texts[form] = text
  }
  const ordinal = propertyOf(options, 'ordinal').value
  const count = propertyOf(options, 'count').value
  const isOrdinal = ordinal?.type === 'BooleanLiteral' ? ordinal.value : undefined
  const context = contextDetails(analysis, propertyOf(options, 'context').value)
  const isOpen = propertyOf(options, 'count').isOpen || (ordinal !== undefined && isOrdinal === undefined)
  return {
    texts,
    plural: isCount(analysis, count) ? (isOrdinal ? 'ordinal' : 'cardinal') : undefined,
    contexts: context.contexts,
    isOpen: isOpen || context.isOpen,
    isBranch: asksForBranch(options),
  }
}

export function joinDetails(all: readonly UseDetails[]): UseDetails {
  return {
    texts: Object.assign({}, ...all.map(({ texts }) => texts)) as UseDetails['texts'],
    plural: all.map(({ plural }) => plural).find((plural) => plural !== undefined),
    contexts: all.map(({ contexts }) => contexts).find((contexts) => contexts !== undefined),
    isOpen: all.some(({ isOpen }) => isOpen),
    isArgument: all.some(({ isArgument }) => isArgument),
    isBranch: all.some(({ isBranch }) => isBranch),
  }
}

function textDetails(text: string | undefined): UseDetails {
  return text === undefined ? NO_DETAILS : { texts: { '': text } }
}

/** The expression's value if it is always the same string; `undefined` otherwise. */
export function onlyText({ strings }: Analysis, node: Node | undefined): string | undefined {
  const texts = node && strings.exact(node)
  return texts?.length === 1 && !strings.mayBeNothing(node as Node) ? texts[0] : undefined
}

function argumentDetails(analysis: Analysis, node: Node): UseDetails {
  if (node.type === 'SpreadElement') return { texts: {}, isOpen: true }
  if (isNullish(node) || isFunction(node)) return NO_DETAILS
  const text = onlyText(analysis, node)
  if (text !== undefined) return node.type === 'NumericLiteral' ? NO_DETAILS : { texts: { '': text }, isArgument: true }
  if (/^(?:TemplateLiteral|NumericLiteral|BooleanLiteral|ArrayExpression|BinaryExpression)$/.test(node.type))
    return NO_DETAILS
  const { nodes, isComplete } = analysis.definitions.of(node)
  const objects = nodes.map((each) =>
    each.type === 'ObjectExpression'
      ? optionsDetails(analysis, each)
      : { texts: {}, isOpen: each.type !== 'NullLiteral' },
  )
  // If the call may pass one of several objects, the options are uncertain.
  const isOpen = !isComplete || objects.length === 0 || objects.length > 1
  const joined = joinDetails(objects)
  return isOpen ? { ...joined, isOpen } : joined
}

/** True for `returnObjects: true`. */
function asksForBranch(options: ObjectExpression): boolean {
  const { value } = propertyOf(options, 'returnObjects')
  return value !== undefined && !(value.type === 'BooleanLiteral' && !value.value)
}

/** i18next accepts only numbers as counts. */
function isCount({ strings }: Analysis, count: Node | undefined): boolean {
  const node = count && unwrap(count)
  if (isNullish(node)) return false
  return node.type === 'NumericLiteral' || strings.exact(node) === undefined
}

/** Reads `context: 'male'`. */
function contextDetails({ strings }: Analysis, context: Node | undefined): Pick<UseDetails, 'contexts' | 'isOpen'> {
  if (!context || isNullish(unwrap(context))) return {}
  const contexts = strings.exact(context)
  if (!contexts) return { isOpen: true }
  return { contexts: strings.mayBeNothing(context) ? [...contexts, ''] : contexts }
}
