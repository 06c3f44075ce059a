/** Finds keys to which texts refer: i18next's `$t(other.key)` and vue-i18n's `@:other.key`. */
import { KeyMatcher, type Name } from './key-matcher.ts'
import type { UsedKeys } from './used-keys.ts'

/** The texts of one namespace in all languages. */
export type TextsOf = (namespace: string) => Iterable<readonly [key: string, text: string]>

const NESTED = /\$t\(\s*([^,)]*)/g
const LINKED = /@(?:\.[\w]+)?:(?:\(([^)]*)\)|\{\s*'([^']*)'\s*\}|([^\s()|@{}'"`,;!?<>]+))/g

/**
 * Returns a function that adds the keys to which the texts of used keys refer, recursively. A computed reference adds
 * every key to which it may refer. The texts are read only once, not on each call.
 */
export function createReferenceCloser(
  namespaces: readonly string[],
  textsOf: TextsOf,
  { keySeparator = '.' }: { readonly keySeparator?: string } = {},
): (used: UsedKeys) => UsedKeys {
  const keys = namespaces.flatMap((namespace) => referringKeys(namespace, textsOf(namespace)))
  return (used) => {
    const mentioned = new Set<string>()
    for (let all = used; ; ) {
      const fresh = new Set<string>()
      for (const { namespace, key, references } of keys) {
        if (references.size === 0 || !all.isUsed(namespace, key)) continue
        for (const reference of references) if (!mentioned.has(reference)) fresh.add(reference)
      }
      if (fresh.size === 0) return all
      // References in texts use the key separator of the library, which may differ from that of the files.
      const { separators } = used
      const keySeparators = [...separators.keySeparators, keySeparator]
      const matcher = new KeyMatcher({ ...separators, keySeparators, namespacePrefix: true })
      for (const reference of fresh) {
        mentioned.add(reference)
        matcher.addText(nameOf(reference))
      }
      all = all.with(
        keys.flatMap(({ namespace, key }) => {
          const reason = matcher.find(namespace, key)
          return reason ? [[namespace, key, reason] as const] : []
        }),
      )
    }
  }
}

interface ReferringKey {
  readonly namespace: string
  readonly key: string
  readonly references: Set<string>
}

function referringKeys(namespace: string, texts: ReturnType<TextsOf>): ReferringKey[] {
  const keys = new Map<string, ReferringKey>()
  for (const [key, text] of texts) {
    const known = keys.get(key) ?? { namespace, key, references: new Set() }
    keys.set(key, known)
    for (const reference of referencesIn(text)) known.references.add(reference)
  }
  return [...keys.values()]
}

function referencesIn(text: string): string[] {
  const found: string[] = []
  if (text.includes('$t(')) for (const [, key = ''] of text.matchAll(NESTED)) found.push(unquoted(key))
  if (text.includes('@'))
    for (const [, bracketed, literal, bare = ''] of text.matchAll(LINKED))
      found.push(bracketed ?? literal ?? bare.replace(/[.,:]+$/, ''))
  return found.filter((key) => key !== '')
}

function unquoted(key: string): string {
  return key.trim().replace(/^(['"])(.*)\1$/, '$2')
}

/** Returns a pattern for a computed reference such as `$t({{name}}.title)`, in which a value is part of the key. */
function nameOf(reference: string): Name {
  const isPattern = reference.includes('{')
  const text = isPattern ? `*${reference.split(/\{+[^}]*\}+/).join('*')}*` : reference
  return { text, isPattern, reach: 'all', reason: { kind: 'reference', name: reference } }
}
