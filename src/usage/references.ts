/** Keys that texts refer to: i18next's `$t(other.key)` and vue-i18n's `@:other.key`. */
import { escapeRegExp } from '../shared/escape-regexp.ts'
import { beginningsOf, type KeyMatcherOptions, stemsOf } from './key-matcher.ts'
import type { UsedKeys } from './used-keys.ts'

/** The texts of one namespace in every language: key and text. */
export type TextsOf = (namespace: string) => Iterable<readonly [key: string, text: string]>

const NESTED = /\$t\(\s*([^,)]*)/g
const LINKED = /@(?:\.[\w]+)?:(?:\(([^)]*)\)|\{\s*'([^']*)'\s*\}|([^\s()|@{}'"`,;!?<>]+))/g

/**
 * Returns a function that keeps the keys that the texts of used keys refer to, recursively. A computed reference keeps
 * every key that it may mean. The texts are read once.
 */
export function createReferenceCloser(
  namespaces: readonly string[],
  textsOf: TextsOf,
  { keySeparator = '.' }: { readonly keySeparator?: string } = {},
): (used: UsedKeys) => UsedKeys {
  /** The reference that means the key. */
  const referenceTo = (
    { namespace, key }: ReferringKey,
    references: ReadonlySet<string>,
    { keySeparators, nsSeparators, formSeparators, hasUnknownForms }: KeyMatcherOptions,
  ): string | undefined => {
    const joints = [...new Set([...formSeparators, ...keySeparators, keySeparator, '.'])].filter((each) => each !== '')
    const fronts = [...nsSeparators, ...keySeparators, keySeparator, '.']
    const prefixes = ['', ...new Set(fronts.map((front) => namespace + front))]
    // References in texts use the library's separator, which may differ from that of the files.
    const names = [
      key,
      ...keySeparators.map((separator) => key.replaceAll(keySeparator, separator)),
      key.replaceAll(keySeparator, '.'),
    ]
    const stems = new Set(names.flatMap((name) => (hasUnknownForms ? beginningsOf(name) : stemsOf(name, joints))))
    for (const stem of stems) {
      const prefix = prefixes.find((each) => references.has(each + stem))
      if (prefix !== undefined) return prefix + stem
    }
    // `$t({{name}}.title)`: a part of the key is a value.
    const computed = [...references].filter((reference) => reference.includes('{'))
    return computed.find((reference) => names.some((name) => isLike(reference, name)))
  }
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
      for (const reference of fresh) mentioned.add(reference)
      all = all.with(
        keys.flatMap((each) => {
          const name = referenceTo(each, fresh, used.separators)
          return name === undefined ? [] : [[each.namespace, each.key, { kind: 'reference', name }] as const]
        }),
      )
    }
  }
}

/** A key, and the keys that its texts refer to. */
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

function isLike(reference: string, key: string): boolean {
  const fixed = reference.split(/\{+[^}]*\}+/).map(escapeRegExp)
  return new RegExp(fixed.join('.*'), 's').test(key)
}
