/** Texts in the sources that equal a key, and templates that may: such a key is perhaps used without a known call. */
import type { ResolvedConfig } from '../config/types.ts'
import { escapeRegExp } from '../shared/escape-regexp.ts'
import { stemsOf } from './key-matcher.ts'
import type { ModuleUsage } from './model.ts'
import type { ReasonOf, UseReason } from './reason.ts'

/**
 * Finds the text that names a key: the whole key, with the namespace in front or without, or what a form is of.
 * @param modules analyzed with all literals
 */
export function createTextFinder(
  modules: readonly (readonly [file: string, usage: ModuleUsage])[],
  { keySeparator, pluralSeparator }: Pick<ResolvedConfig, 'keySeparator' | 'pluralSeparator'>,
): ReasonOf {
  const exact = new Map<string, UseReason>()
  const patterns = new Map<string, { readonly pattern: RegExp; readonly reason: UseReason }>()
  for (const [file, { literals = [] }] of modules)
    for (const { text, isPattern, line, column } of literals) {
      const reason: UseReason = { kind: isPattern ? 'pattern' : 'literal', name: text, file, line, column }
      if (!isPattern && !exact.has(text)) exact.set(text, reason)
      if (isPattern && !patterns.has(text)) patterns.set(text, { pattern: patternOf(text), reason })
    }
  return (namespace, given) => {
    const keys = new Set([given, given.replaceAll(keySeparator, '.')])
    const names = [...keys].flatMap((key) => [key, `${namespace}:${key}`, `${namespace}.${key}`])
    for (const name of names)
      for (const stem of stemsOf(name, ['_', pluralSeparator])) {
        const found = exact.get(stem)
        if (found) return found
      }
    for (const { pattern, reason } of patterns.values()) if (names.some((name) => pattern.test(name))) return reason
    return undefined
  }
}

function patternOf(text: string): RegExp {
  return new RegExp(`^${text.split('*').map(escapeRegExp).join('.*')}$`, 's')
}
