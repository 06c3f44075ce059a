/** Keys that texts refer to: i18next's `$t(other.key)` and vue-i18n's `@:other.key`. Pure. */
import type { UsedKeys } from './used-keys.ts'

/** The texts of one namespace, of every language: key and text. */
export type TextsOf = (namespace: string) => Iterable<readonly [key: string, text: string]>

const NESTED = /\$t\(\s*([^,)]*)/g
const LINKED = /@(?:\.[\w]+)?:(?:\(([^)]*)\)|\{\s*'([^']*)'\s*\}|([^\s()|@{}'"`,;!?<>]+))/g

/** Also keeps the keys that texts of kept keys refer to, and theirs in turn. A reference that is computed keeps everything it may mean. */
export function closeOverReferences(
  used: UsedKeys,
  namespaces: readonly string[],
  textsOf: TextsOf,
  separators?: Separators,
): UsedKeys {
  return createReferenceCloser(namespaces, textsOf, separators)(used)
}

interface Separators {
  readonly nsSeparator?: string
  readonly keySeparator?: string
}

/** The same for several sets of used keys: the texts are read once. */
export function createReferenceCloser(
  namespaces: readonly string[],
  textsOf: TextsOf,
  { nsSeparator = ':', keySeparator = '.' }: Separators = {},
): (used: UsedKeys) => UsedKeys {
  const keys = new Map<string, Map<string, Set<string>>>()
  const known: (readonly [namespace: string, key: string])[] = []
  for (const namespace of namespaces) {
    const ofNamespace = new Map<string, Set<string>>()
    for (const [key, text] of textsOf(namespace)) {
      const references = ofNamespace.get(key) ?? new Set()
      ofNamespace.set(key, references)
      for (const reference of referencesIn(text)) references.add(reference)
    }
    for (const key of ofNamespace.keys()) known.push([namespace, key])
    keys.set(namespace, ofNamespace)
  }
  const matches = createReferenceMatcher(nsSeparator, keySeparator)
  return (used) => {
    const mentioned = new Set<string>()
    let all = used
    for (;;) {
      const fresh = new Set<string>()
      for (const [namespace, key] of known) {
        const references = keys.get(namespace)?.get(key)
        if (!references || references.size === 0 || !all.isUsed(namespace, key)) continue
        for (const reference of references)
          if (!mentioned.has(reference)) {
            mentioned.add(reference)
            fresh.add(reference)
          }
      }
      if (fresh.size === 0) return all
      all = all.with(known.filter(([namespace, key]) => matches(fresh, namespace, key)))
    }
  }
}

function referencesIn(text: string): string[] {
  const found: string[] = []
  if (text.includes('$t(')) for (const [, key = ''] of text.matchAll(NESTED)) found.push(unquoted(key))
  if (text.includes('@'))
    for (const [, bracketed, literal, bare] of text.matchAll(LINKED))
      found.push((bracketed ?? literal ?? bare ?? '').replace(bare === undefined ? /^$/ : /[.,:]+$/, ''))
  return found.filter((key) => key !== '')
}

function unquoted(key: string): string {
  return key.trim().replace(/^(['"])(.*)\1$/, '$2')
}

function createReferenceMatcher(nsSeparator: string, keySeparator: string) {
  return (references: ReadonlySet<string>, namespace: string, key: string): boolean => {
    const stems = [key]
    for (const joint of new Set(['_', keySeparator, '.']))
      if (joint !== '')
        for (let at = key.indexOf(joint); at !== -1; at = key.indexOf(joint, at + 1)) stems.push(key.slice(0, at))
    const fronts = ['', `${namespace}${nsSeparator}`, `${namespace}${keySeparator}`]
    if (stems.some((stem) => fronts.some((front) => references.has(front + stem)))) return true
    // `$t({{name}}.title)`: a part of the key is a value.
    return [...references].some((reference) => /\{\{|\{/.test(reference) && isLike(reference, key))
  }
}

function isLike(reference: string, key: string): boolean {
  const parts = reference.split(/\{+[^}]*\}+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(parts.join('.*'), 's').test(key)
}
