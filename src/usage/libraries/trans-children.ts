/** The text that `<Trans>` makes of its children: `<0>...</0>` for elements, `{{ name }}` for values. */
import type { Node } from '@babel/types'
import { ANYTHING, concatAll, EMPTY, literal, type StringValue } from '../flow/strings.ts'
import { attributesOf, isCall, isFunction, propertyOf, staticName, unwrap } from '../syntax/tree.ts'
import type { Analysis } from './library.ts'

/** Elements without attributes that stay as they are, react-i18next's `transKeepBasicHtmlNodesFor`. */
const KEPT_ELEMENTS = new Set(['br', 'strong', 'i', 'p'])

/** An element, in JSX or as compilers write it. */
interface ReactElement {
  /** The tag of an HTML element. */
  readonly tag: string | undefined
  readonly props: Node | undefined
  /** `undefined`: they are computed. */
  readonly children: readonly Node[] | undefined
}

const NO_PROPS = { type: 'ObjectExpression', properties: [] } as unknown as Node

export function elementOf(analysis: Analysis, given: Node): ReactElement | undefined {
  const node = unwrap(given)
  if (node.type === 'JSXFragment') return { tag: undefined, props: NO_PROPS, children: jsxChildren(node.children) }
  if (node.type !== 'JSXElement') return isCall(node) ? elementOfCall(analysis, node) : undefined
  const { name } = node.openingElement
  const tag = name.type === 'JSXIdentifier' && /^[a-z]/.test(name.name) ? name.name : undefined
  const props = attributesOf(node.openingElement)
  const children = jsxChildren(node.children)
  return { tag, props, children: children.length > 0 ? children : childrenIn(props) }
}

/** `jsx(Link, { children })`, `createElement(Link, props, ...children)`. */
function elementOfCall(
  { values }: Analysis,
  { callee, arguments: args }: Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' }>,
): ReactElement | undefined {
  const name = values.origin(callee)?.name ?? ''
  const [component, second, ...rest] = args
  if (!component) return undefined
  const tag = component.type === 'StringLiteral' ? component.value : undefined
  const props = !second || second.type === 'NullLiteral' ? NO_PROPS : unwrap(second)
  if (/^_?jsxs?(?:DEV)?\d*$/.test(name)) return { tag, props, children: childrenIn(props) }
  if (name !== 'createElement' && name !== 'h') return undefined
  return { tag, props, children: rest.length > 0 ? rest : childrenIn(props) }
}

/** Children that are given as a property. */
function childrenIn(props: Node): readonly Node[] | undefined {
  const { value, isOpen } = propertyOf(props, 'children')
  if (isOpen) return undefined
  if (!value) return []
  return value.type === 'ArrayExpression' ? (value.elements as Node[]) : [value]
}

/**
 * The texts that the children may make, in the project's version of react-i18next. `*` stands for computed parts.
 * `isExcluded`: only some versions make the text, and which one is installed is unknown.
 */
export function textsOfChildren(analysis: Analysis, children: readonly Node[] | undefined): readonly StringValue[] {
  const major = Number.parseInt(analysis.versionOf?.('react-i18next') ?? '', 10)
  if (!Number.isNaN(major)) return textsOf({ ...analysis, keepsNested: major >= 17 }, children)
  const texts = [false, true].map((keepsNested) => textsOf({ ...analysis, keepsNested }, children))
  const isInAll = ({ text }: StringValue) => texts.every((all) => all.some((each) => each.text === text))
  const found = new Map(texts.flat().map((each) => [each.text, isInAll(each) ? each : { ...each, isExcluded: true }]))
  return [...found.values()]
}

interface Serializer extends Analysis {
  /** Since version 17, a kept element keeps its name also around other elements and values. */
  readonly keepsNested: boolean
}

function textsOf(analysis: Serializer, children: readonly Node[] | undefined): readonly StringValue[] {
  if (!children) return [ANYTHING]
  const spread = children.findIndex((child) => child?.type === 'SpreadElement' || child?.type === 'JSXSpreadChild')
  // Behind a spread, the elements have other numbers.
  const known = spread === -1 ? children : children.slice(0, spread)
  const parts = known.map((child, at) => (child ? textsOfChild(analysis, unwrap(child), at) : [EMPTY]))
  return concatAll(spread === -1 ? parts : [...parts, [ANYTHING]])
}

