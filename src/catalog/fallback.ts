/** The languages that fill a language's gaps. Pure. */
import type { ResolvedConfig } from '../config/types.ts'
import { inheritanceKey, parentTags } from '../shared/parent-languages.ts'
import { groupsByKey } from '../shared/split.ts'

export type Fallback = ResolvedConfig['fallback']

/** Returns the languages that fill a language's gaps, in order. */
export type FallbacksOf = (language: string) => readonly string[]

/**
 * The languages that fill gaps before the default language does: those in the option `fallback`, or else the language's
 * CLDR parents, if they exist. Finds a parent in any spelling: `pt_BR` for `pt-BR`, or `zh-TW` for `zh-Hant-TW`.
 *
 * @param languages the existing languages
 */
export function createFallbacks(languages: readonly string[], fallback: Fallback): FallbacksOf {
  if (fallback === false) return () => []
  const known = new Map<string, readonly string[]>()
  let byKey: ReadonlyMap<string, readonly string[]> | undefined
  return (language) => {
    if (Object.hasOwn(fallback, language)) return fallback[language] as readonly string[]
    byKey ??= groupsByKey(languages, inheritanceKey)
    const fallbacks = known.get(language) ?? findParents(language, byKey)
    known.set(language, fallbacks)
    return fallbacks
  }
}

function findParents(language: string, byKey: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const parents = parentTags(language).flatMap((tag) => byKey.get(inheritanceKey(tag)) ?? [])
  return [...new Set(parents)].filter((each) => each !== language)
}

/**
 * The languages whose texts a language shows, starting with itself. Ends with the default language's chain,
 * so that every language has all of the default language's texts.
 */
export function createChain(
  languages: readonly string[],
  { fallback, defaultLanguage }: { readonly fallback: Fallback; readonly defaultLanguage: string },
): FallbacksOf {
  if (fallback === false) return (language) => [language]
  const fallbacksOf = createFallbacks(languages, fallback)
  return (language) => [
    ...new Set([language, ...fallbacksOf(language), defaultLanguage, ...fallbacksOf(defaultLanguage)]),
  ]
}
