/** react-i18next, and packages with the same functions and components. */
import type { JSXOpeningElement, Node } from '@babel/types'
import { ANYTHING, concatAll, EMPTY, literal, type StringValue } from '../flow/strings.ts'
import { joinDetails, onlyText, optionsDetails } from '../keys/details.ts'
import type { UseDetails } from '../model.ts'
import {
  attributesOf,
  isCall,
  isFunction,
  isNullish,
  NO_PROPS,
  propertyName,
  propertyOf,
  unwrap,
} from '../syntax/tree.ts'
import type { Analysis, Library, Origin, ValueReader } from './library.ts'

/**
 * Matches packages whose `useTranslation` takes a namespace and options. A function of the app with this name may take
 * anything.
 */
const PACKAGE = /(?:^|\/)(?:react-i18next|next-i18next|i18next-vue|i18next|solid-i18next|next-translate)(?:\/|$)/

export const reactI18next: Library = {
  packages: /^react-i18next(?:\/|$)/,
  plurals: 'keys',
  factories: ['useI18next'],
  members: { 0: 'function', 1: 'translator' },
  references: ['current'],
  wrappers: ['useRef', 'memo'],
  keyAttributes: { i18nKey: 'default' },
  components: { Trans: 'i18nKey', IcuTrans: 'i18nKey' },
  componentPackages: PACKAGE,
  words: ['useTranslation', 'withTranslation', 'Translation'],

  callValue({ name, source, args }, values) {
    if (name !== 'useTranslation') return undefined
    const given = args.map(unwrap)
    const isKnown = source !== undefined && PACKAGE.test(source)
    const namespaces = isKnown ? values.namespacesOf(given[0]) : 'any'
    const options = isKnown ? given[1] : given.find(({ type }) => type === 'ObjectExpression')
    return {
      kind: 'translator',
      namespaces,
      prefixes: options && prefixesIn(options, isKnown, values),
    }
  },

  elementDetails(element, analysis) {
    const origin = analysis.values.origin(element.name)
    const hasKey = element.attributes.some((each) => each.type === 'JSXAttribute' && each.name.name === 'i18nKey')
    return isOwnTrans(origin) || hasKey ? transDetails(element, analysis) : undefined
  },

  keysOfChildren(element, analysis) {
    const read = elementOf(analysis, element)
    const texts = textsOfChildren(analysis, read?.children)
    const { value: defaults, isOpen } = propertyOf(read?.props ?? NO_PROPS, 'defaults')
    if (!texts.some(({ text }) => text === '') || (!defaults && !isOpen)) return texts
    // If `<Trans>` has no children, it uses its default text as the key.
    const other = defaults ? analysis.strings.of(defaults) : []
    return [...texts, ...other, ...(isOpen ? [ANYTHING] : [])]
  },

  /** Reads `withTranslation('shop', { keyPrefix: 'basket' })(Basket)`. The component gets a `t` with this prefix. */
  readCall({ node: place, name, args: [namespace, options] }, { values, collector }) {
    if (name !== 'withTranslation' || !options) return
    const namespaces = values.namespacesOf(namespace)
    const prefixes = prefixesIn(unwrap(options), true, values)?.filter(({ text }) => text !== '')
    if (prefixes) collector.addKeys({ place, namespaces, prefixes }, [ANYTHING])
  },

  /** Reads `<Translation ns="shop">{(t) => t('title')}</Translation>`, in the source or compiled. */
  callbackValue(callback, values) {
    const props = propsOfTranslation(callback, values)
    const { value, isOpen } = props ? propertyOf(props, 'ns') : { value: undefined, isOpen: false }
    return (
      props && {
        kind: 'function',
        namespaces: isOpen ? 'any' : values.namespacesOf(value),
        prefixes: prefixesIn(props, true, values),
      }
    )
  },
}

function isOwnTrans(origin: Origin | undefined): boolean {
  return origin?.name === 'Trans' && origin.source !== undefined && PACKAGE.test(origin.source)
}