function textsOfChild(analysis: Serializer, child: Node, index: number): readonly StringValue[] {
  switch (child.type) {
    case 'JSXText':
      // Compilers differ in whether a tab stays one.
      return /\t/.test(cleaned(child.value)) ? [ANYTHING] : [literal(cleaned(child.value))]
    case 'NullLiteral':
    case 'BooleanLiteral':
    case 'NumericLiteral':
      return [EMPTY]
    case 'ObjectExpression':
      return [textOfValue(analysis, child)]
    case 'ArrayExpression':
      return [ANYTHING]
    default: {
      const element = elementOf(analysis, child)
      if (element) return textsOfElement(analysis, element, index)
      if (isFunction(child)) return [EMPTY]
      const texts = analysis.strings.of(child)
      return texts.length === 0 || analysis.strings.mayBeNothing(child) ? [...texts, EMPTY] : texts
    }
  }
}

function textsOfElement(analysis: Serializer, { tag, props, children }: ReactElement, index: number) {
  const names = props?.type === 'ObjectExpression' ? props.properties.map(nameOfProperty) : [undefined]
  // These replace or reorder the children, or may do so.
  if (names.includes(undefined) || names.includes('i18nIsDynamicList') || names.includes('ref')) return [ANYTHING]
  const own = names.filter((name) => name !== 'key' && name !== 'children').length
  const isKept = tag !== undefined && KEPT_ELEMENTS.has(tag) && own === 0
  if (children?.length === 0) return [literal(isKept ? `<${tag}/>` : `<${index}></${index}>`)]
  const content = textsOf(analysis, children)
  const only = children?.length === 1 && children[0] ? unwrap(children[0]) : undefined
  const isText = only && (only.type === 'JSXText' || only.type === 'StringLiteral' || only.type === 'TemplateLiteral')
  if (isKept && only && !isText && only.type !== 'ObjectExpression' && !elementOf(analysis, only)) return [ANYTHING]
  // An element whose only child is empty has no child.
  if (content.some(({ text }) => text === '') && only && !elementOf(analysis, only)) return [ANYTHING]
  const name = isKept && (isText || analysis.keepsNested) ? tag : index
  return concatAll([[literal(`<${name}>`)], content, [literal(`</${name}>`)]])
}

function nameOfProperty(property: Extract<Node, { type: 'ObjectExpression' }>['properties'][number]) {
  return property.type === 'SpreadElement' ? undefined : staticName(property.key, property.computed)
}

/** `{{ name }}` and `{{ name: value, format: 'x' }}`. */
function textOfValue({ strings }: Analysis, child: Extract<Node, { type: 'ObjectExpression' }>): StringValue {
  const name = nameOfValue(child)
  if (name === undefined) return ANYTHING
  const { value } = propertyOf(child, 'format')
  if (!value) return literal(`{{${name}}}`)
  const formats = strings.exact(value)
  return formats?.length === 1 ? literal(`{{${name}, ${formats[0]}}}`) : ANYTHING
}

/** The name of the value in `{{ name }}`. */
export function nameOfValue(child: Node): string | undefined {
  if (child.type !== 'ObjectExpression') return undefined
  const names = child.properties.map(nameOfProperty)
  const own = names.filter((name) => name !== 'format')
  return own.length === 1 ? own[0] : undefined
}

/** The children that React gets. */
function jsxChildren(children: readonly Node[]): Node[] {
  return children.flatMap((child): Node[] => {
    if (child.type === 'JSXText') return cleaned(child.value) === '' ? [] : [child]
    if (child.type !== 'JSXExpressionContainer') return [child]
    return child.expression.type === 'JSXEmptyExpression' ? [] : [unwrap(child.expression)]
  })
}

/** Text between tags as compilers read it: lines are trimmed and joined by a space. */
function cleaned(text: string): string {
  const lines = text.split(/\r\n|\n|\r/)
  const last = Math.max(
    0,
    lines.findLastIndex((line) => /[^ \t]/.test(line)),
  )
  return lines
    .map((line, at) => {
      const start = at === 0 ? line : line.replace(/^[ \t]+/, '')
      const trimmed = at === lines.length - 1 ? start : start.replace(/[ \t]+$/, '')
      return trimmed !== '' && at !== last ? `${trimmed} ` : trimmed
    })
    .join('')
}
