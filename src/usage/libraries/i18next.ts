/** Reads i18next's setup, and finds its instances. */
import type { Node } from '@babel/types'
import type { SetupField } from '../cross-module.ts'
import { Definitions } from '../flow/definitions.ts'
import { Strings } from '../flow/strings.ts'
import { readKeyArguments } from '../keys/keys.ts'
import type { LibrarySetup, UnclearField } from '../model.ts'
import { attributeValue, childrenOf, isFunction, propertyOf, staticName, unwrap } from '../syntax/tree.ts'
import type { Analysis, Call, Library, ValueReader } from './library.ts'

const PACKAGE = /^i18next(?:\/|$)/
/** Methods that return an instance: the same or a new one. */
const INSTANCE_METHODS = new Set(['use', 'init', 'createInstance', 'cloneInstance', 'clone'])

/** Plugins for formats with plurals inside the messages. They ignore counts and contexts when they look up a key. */
const FORMATS = /^i18next-(?:icu|fluent|mf2|polyglot)(?:\/|$)/
/** Plugins for formats that look up other keys than i18next does. */
const OTHER_FORMATS = /^@shopify\/i18next-shopify(?:\/|$)/

/** Methods of the store that return no texts, or whose keys are collected elsewhere. */
const STORE_METHODS = /^(?:on|off|emit|options|(?:add|remove|has|get)[A-Z]\w*)$/

/** An object with one of these properties contains i18next's options. */
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

  readNodes: {
    StringLiteral: readFormat,
    /** Reads `<I18nextProvider defaultNS="shop">`. */
    JSXAttribute(node, analysis) {
      const value = node.name.name === 'defaultNS' ? attributeValue(node) : undefined
      if (value) new SetupReader(analysis).readValue('defaultNamespaces', value)
    },
  },
}

/** True for the argument of `.use(initReactI18next)`. All components then use the instance. */
function isBindingOfFramework(plugin: Node, values: ValueReader): boolean {
  return values.origin(plugin)?.name === 'initReactI18next'
}

/**
 * Reads the setup from `i18n.init({ ... })`, `createInstance({ ... })`, and functions of other packages that take
 * i18next's options.
 */
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
  return definitions.of(given).nodes.some((node) => names.some((name) => propertyOf(node, name).value))
}

/**
 * Finds a plugin that replaces the format, in `import ICU from 'i18next-icu'` or as an object or class with the type
 * `i18nFormat`.
 */
function readFormat(node: Extract<Node, { type: 'StringLiteral' }>, { module, collector }: Analysis) {
  let owner = module.parentOf(node)
  if (/^(?:Import|Call)/.test(owner?.type ?? '')) {
    if (FORMATS.test(node.value)) collector.addSetup({ format: 'messages', isExtra: true }, false)
    if (OTHER_FORMATS.test(node.value)) collector.addSetup({ format: 'unknown', isExtra: true }, false)
  }
  if (node.value !== 'i18nFormat') return
  while (owner && owner.type !== 'ObjectExpression' && owner.type !== 'ClassBody') owner = module.parentOf(owner)
  const members = owner ? childrenOf(owner) : []
  const lookup = members.find((each) => 'key' in each && staticName(each.key as Node, false) === 'addLookupKeys')
  // If the plugin lacks this method, i18next looks up its own forms.
  if (!lookup) return
  const given = isFunction(lookup) ? lookup : 'value' in lookup ? (lookup.value as Node) : undefined
  const [list] = isFunction(given) ? given.params : []
  const references = list?.type === 'Identifier' ? (module.bindingOf(list)?.references ?? []) : []
  // If the method only returns the list that it receives, it adds no keys.
  const isReturned = (name: Node) =>
    /^(?:ReturnStatement|ArrowFunctionExpression)$/.test(module.parentOf(name)?.type ?? '')
  const isAsGiven = isFunction(given) && (!list || list.type === 'Identifier') && references.every(isReturned)
  collector.addSetup({ format: isAsGiven ? 'messages' : 'unknown', isExtra: true }, false)
}

const SETUP_OPTIONS: readonly (readonly [option: string, field: SetupField])[] = [
  ['defaultNS', 'defaultNamespaces'],
  ['ns', 'defaultNamespaces'],
  ['fallbackNS', 'fallbackNamespaces'],
  ['keySeparator', 'keySeparators'],
  ['nsSeparator', 'nsSeparators'],
  ['contextSeparator', 'contextSeparators'],
  ['pluralSeparator', 'pluralSeparators'],
]

/** Options in `react` that change the keys that `<Trans>` derives from its children. */
const CHILDREN_OPTIONS = ['transKeepBasicHtmlNodesFor', 'transSupportBasicHtmlNodes', 'hashTransKey']