/** The attributes of the `<Translation>` element whose child is this callback. */
function propsOfTranslation(callback: Node, values: ValueReader): Node | undefined {
  const { module } = values
  const isTranslation = (component: Node) => values.origin(component)?.name === 'Translation'
  const parent = module.parentOf(callback)
  const around = parent && module.parentOf(parent)
  if (parent?.type === 'JSXExpressionContainer')
    return around?.type === 'JSXElement' && isTranslation(around.openingElement.name)
      ? attributesOf(around.openingElement)
      : undefined
  const call = parent?.type === 'ObjectProperty' ? around && module.parentOf(around) : parent
  const [component, props] = isCall(call) ? call.arguments : []
  if (!component || component === callback || !isTranslation(component)) return undefined
  return !props || props.type === 'NullLiteral' ? NO_PROPS : unwrap(props)
}

function prefixesIn(options: Node, isKnown: boolean, values: ValueReader) {
  const { value, isOpen } = propertyOf(options, 'keyPrefix')
  const prefixes = value ? values.prefixesOf(value) : isOpen ? [] : undefined
  if (!prefixes) return undefined
  return [...prefixes, ...(isOpen ? [ANYTHING] : []), ...(isOpen || !isKnown ? [EMPTY] : [])]
}

/** The default text and other details of a `<Trans>` element. */
function transDetails(element: JSXOpeningElement, analysis: Analysis): UseDetails {
  const props = attributesOf(element)
  const parent = analysis.module.parentOf(element)
  const children = (parent && elementOf(analysis, parent)?.children) ?? []
  const [content, ...others] = textsOfChildren(analysis, children)
  const { value: options, isOpen: hasSpread } = propertyOf(props, 'tOptions')
  const values = propertyOf(props, 'values').value
  const all = [options, values].flatMap((given) => {
    const node = given && unwrap(given)
    if (isNullish(node)) return []
    return node.type === 'ObjectExpression' ? [optionsDetails(analysis, node)] : [{ texts: {}, isOpen: true }]
  })
  const own = optionsDetails(analysis, props)
  const details = joinDetails([own, ...all])
  // The version decides whether `{{ count }}` in the children sets the count.
  const isCounted =
    own.plural === undefined && children.some((child) => child && nameOfValue(unwrap(child)) === 'count')
  const isText = content !== undefined && others.length === 0 && !content.isPattern && content.text !== ''
  const text = onlyText(analysis, propertyOf(props, 'defaults').value) ?? (isText ? content.text : undefined)
  return {
    ...details,
    texts: text === undefined ? {} : { '': text },
    isOpen: details.isOpen || hasSpread || isCounted,
  }
}

/**
 * Elements that react-i18next keeps in the text if they have no attributes: the default of
 * `transKeepBasicHtmlNodesFor`.
 */
const KEPT_ELEMENTS = new Set(['br', 'strong', 'i', 'p'])

/** An element, in JSX or compiled. */
interface ReactElement {
  /** The tag of an HTML element; `undefined` for a component. */
  readonly tag: string | undefined
  readonly props: Node | undefined
  /** `undefined` if the children are computed. */
  readonly children: readonly Node[] | undefined
}

function elementOf(analysis: Analysis, given: Node): ReactElement | undefined {
  const node = unwrap(given)
  if (node.type === 'JSXFragment') return { tag: undefined, props: NO_PROPS, children: jsxChildren(node.children) }
  if (node.type !== 'JSXElement') return isCall(node) ? elementOfCall(analysis, node) : undefined
  const { name } = node.openingElement
  const tag = name.type === 'JSXIdentifier' && /^[a-z]/.test(name.name) ? name.name : undefined
  const props = attributesOf(node.openingElement)
  const children = jsxChildren(node.children)
  return { tag, props, children: children.length > 0 ? children : childrenIn(props) }
}

/** Reads `jsx(Link, { children })` and `createElement(Link, props, ...children)`. */
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

function childrenIn(props: Node): readonly Node[] | undefined {
  const { value, isOpen } = propertyOf(props, 'children')
  if (isOpen) return undefined
  if (!value) return []
  return value.type === 'ArrayExpression' ? (value.elements as Node[]) : [value]
}

/**
 * The strings that `<Trans>` may derive from its children. Computed parts become `*`. If the version of react-i18next
 * is unknown, strings that only some versions produce have `isExcluded` set.
 */
