/** All supported libraries: a table, with the small adapters. Larger adapters have their own files. */
import type { Node, ObjectExpression } from '@babel/types'
import { ELEMENTS } from '../flow/search.ts'
import { NO_DETAILS } from '../keys/details.ts'
import { makesDescriptors, readDescriptor, readKey, readKeyArguments } from '../keys/keys.ts'
import { isCall, isMember, memberName, propertyName, propertyOf, unwrap } from '../syntax/tree.ts'
import { i18next } from './i18next.ts'
import { type Analysis, type Call, isTranslator, type Library } from './library.ts'
import { reactI18next } from './react-i18next.ts'
import { virtualModules } from './virtual-modules.ts'

/** The namespace is the first part of the key. */
const nextIntl: Library = {
  queries: ['has', 'raw'],
  packages: /^(?:next-intl|use-intl)(?:\/|$)/,
  plurals: 'messages',
  words: ['useTranslations', 'getTranslations'],

  callValue({ name, args: [first] }, values) {
    if (name !== 'useTranslations' && name !== 'getTranslations') return undefined
    const given = first && unwrap(first)
    const namespace = given?.type === 'ObjectExpression' ? propertyOf(given, 'namespace').value : given
    return { kind: 'function', namespaces: 'any', prefixes: values.prefixesOf(namespace) }
  },
}

/** The composer, `<i18n-t>` and the `v-t` directive, in the source and as Vue compiles them. */
const vueI18n: Library = {
  functions: ['$t', '$tc', '$te', '$tm'],
  methods: ['te', 'tc', 'tm'],
  queries: ['te', '$te', 'tm', '$tm'],
  packages: /^(?:vue-i18n|petite-vue-i18n|@nuxtjs\/i18n)(?:\/|$)/,
  plurals: 'messages',
  translators: ['$i18n', '$i18nInstance'],
  factories: ['useI18n', 'useNuxtApp', 'createI18n'],
  members: { global: 'translator', value: 'translator' },
  references: ['value'],
  wrappers: ['unref', '_unref', 'toRaw', 'markRaw', 'toValue', 'shallowRef', 'computed'],
  keyAttributes: { keypath: 'any' },
  words: ['vT', '_directive_t'],
  data: { getLocaleMessage: { key: 'next' }, messages: { isCommon: true, language: 'next', key: 'next' } },

  /** Reads `_ssrGetDirectiveProps(_ctx, _directive_t, 'title')` in code for the server. */
  readCall({ node, name, args: [, directive, argument] }, analysis) {
    if (name === '_ssrGetDirectiveProps' || name === 'ssrGetDirectiveProps')
      readDirective(analysis, node, directive, argument)
  },

  /** Reads `[[_directive_t, 'title']]` in code for the browser. */
  readNodes: {
    ArrayExpression: (node, analysis) => readDirective(analysis, node, ...node.elements.slice(0, 2)),
  },
}

function readDirective(analysis: Analysis, place: Node, directive?: Node | null, argument?: Node | null) {
  if (!directive || !argument || !isTextDirective(directive)) return
  readKey(analysis, argument, { place, namespaces: 'any', details: () => NO_DETAILS })
}

function isTextDirective(given: Node): boolean {
  const node = unwrap(given)
  if (isMember(node)) return memberName(node) === 'vT'
  if (isCall(node)) return node.arguments[0] !== undefined && isTextDirective(node.arguments[0])
  return node.type === 'Identifier' && (node.name === '_directive_t' || node.name === 'vT')
}