/** Reads options, and follows them through names, spreads, functions and imports. */
class SetupReader {
  readonly #definitions: Definitions
  readonly #strings: Strings

  /** @param isMain true if the options belong to the instance that the whole app uses */
  constructor(
    private readonly analysis: Analysis,
    private readonly isMain = true,
  ) {
    this.#definitions = new Definitions(analysis.module, analysis.libraries, analysis.imports)
    this.#strings = new Strings(this.#definitions, analysis.conditions)
  }

  read(options: Node) {
    this.#add({})
    const ns = this.#valuesOf(options, 'ns')
    const defaults = this.#valuesOf(options, 'defaultNS')
    // If `defaultNS` is not set, the default namespace is `translation`, unless `ns` is set and does not include
    // `translation`.
    const names = ns.values.flatMap((value) => this.#strings.settings(value) ?? [])
    if (defaults.values.length === 0 && (ns.values.length === 0 || names.includes('translation')))
      this.#add({ defaultNamespaces: ['translation'] })
    for (const [name, field] of SETUP_OPTIONS) {
      const { values, isOpen } = this.#valuesOf(options, name)
      for (const value of values) this.readValue(field, value)
      if (isOpen) this.#addUnclear(field, options)
    }
    this.#readReact(options)
    const { values: interpolation } = this.#valuesOf(options, 'interpolation')
    const prefixes = interpolation.map((value) => this.#valuesOf(value, 'nestingPrefix'))
    // With another `nestingPrefix`, references in texts have a different syntax.
    if (prefixes.some(({ values, isOpen }) => isOpen || values.length > 0)) this.#addUnclear('prefixes', options)
  }

  /** Reads the namespace and key separators from the options of a single call. */
  readCallOptions(options: Node) {
    for (const [name, field] of SETUP_OPTIONS) {
      const { value } = field === 'keySeparators' || field === 'nsSeparators' ? propertyOf(options, name) : {}
      if (value) this.readValue(field, value, true)
    }
  }

  /** Reads the options in `react`, and in react-i18next's `setDefaults`. */
  readReactOptions(react: Node) {
    const { values: prefixes, isOpen: mayHavePrefix } = this.#valuesOf(react, 'keyPrefix')
    if (mayHavePrefix || prefixes.length > 0) this.#addUnclear('prefixes', react)
    const children = CHILDREN_OPTIONS.map((name) => this.#valuesOf(react, name))
    if (children.some(({ values, isOpen }) => isOpen || values.length > 0)) this.#addUnclear('childrenKeys', react)
  }

  /** @param isExtra true if the value applies only to a single call */
  readValue(field: SetupField, value: Node, isExtra = false) {
    const names = this.#strings.settings(value)
    if (!names) this.#addUnclear(field, value, isExtra)
    else
      this.#add({
        ...(field === 'keySeparators' && names.length === 0 ? { isFlat: true } : { [field]: names }),
        isExtra,
      })
  }

  #readReact(options: Node) {
    const { values, isOpen } = this.#valuesOf(options, 'react')
    for (const value of values) this.readReactOptions(value)
    if (isOpen) for (const field of ['prefixes', 'childrenKeys'] as const) this.#addUnclear(field, options)
  }

  #add(setup: Partial<LibrarySetup>) {
    this.analysis.collector.addSetup(setup, this.isMain)
  }

  #addUnclear(field: UnclearField, node: Node, isExtra = false) {
    this.analysis.collector.addUnclearSetup(field, node, { isMain: this.isMain, isExtra })
  }

  /** The possible values of an option. `isOpen` is true if other values are possible. */
  #valuesOf(options: Node, name: string): { readonly values: readonly Node[]; readonly isOpen: boolean } {
    const own = propertyOf(unwrap(options), name)
    // An option in the literal itself is the best place for a report, even if its value cannot be read.
    if (own.value && !own.isOpen && own.value.type !== 'ObjectMethod') return { values: [own.value], isOpen: false }
    const { nodes: values, isComplete, isMissing } = this.#definitions.at(options, { kind: 'property', name })
    const mayHaveOthers = this.#definitions.of(options).nodes.some(hasComputedName)
    return { values, isOpen: mayHaveOthers || (!isComplete && !isMissing) }
  }
}

/** True for `{ [name]: '|' }`, which may set any option. */
function hasComputedName(node: Node): boolean {
  if (node.type !== 'ObjectExpression') return false
  return node.properties.some((each) => each.type !== 'SpreadElement' && !staticName(each.key, each.computed))
}
