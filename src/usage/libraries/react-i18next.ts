/** react-i18next, and packages with the same functions and components. */
import type { JSXOpeningElement, Node } from '@babel/types'
import { ANYTHING, EMPTY } from '../flow/strings.ts'
import { joinDetails, onlyText, optionsDetails } from '../keys/details.ts'
import type { UseDetails } from '../model.ts'
import { attributesOf, isCall, isNullish, propertyOf, unwrap } from '../syntax/tree.ts'
import type { Analysis, Library, Origin, ValueReader } from './library.ts'
import { elementOf, nameOfValue, textsOfChildren } from './trans-children.ts'

/** Packages whose `useTranslation` takes a namespace and options. An app's own may take anything. */
const PACKAGE = /(?:^|\/)(?:react-i18next|next-i18next|i18next-vue|i18next|solid-i18next|next-translate)(?:\/|$)/

const NO_PROPS = { type: 'ObjectExpression', properties: [] } as unknown as Node

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
    // Without children, the default text is the key.
    const other = defaults ? analysis.strings.of(defaults) : []
    return [...texts, ...other, ...(isOpen ? [ANYTHING] : [])]
  },

  /** `withTranslation('shop', { keyPrefix: 'basket' })(Basket)`: the component gets `t` with the prefix. */
  readCall({ node: place, name, args: [namespace, options] }, { values, collector }) {
    if (name !== 'withTranslation' || !options) return
    const namespaces = values.namespacesOf(namespace)
    const prefixes = prefixesIn(unwrap(options), true, values)?.filter(({ text }) => text !== '')
    if (prefixes) collector.addKeys({ place, namespaces, prefixes }, [ANYTHING])
  },

  /** `<Translation ns="shop">{(t) => t('title')}</Translation>`, as it is written or compiled. */
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

/** The attributes of the element `<Translation>` with this callback as its child. */
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

/** `<Trans>` of react-i18next: its default text and its other attributes. */
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
  // Versions differ in whether `{{ count }}` among the children counts.
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
