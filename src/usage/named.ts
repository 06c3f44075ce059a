/** Finds keys and files that options name, and keys that occur as strings. */

import picomatch from 'picomatch'
import type { Catalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { KeyMatcher, PatternIndex } from './key-matcher.ts'
import type { Modules, ReasonOf, UseReason } from './model.ts'

/**
 * Returns a function that gives the reason why a key is kept: the pattern in `keep` that matches the key. Results are
 * cached, because each language has the same keys.
 */
export function keepFilter(patterns: readonly string[] = []): ReasonOf {
  const names = new Set(patterns)
  const globs = new PatternIndex<string>()
  for (const name of names) if (/[^\p{L}\p{N}\s.,:;_/-]/u.test(name)) globs.add(startOf(name), matcherOf(name), name)
  const judge = (namespace: string, key: string): UseReason | undefined => {
    const name = [key, `${namespace}:${key}`].map((each) => (names.has(each) ? each : globs.find(each)))
    const found = name.find((each) => each !== undefined)
    return found === undefined ? undefined : { kind: 'keep', name: found }
  }
  const judged = new Map<string, Map<string, UseReason | undefined>>()
  return (namespace, key) => {
    const known = judged.get(namespace) ?? new Map<string, UseReason | undefined>()
    judged.set(namespace, known)
    if (!known.has(key)) known.set(key, judge(namespace, key))
    return known.get(key)
  }
}

/** Compiles a glob when it is first used. */
function matcherOf(glob: string): (key: string) => boolean {
  let matches: ((key: string) => boolean) | undefined
  return (key) => {
    matches ??= picomatch(glob, { dot: true, bash: true })
    return matches(key)
  }
}

/**
 * The text before the first `*` or `?`, with which every match begins. Returns `''` if the glob has other special
 * characters, because these may introduce alternatives.
 */
function startOf(glob: string): string {
  return /^[\p{L}\p{N}\s.,:;_*?-]+$/u.test(glob) ? (/^[^*?]*/.exec(glob)?.[0] ?? '') : ''
}

export function fileFilter(patterns: readonly string[] = []): (file: string) => boolean {
  const matches = patterns.map((pattern) => picomatch(pattern.replace(/^\.\//, ''), { dot: true }))
  return (file) => {
    const path = file.replaceAll('\\', '/').replace(/[?#].*$/, '')
    const ends = [path, ...[...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1))]
    return matches.some((match) => ends.some((end) => match(end)))
  }
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

type NamedKey = readonly [namespace: string, key: string, reason: UseReason]

/** Marks keys named in the files of `usage.literalsIn` as used. */
export function withNames<Used extends { with(named: readonly NamedKey[]): Used }>(
  used: Used,
  modules: Modules,
  { namespaces, parts }: Catalog,
  config: Pick<ResolvedConfig, 'keySeparator' | 'pluralSeparator'>,
): Used {
  const texts = modules.filter(([, { names }]) => names)
  if (texts.length === 0) return used
  const reasonOf = createTextFinder(texts, config, 'names')
  const named = namespaces.flatMap((namespace) => {
    const own = parts.filter((part) => part.namespace === namespace)
    // The key of an array has no text, so only `values` contains it.
    const keys = new Set(own.flatMap(({ messages, values }) => [...messages.keys(), ...(values?.keys() ?? [])]))
    return [...keys].flatMap((key) => {
      const reason = reasonOf(namespace, key)
      return reason ? [[namespace, key, reason] as const] : []
    })
  })
  return used.with(named)
}
