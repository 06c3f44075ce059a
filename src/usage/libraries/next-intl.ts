/** next-intl. The namespace is the first part of the key. */
import { propertyOf, unwrap } from '../syntax/tree.ts'
import type { Library } from './library.ts'

export const nextIntl: Library = {
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