function textsOfChildren(analysis: Analysis, children: readonly Node[] | undefined): readonly StringValue[] {
  const major = Number.parseInt(analysis.versionOf?.('react-i18next') ?? '', 10)
  if (!Number.isNaN(major)) return textsOf({ ...analysis, keepsNested: major >= 17 }, children)
  const texts = [false, true].map((keepsNested) => textsOf({ ...analysis, keepsNested }, children))
  const isInAll = ({ text }: StringValue) => texts.every((all) => all.some((each) => each.text === text))
  const found = new Map(texts.flat().map((each) => [each.text, isInAll(each) ? each : { ...each, isExcluded: true }]))
  return [...found.values()]
}

interface Serializer extends Analysis {
  /** True from version 17 on, in which kept elements keep their names even if they contain elements or values. */
  readonly keepsNested: boolean
}

function textsOf(analysis: Serializer, children: readonly Node[] | undefined): readonly StringValue[] {
  if (!children) return [ANYTHING]
  const spread = children.findIndex((child) => child?.type === 'SpreadElement' || child?.type === 'JSXSpreadChild')
  // The text contains the index of each element, which is unknown after a spread.
  const known = spread === -1 ? children : children.slice(0, spread)
  const parts = known.map((child, at) => (child ? textsOfChild(analysis, unwrap(child), at) : [EMPTY]))
  return concatAll(spread === -1 ? parts : [...parts, [ANYTHING]])
}

function textsOfChild(analysis: Serializer, child: Node, index: number): readonly StringValue[] {
  switch (child.type) {
    case 'JSXText':
      // Some compilers keep a tab, others do not.
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
  const names = props?.type === 'ObjectExpression' ? props.properties.map(propertyName) : [undefined]
  // These properties may replace or reorder the children.
  if (names.includes(undefined) || names.includes('i18nIsDynamicList') || names.includes('ref')) return [ANYTHING]
  const own = names.filter((name) => name !== 'key' && name !== 'children').length
  const isKept = tag !== undefined && KEPT_ELEMENTS.has(tag) && own === 0
  if (children?.length === 0) return [literal(isKept ? `<${tag}/>` : `<${index}></${index}>`)]
  const content = textsOf(analysis, children)
  const only = children?.length === 1 && children[0] ? unwrap(children[0]) : undefined
  const isText = only && (only.type === 'JSXText' || only.type === 'StringLiteral' || only.type === 'TemplateLiteral')
  if (isKept && only && !isText && only.type !== 'ObjectExpression' && !elementOf(analysis, only)) return [ANYTHING]
  // If the only child may be empty, the element may be serialized as one without children.
  if (content.some(({ text }) => text === '') && only && !elementOf(analysis, only)) return [ANYTHING]
  const name = isKept && (isText || analysis.keepsNested) ? tag : index
  return concatAll([[literal(`<${name}>`)], content, [literal(`</${name}>`)]])
}

/** Serializes `{{ name }}` and `{{ name: value, format: 'x' }}`. */
function textOfValue({ strings }: Analysis, child: Extract<Node, { type: 'ObjectExpression' }>): StringValue {
  const name = nameOfValue(child)
  if (name === undefined) return ANYTHING
  const { value } = propertyOf(child, 'format')
  if (!value) return literal(`{{${name}}}`)
  const formats = strings.exact(value)
  return formats?.length === 1 ? literal(`{{${name}, ${formats[0]}}}`) : ANYTHING
}

function nameOfValue(child: Node): string | undefined {
  if (child.type !== 'ObjectExpression') return undefined
  const names = child.properties.map(propertyName)
  const own = names.filter((name) => name !== 'format')
  return own.length === 1 ? own[0] : undefined
}

/** The children that React receives. */
function jsxChildren(children: readonly Node[]): Node[] {
  return children.flatMap((child): Node[] => {
    if (child.type === 'JSXText') return cleaned(child.value) === '' ? [] : [child]
    if (child.type !== 'JSXExpressionContainer') return [child]
    return child.expression.type === 'JSXEmptyExpression' ? [] : [unwrap(child.expression)]
  })
}

/** The text between tags, as JSX compilers read it: lines are trimmed and joined with a space. */
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