/** Includes the FormatJS functions with the same names. */
const reactIntl: Library = {
  functions: ['formatMessage'],
  methods: ['formatHTMLMessage'],
  translators: ['intl', '$intl'],
  factories: ['useIntl', 'createIntl'],
  components: { FormattedMessage: 'id', FormattedHTMLMessage: 'id' },
  descriptorMakers: ['defineMessages', 'defineMessage'],
  packages: /^(?:react-intl|@formatjs\/intl)$/,
  plurals: 'messages',
  words: ['defaultMessage'],
  fragments: ['intl.messages', 'intl?.messages'],
  data: { messages: { isCommon: true, key: 'next', of: /^(?:\$?i|useI|createI)ntl$/ } },

  readCall(call, analysis) {
    if (call.name === 'defineMessages' || call.name === 'defineMessage') readDefinitions(analysis, call)
  },

  /** Reads descriptors anywhere, except those that a call or element, which comes before them, has read. */
  readNodes: {
    ObjectExpression(node, analysis) {
      if (isDescriptor(node) && !analysis.collector.readDescriptors.has(node))
        readDescriptor(analysis, node, { place: node, namespaces: 'any' })
    },
  },
}

function isDescriptor({ properties }: ObjectExpression): boolean {
  const names = properties.map(propertyName)
  return names.includes('id') && names.includes('defaultMessage')
}

/** Reads `defineMessage({ id })`, `defineMessages({ title: { id } })` and `defineMessages([{ id }])`. */
function readDefinitions(analysis: Analysis, { node: place, name, args: [first] }: Call) {
  const { collector, definitions } = analysis
  const lookup = { place, namespaces: 'any' } as const
  const { nodes, isComplete } = first ? definitions.of(first) : { nodes: [], isComplete: false }
  collector.addDescriptors(false)
  if (!isComplete || nodes.length === 0) collector.addUnknown(lookup, 'key')
  for (const node of nodes) {
    if (name === 'defineMessage') readDescriptor(analysis, node, lookup)
    else if (node.type !== 'ObjectExpression' && node.type !== 'ArrayExpression') collector.addUnknown(lookup, 'key')
    else {
      collector.addDescriptors(
        node.type === 'ObjectExpression' && node.properties.some(({ type }) => type === 'SpreadElement'),
      )
      for (const descriptor of definitions.at(node, ELEMENTS).nodes)
        if (!makesDescriptors(analysis, descriptor))
          readDescriptor(analysis, descriptor, { ...lookup, place: descriptor.loc ? descriptor : place })
    }
  }
}

const STORES = new Set(['_', 't', 'format', 'json'])

/** Stores, in the source and as Svelte compiles them. */
const svelteI18n: Library = {
  functions: ['$_', '$format', '$json', '$formatMessage'],
  queries: ['$json', 'json'],
  packages: /^svelte-i18n$/,
  plurals: 'messages',
  wrappers: ['get', 'store_get'],

  importValue(source, name) {
    if (source !== 'svelte-i18n') return undefined
    return STORES.has(name) ? { kind: 'function', namespaces: 'any' } : null
  },

  /**
   * Reads `store_get`, whose first argument is the store in code for the browser. In code for the server, the store is
   * the last argument, after its name.
   */
  callValue({ name, args }, values) {
    if (name !== 'store_get') return undefined
    const storeName = args.find(({ type }) => type === 'StringLiteral')
    return (
      args.map((each) => values.of(each)).find(isTranslator) ??
      (storeName?.type === 'StringLiteral' ? values.byName(storeName.value) : undefined)
    )
  },

  /**
   * Reads `ctx[3]('title')`. Svelte 4 keeps stores in `ctx`, and writes the name of each store into a comment before
   * the call.
   */
  readCall({ node, callee, args }, analysis) {
    if (!isMember(callee) || callee.property.type !== 'NumericLiteral') return
    if (callee.object.type !== 'Identifier' || !/^#?(?:ctx|new_ctx|child_ctx)$/.test(callee.object.name)) return
    const start = node.start ?? 0
    const before = analysis.module.code.slice(Math.max(0, start - 60), callee.start ?? start)
    const comment = /\/\*\s*([\w$]+)\s*\*\/\s*$/.exec(before)?.[1]
    const isNamed = analysis.libraries.has('functions', comment)
    if (isNamed || (args[0] && analysis.strings.exact(args[0])))
      readKeyArguments(analysis, node, args, { kind: 'function', namespaces: 'any', isByName: true })
  },
}

export const LIBRARIES: readonly Library[] = [
  virtualModules,
  i18next,
  reactI18next,
  nextIntl,
  vueI18n,
  reactIntl,
  svelteI18n,
]
