/** Finds the keys that a library looks up for one key in the code: its plural forms and contexts. */

import type { Conventions } from '../cross-module.ts'
import type { PluralStyle, UseDetails } from '../model.ts'
import type { KnownTexts } from './places.ts'

export interface WantedForm {
  readonly key: string
  /** The plural form, named as in default texts; `''` if there is none. */
  readonly form: string
}

export interface WantedForms {
  /** The keys that have no text. */
  readonly missing: readonly WantedForm[]
  /** Why the forms cannot be determined. */
  readonly problem?: string
}

const NONE: WantedForms = { missing: [] }

export interface FormSettings {
  readonly texts: KnownTexts
  readonly conventions: Conventions
  readonly language: string
}

/** @param plurals the plural style of the call's library; `undefined` if the library is unknown */
export function missingForms(
  { key, namespaces }: { readonly key: string; readonly namespaces: readonly string[] },
  details: UseDetails,
  plurals: PluralStyle | 'unknown' | undefined,
  { texts, conventions, language }: FormSettings,
): WantedForms {
  if (details.isBranch && !namespaces.some((namespace) => texts.has(namespace, key)))
    return { missing: [], problem: 'the call reads all texts below it (returnObjects)' }
  const has = (name: string) => namespaces.some((namespace) => texts.has(namespace, name))
  const { pluralSeparator, contextSeparator } = conventions
  const separators = [pluralSeparator, contextSeparator, '_'].filter((each) => each !== undefined)
  const hasForm = namespaces.some((namespace) => texts.hasForm(namespace, key, separators))
  const plain = (name: string): WantedForms => ({ missing: has(name) ? [] : [{ key: name, form: '' }] })
  if (plurals === 'messages') return plain(key)
  const { plural, contexts, isOpen } = details
  if (!plural && !contexts && !isOpen) return plain(key)
  if (has(key) && (isOpen || !contexts || contexts.length !== 1)) return NONE
  if (plurals === undefined) return hasForm || has(key) ? NONE : { missing: [], problem: UNKNOWN_LIBRARY }
  if (plurals === 'unknown') return hasForm || has(key) ? NONE : { missing: [], problem: UNKNOWN_FORMAT }
  if (isOpen) return hasForm ? NONE : { missing: [], problem: UNKNOWN_OPTIONS }
  const needed = [plural && 'pluralSeparator', contexts && 'contextSeparator'].filter((name) => name !== undefined)
  if ((plural && pluralSeparator === undefined) || (contexts && contextSeparator === undefined))
    return hasForm ? NONE : { missing: [], problem: `i18next's ${needed.join(' and ')} cannot be read` }
  const stems = contexts ? contexts.map((each) => (each === '' ? key : key + contextSeparator + each)) : [key]
  if (!plural) return { missing: stems.flatMap((stem) => plain(stem).missing) }
  const separator = pluralSeparator ?? '_'
  const forms = pluralForms(language, plural, separator, isOldFormat(namespaces, texts, separator))
  if (!forms) return { missing: [], problem: OLD_FORMAT }
  // If a form has no text, the library shows the text of the base key.
  const open = stems.filter((stem) => !has(stem) || forms.some(({ ending }) => ending === ''))
  const missing = open.flatMap((stem) => forms.map(({ ending, form }) => ({ key: stem + ending, form })))
  return { missing: missing.filter((each) => !has(each.key)) }
}

/** True if the keys use i18next's older plural format: `item` and `item_plural`. */
function isOldFormat(namespaces: readonly string[], texts: KnownTexts, separator: string): boolean {
  const hasEnding = (ending: string) => namespaces.some((namespace) => texts.hasEnding(namespace, separator + ending))
  return hasEnding('plural') && !hasEnding('other')
}

/**
 * The key suffix for each form. `undefined` for languages whose forms are numbered in the older format, because the
 * numbers are not known here.
 */
function pluralForms(language: string, kind: 'cardinal' | 'ordinal', separator: string, isOld: boolean) {
  const categories = categoriesOf(language, kind)
  if (isOld) {
    if (kind === 'ordinal' || categories.join(' ') !== 'one other') return undefined
    return [
      { ending: '', form: 'one' },
      { ending: `${separator}plural`, form: 'other' },
    ]
  }
  return categories.map((category) => {
    const names = kind === 'ordinal' ? ['ordinal', category] : [category]
    return { ending: names.map((name) => separator + name).join(''), form: names.join('_') }
  })
}

const OLD_FORMAT = "i18next's older plural format is unknown for this language"
const UNKNOWN_LIBRARY = 'the library is unknown, so the plural forms of the key are too: set "usage.plurals"'
export const UNKNOWN_FORMAT =
  'calls with a count or a context are skipped, because the keys of the i18nFormat plugin are unknown: set ' +
  '"usage.plurals"'
const UNKNOWN_OPTIONS = 'the call may pass a count or a context that the analysis cannot see'

/** All plural categories, in the order in which files list them. */
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const

function categoriesOf(language: string, type: Intl.PluralRuleType): readonly string[] {
  try {
    const { pluralCategories } = new Intl.PluralRules(language.replaceAll('_', '-'), { type }).resolvedOptions()
    return CATEGORIES.filter((category) => pluralCategories.includes(category))
  } catch {
    // The name is not a valid language tag. Every language has at least the form `other`.
    return ['other']
  }
}
