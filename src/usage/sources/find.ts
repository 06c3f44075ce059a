/**
 * Finds the keys that a project uses: in its sources, by strings in other files, and by texts that refer to other keys
 * (i18next's `$t(other.key)` and vue-i18n's `@:other.key`).
 */
import type { Catalog } from '../../catalog/model.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { KeyMatcher, type Name } from '../key-matcher.ts'
import type { Modules, ReasonOf, UseReason } from '../model.ts'
import { createUsedKeys, type UsedKeys } from '../used-keys.ts'
import { fileFilter } from './list.ts'

/** @param more names and globs that apply in addition to those in the options */
export function findUsedKeys(
  { config, catalog }: { readonly config: ResolvedConfig; readonly catalog: Catalog },
  modules: Modules,
  more: { readonly keep?: readonly string[] | undefined; readonly ignoreIn?: readonly string[] | undefined } = {},
): UsedKeys {
  const { prune, defaultNamespace, keySeparator, namespacePrefix } = config
  const used = createUsedKeys(modules, {
    defaultNamespace,
    namespaces: catalog.namespaces,
    keySeparator,
    namespacePrefix,
    keep: [...(prune ? prune.keep : []), ...(more.keep ?? [])],
    ...(prune && { onUnknown: prune.onUnknown }),
    isIgnored: fileFilter(config.root, ignoredIn(config, more.ignoreIn)),
  })
  const textsOf = (namespace: string) =>
    catalog.parts.filter((part) => part.namespace === namespace).flatMap(({ messages }) => [...messages])
  const close = createReferenceCloser(catalog.namespaces, textsOf, { keySeparator })
  return close(withNames(used, modules, config))
}

export function ignoredIn({ prune }: ResolvedConfig, more: readonly string[] = []): string[] {
  return [...(prune ? prune.ignoreIn : []), ...more]
}

/**
 * Returns a function that finds a string that names a key, with or without its namespace. For a plural or context form,
 * a string with the base key counts too.
 * @param modules modules that were analyzed with `literals: 'all'`
 */
export function createTextFinder(
  modules: Modules,
  { keySeparator, pluralSeparator }: Pick<ResolvedConfig, 'keySeparator' | 'pluralSeparator'>,
  field: 'literals' | 'names' = 'literals',
): ReasonOf {
  const matcher = new KeyMatcher({
    keySeparators: ['.', keySeparator],
    nsSeparators: [':'],
    formSeparators: ['_', pluralSeparator],
  })
  for (const [file, usage] of modules)
    for (const { text, isPattern, line, column } of usage[field] ?? []) {
      const reason: UseReason = { kind: isPattern ? 'pattern' : 'literal', name: text, file, line, column }
      matcher.addText({ text, isPattern, reach: isPattern ? 'only' : 'forms', reason })
    }
  return (namespace, key) => matcher.find(namespace, key)
}

/** Marks keys named in the files of `usage.literalsIn` as used. */
export function withNames(
  used: UsedKeys,
  modules: Modules,
  config: Pick<ResolvedConfig, 'keySeparator' | 'pluralSeparator'>,
): UsedKeys {
  const texts = modules.filter(([, { names }]) => names)
  return texts.length === 0 ? used : used.with(createTextFinder(texts, config, 'names'))
}

/** The texts of one namespace in all languages. */
export type TextsOf = (namespace: string) => Iterable<readonly [key: string, text: string]>

const NESTED = /\$t\(\s*([^,)]*)/g
const LINKED = /@(?:\.[\w]+)?:(?:\(([^()]*)\)|\{\s*'([^']*)'\s*\}|([^\s()|@{}'"`,;!?<>]+))/g

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
    const { separators } = used
    // References in texts use the key separator of the library, which may differ from that of the files.
    const keySeparators = [...separators.keySeparators, keySeparator]
    const matcher = new KeyMatcher({ ...separators, keySeparators, namespacePrefix: true })
    const all = used.with((namespace, key) => matcher.find(namespace, key))
    const mentioned = new Set<string>()
    for (;;) {
      const usedKeys = keys.filter(({ namespace, key }) => all.isUsed(namespace, key))
      const fresh = new Set(usedKeys.flatMap(({ references }) => references.filter((each) => !mentioned.has(each))))
      if (fresh.size === 0) return all
      for (const reference of fresh) {
        mentioned.add(reference)
        matcher.addText(nameOf(reference))
      }
    }
  }
}

/** The keys whose texts refer to other keys. */
function referringKeys(namespace: string, texts: ReturnType<TextsOf>) {
  const keys = new Map<string, Set<string>>()
  for (const [key, text] of texts)
    for (const reference of referencesIn(text)) keys.set(key, (keys.get(key) ?? new Set()).add(reference))
  return [...keys].map(([key, references]) => ({ namespace, key, references: [...references] }))
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
