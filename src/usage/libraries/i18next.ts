/** i18next: its instance, and how an app sets it up. */
import type { Node } from '@babel/types'
import { readKeyArguments } from '../keys/keys.ts'
import { attributeValue, propertyOf, unwrap } from '../syntax/tree.ts'
import { SetupReader } from './i18next-setup.ts'
import type { Analysis, Call, Library, ValueReader } from './library.ts'

const PACKAGE = /^i18next(?:\/|$)/
/** Methods that return the instance, or another one. */
const INSTANCE_METHODS = new Set(['use', 'init', 'createInstance', 'cloneInstance', 'clone'])

/** Methods of the store that give no texts, or that count themselves. */
const STORE_METHODS = /^(?:on|off|emit|options|(?:add|remove|has|get)[A-Z]\w*)$/

/** One of these options distinguishes i18next's options from other objects. */
const TYPICAL_OPTIONS = ['lng', 'ns', 'fallbackLng', 'supportedLngs', 'resources', 'interpolation', 'backend']

export const i18next: Library = {
  packages: /^(?:i18next|next-i18next|i18next-vue|svelte-i18next|solid-i18next)(?:\/|$)/,
  plurals: 'keys',
  functions: ['t'],
  shortNames: ['t'],
  descriptorMakers: ['keyFromSelector'],
  translators: ['i18n', 'i18next', 'i18nInstance', 'i18nextInstance', '$i18next', '$i18nextInstance'],
  words: ['getFixedT', 'createInstance', 'exists', 'defaultNS', 'fallbackNS', 'setDefaultNamespace'],
  fragments: ['i18n'],
  data: {
    getResource: { namespace: 1, key: 2 },
    getResourceBundle: { namespace: 1, key: 'next' },
    getDataByLanguage: { namespace: 'next', key: 'next' },
    resourceStore: { except: STORE_METHODS },
    store: { isCommon: true, except: STORE_METHODS },
  },

  importValue(source, name) {
    if (!PACKAGE.test(source)) return undefined
    if (name === 'createInstance') return null
    return { kind: name === 't' ? 'function' : 'translator', namespaces: 'default' }
  },

  callValue({ name = '', object, args }, values) {
    if (name === 'getFixedT') {
      const [, namespace, prefix] = args
      const prefixes = values.prefixesOf(prefix)
      return { kind: 'function', namespaces: values.namespacesOf(namespace), prefixes }
    }
    const instance = object?.kind === 'translator' && INSTANCE_METHODS.has(name) ? object : undefined
    if (name === 'createInstance')
      return { ...(instance ?? { kind: 'translator', namespaces: 'default' }), isOwnInstance: true }
    if (!instance) return undefined
    const isForAll = name === 'use' && args[0] !== undefined && isBindingOfFramework(args[0], values)
    return isForAll ? { ...instance, isOwnInstance: false } : instance
  },

  readCall(call, analysis) {
    const { node, name, args, object } = call
    if (name === 'exists' && object?.kind === 'translator') readKeyArguments(analysis, node, args, object, 'asks')
    else if (name !== 'setDefaultNamespace') readSetup(call, analysis)
    else if (args[0]) new SetupReader(analysis).readValue('defaultNamespaces', args[0])
  },

  readCallOptions(options, analysis) {
    new SetupReader(analysis).readCallOptions(options)
  },

  /** `<I18nextProvider defaultNS="shop">` */
  readNode(node, analysis) {
    const value = node.type === 'JSXAttribute' && node.name.name === 'defaultNS' ? attributeValue(node) : undefined
    if (value) new SetupReader(analysis).readValue('defaultNamespaces', value)
  },
}

/** `.use(initReactI18next)`: all components use this instance. */
function isBindingOfFramework(plugin: Node, values: ValueReader): boolean {
  return values.origin(plugin)?.name === 'initReactI18next'
}

/** `i18n.init({ ... })`, `createInstance({ ... })`, and functions of other packages that take i18next's options. */
function readSetup({ name, isMethod, object, args }: Call, analysis: Analysis) {
  const [first, second] = args.slice(0, 2).map(unwrap)
  if (name === 'createInstance' || (name === 'init' && isMethod)) {
    const isInit = name === 'init' && object?.kind === 'translator'
    const isMain = object?.kind === 'translator' && !object.isOwnInstance
    if (first && (isInit || hasTypicalOption(first, analysis))) new SetupReader(analysis, isMain).read(first)
    return
  }
  for (const given of [first, second])
    if (given?.type === 'ObjectExpression' && propertyOf(given, 'defaultNS').value)
      new SetupReader(analysis).read(given)
}

function hasTypicalOption(given: Node, { definitions }: Analysis): boolean {
  const names = [...TYPICAL_OPTIONS, 'defaultNS', 'fallbackNS']
  return definitions.of(given).definitions.some(({ node }) => names.some((name) => propertyOf(node, name).value))
}
