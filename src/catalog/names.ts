/** Translates the service's names to the app's names, and filters them. */

import picomatch from 'picomatch'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import { languageName } from '../shared/language-name.ts'
import { isLikeTag } from '../shared/language-tag.ts'
import { inheritanceKey, listedChildren, parentTags } from '../shared/parent-languages.ts'
import { type Catalog, createCatalog, type Language, type PartInput } from './model.ts'

/**
 * The service's catalog under the app's names, with only the selected namespaces and customers. Applies `languageMap`,
 * and renames the namespace `""` to `defaultNamespace`. Throws if two names would become the same, because their texts
 * would be mixed.
 */
export function toAppCatalog(
  catalog: Catalog,
  settings: Pick<ResolvedConfig, 'languageMap' | 'defaultNamespace' | 'namespaces' | 'customers'>,
): Catalog {
  const language = uniqueRenamer('language', 'languageMap', (key) => appLanguage(key, settings))
  const namespace = uniqueRenamer('namespace', 'defaultNamespace', (name) => appNamespace(name, settings))
  const isWanted = nameFilter(settings.namespaces)
  const parts: PartInput[] = []
  for (const part of catalog.parts) {
    const name = namespace(part.namespace)
    if (!isWanted(name) || (part.customer !== undefined && !settings.customers.includes(part.customer))) continue
    const { customer, lazy } = part
    const names = { language: language(part.language), namespace: name, ...(customer !== undefined && { customer }) }
    parts.push(lazy ? { ...names, lazy } : { ...names, messages: part.messages, values: part.values })
  }
  const languages = catalog.languages.map(
    ({ key, name, isDefault }): Language => ({
      key: language(key),
      name: name === '' ? languageName(language(key)) : name,
      isDefault,
    }),
  )
  return createCatalog({ languages, parts })
}

export function appLanguage(key: string, { languageMap }: Pick<ResolvedConfig, 'languageMap'>): string {
  return Object.hasOwn(languageMap, key) ? (languageMap[key] as string) : key
}

export function serviceLanguage(code: string, { languageMap }: Pick<ResolvedConfig, 'languageMap'>): string {
  return Object.entries(languageMap).find(([, app]) => app === code)?.[0] ?? code
}

export function appNamespace(name: string, { defaultNamespace }: Pick<ResolvedConfig, 'defaultNamespace'>): string {
  return name === '' ? defaultNamespace : name
}

export function serviceNamespace(name: string, { defaultNamespace }: Pick<ResolvedConfig, 'defaultNamespace'>): string {
  return name === defaultNamespace ? '' : name
}

/**
 * Returns a test for names and globs. `!name` excludes a name. If all patterns are exclusions, all other names are
 * included. A name always matches itself, even if it contains glob characters. `undefined` matches everything.
 */
export function nameFilter(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (!patterns) return () => true
  const without = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const within = patterns.filter((pattern) => !pattern.startsWith('!'))
  const isWithin = anyOf(within)
  const isWithout = anyOf(without)
  return (name) => (within.length === 0 || isWithin(name)) && !isWithout(name)
}

export type LanguageSettings = Partial<Pick<ResolvedConfig, 'languages' | 'languageMap' | 'defaultLanguage' | 'pseudo'>>

/**
 * Returns a test for the app's languages. A name that occurs only in file names must look like a language tag, unless
 * an option names it.
 */
export function languageFilter(
  settings: LanguageSettings,
): (language: Pick<Language, 'key' | 'isInferred'>) => boolean {
  const { languages, languageMap = {}, defaultLanguage, pseudo } = settings
  const isWanted = nameFilter(languages)
  const named = new Set([...(languages ?? []), ...Object.values(languageMap), defaultLanguage, pseudo])
  return ({ key, isInferred }) => isWanted(key) && (!isInferred || named.has(key) || isLikeTag(key))
}

/** Returns a test for keys. A key may be a sentence, so `*` also matches slashes and line feeds. */
export const keyGlob = (glob: string, options: picomatch.PicomatchOptions = {}) =>
  picomatch(glob, { dot: true, bash: true, flags: 's', ...options })

function anyOf(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns)
  const globs = patterns.filter((pattern) => !isLiteral(pattern)).map((pattern) => picomatch(pattern, { dot: true }))
  return (name) => exact.has(name) || globs.some((matches) => matches(name))
}

/**
 * Returns a test for languages whose texts can reach the app: the app's languages, their fallbacks and their parents.
 */
export function relevantLanguages({
  languages,
  fallback,
  defaultLanguage = 'en',
}: Pick<ResolvedConfig, 'languages' | 'fallback' | 'defaultLanguage'>): (language: string) => boolean {
  const isWanted = nameFilter(languages)
  if (!languages || fallback === false) return isWanted
  const chained = new Set([defaultLanguage, ...Object.values(fallback).flat()])
  const isParent = parentFilter(
    [...languages, defaultLanguage].filter((language) => !Object.hasOwn(fallback, language)),
    languages,
  )
  return (language) => isWanted(language) || chained.has(language) || isParent(language)
}

/**
 * Returns a test for the parents of the languages that match the patterns. It is false for every language that a
 * pattern excludes.
 */
function parentFilter(patterns: readonly string[], languages: readonly string[]): (language: string) => boolean {
  const children = patterns.flatMap((pattern) => {
    if (isLiteral(pattern)) return [pattern]
    if (pattern.startsWith('!')) return []
    // `pt-*` may match any child of `pt`. The languages in `listedChildren` have parents that their names do not show.
    const stem = pattern.slice(0, pattern.search(GLOB)).replace(/[-_]$/, '')
    return [`${stem}-x-any`, ...[...listedChildren()].filter(nameFilter([pattern]))]
  })
  const parents = new Set(children.flatMap(parentTags).map(inheritanceKey))
  const excluded = languages.filter((pattern) => pattern.startsWith('!'))
  const isKept = nameFilter(excluded.length > 0 ? excluded : undefined)
  return (language) => parents.has(inheritanceKey(language)) && isKept(language)
}

const GLOB = /[*?[\]{}!()]/

/** True if the pattern is a plain name. */
export function isLiteral(pattern: string): boolean {
  return !GLOB.test(pattern)
}

function uniqueRenamer(what: string, option: string, rename: (name: string) => string): (name: string) => string {
  const origins = new Map<string, string>()
  return (name) => {
    if (what === 'language' && name === '') {
      throw new LocalizationError('the service has a language without a key', {
        code: 'CATALOG_NAME',
        hint: 'Set its language key on the service.',
      })
    }
    const renamed = rename(name)
    const origin = origins.get(renamed)
    if (origin !== undefined && origin !== name) {
      const [one, other, both] = [origin, name, renamed].map((each) => JSON.stringify(each))
      throw new LocalizationError(`two ${what}s on the service, ${one} and ${other}, would both be ${both}`, {
        code: 'CATALOG_NAME',
        hint: `Change the option ${option} so that all names differ.`,
      })
    }
    origins.set(renamed, name)
    return renamed
  }
}
