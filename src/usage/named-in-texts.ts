/** Texts in the sources that equal a key, and templates that may: such a key is perhaps used without a known call. */
import type { Catalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { escapeRegExp } from '../shared/escape-regexp.ts'
import { PatternIndex } from './kept.ts'
import { stemsOf } from './key-matcher.ts'
import type { ModuleUsage, ReasonOf, UseReason } from './model.ts'
import type { UsedKeys } from './used-keys.ts'

/**
 * Finds the text that names a key: the whole key, with the namespace in front or without, or what a form is of.
 * @param modules analyzed with all literals
 */
export function createTextFinder(
  modules: readonly (readonly [file: string, usage: ModuleUsage])[],
  { keySeparator, pluralSeparator }: Pick<ResolvedConfig, 'keySeparator' | 'pluralSeparator'>,
  field: 'literals' | 'names' = 'literals',
): ReasonOf {
  const exact = new Map<string, UseReason>()
  const patterns = new Map<string, UseReason>()
  for (const [file, usage] of modules)
    for (const { text, isPattern, line, column } of usage[field] ?? []) {
      const texts = isPattern ? patterns : exact
      if (!texts.has(text)) texts.set(text, { kind: isPattern ? 'pattern' : 'literal', name: text, file, line, column })
    }
  const index = new PatternIndex<UseReason>()
  for (const [text, reason] of patterns) {
    let pattern: RegExp | undefined
    const matches = (name: string) => {
      pattern ??= new RegExp(`^${text.split('*').map(escapeRegExp).join('.*')}$`, 's')
      return pattern.test(name)
    }
    index.add(text.slice(0, text.indexOf('*')), matches, reason)
  }
  return (namespace, given) => {
    const keys = new Set([given, given.replaceAll(keySeparator, '.')])
    const names = [...keys].flatMap((key) => [key, `${namespace}:${key}`, `${namespace}.${key}`])
    for (const name of names)
      for (const stem of stemsOf(name, ['_', pluralSeparator])) {
        const found = exact.get(stem)
        if (found) return found
      }
    for (const name of names) {
      const found = index.find(name)
      if (found) return found
    }
    return undefined
  }
}

/** Adds the keys that files of any type name. */
export function withNames(
  used: UsedKeys,
  modules: readonly (readonly [file: string, usage: ModuleUsage])[],
  { namespaces, parts }: Catalog,
  config: Pick<ResolvedConfig, 'keySeparator' | 'pluralSeparator'>,
): UsedKeys {
  const texts = modules.filter(([, { names }]) => names)
  if (texts.length === 0) return used
  const reasonOf = createTextFinder(texts, config, 'names')
  const named = namespaces.flatMap((namespace) => {
    const own = parts.filter((part) => part.namespace === namespace)
    // The name of an array is not a key of its texts.
    const keys = new Set(own.flatMap(({ messages, values }) => [...messages.keys(), ...(values?.keys() ?? [])]))
    return [...keys].flatMap((key) => {
      const reason = reasonOf(namespace, key)
      return reason ? [[namespace, key, reason] as const] : []
    })
  })
  return used.with(named)
}
