/** react-i18next, and packages with the same functions and components. */
import type { Node } from '@babel/types'
import { ANYTHING, EMPTY } from '../flow/strings.ts'
import { attributesOf, isCall, propertyOf, unwrap } from '../syntax/tree.ts'
import type { Library, ValueReader } from './library.ts'
import { transDetails } from './trans.ts'

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
    const isOwn = origin?.name === 'Trans' && origin.source !== undefined && PACKAGE.test(origin.source)
    const hasKey = element.attributes.some((each) => each.type === 'JSXAttribute' && each.name.name === 'i18nKey')
    return isOwn || hasKey ? transDetails(element, analysis, isOwn) : undefined
  },

  /** `<Translation ns="shop">{(t) => t('title')}</Translation>`, as it is written or compiled. */
  callbackValue(callback, values) {
    const props = propsOfTranslation(callback, values)
    const { value, isOpen } = props ? propertyOf(props, 'ns') : { value: undefined, isOpen: false }
    return props && { kind: 'function', namespaces: isOpen ? 'any' : values.namespacesOf(value) }
  },
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
  const prefixes = value ? values.prefixesOf(value) : isOpen ? [ANYTHING] : undefined
  return prefixes && (isOpen || !isKnown) ? [...prefixes, EMPTY] : prefixes
}
