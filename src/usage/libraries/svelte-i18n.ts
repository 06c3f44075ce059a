/** svelte-i18n: stores, in the source and as Svelte compiles them. */

import { isTranslator } from '../flow/value.ts'
import { readKeyArguments } from '../keys/keys.ts'
import { isMember } from '../syntax/tree.ts'
import type { Library } from './library.ts'

const STORES = new Set(['_', 't', 'format', 'json'])

export const svelteI18n: Library = {
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
