/** vue-i18n: its composer, `<i18n-t>` and the `v-t` directive, in the source and as Vue compiles them. */
import type { Node } from '@babel/types'
import { NO_DETAILS } from '../keys/details.ts'
import { readKey } from '../keys/keys.ts'
import { isCall, isMember, memberName, unwrap } from '../syntax/tree.ts'
import type { Analysis, Library } from './library.ts'

export const vueI18n: Library = {
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
  data: { getLocaleMessage: {}, messages: { isCommon: true } },

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
