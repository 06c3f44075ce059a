/** The keys that a library looks for when the code asks for one: its plural forms and its contexts. */
import type { PluralStyle, UseDetails } from '../model.ts'
import type { Conventions } from './conventions.ts'
import type { KnownTexts } from './texts.ts'

export interface WantedForm {
  readonly key: string
  /** The plural form, as default texts name it; `''`: none. */
  readonly form: string
}

export interface WantedForms {
  /** The keys that have no text. */
  readonly missing: readonly WantedForm[]
  /** Why nothing can be said about the forms. */
  readonly problem?: string
}

const NONE: WantedForms = { missing: [] }

export interface FormSettings {
  readonly texts: KnownTexts
  readonly conventions: Conventions
  /** The default language. */
  readonly language: string
}

/** @param plurals how the library of the call writes plurals; `undefined`: it is unknown */
export function missingForms(
  { key, namespaces }: { readonly key: string; readonly namespaces: readonly string[] },
  details: UseDetails,
  plurals: PluralStyle | undefined,
  { texts, conventions, language }: FormSettings,
): WantedForms {
  const has = (name: string) => namespaces.some((namespace) => texts.has(namespace, name))
  const { pluralSeparator, contextSeparator } = conventions
  const separators = [pluralSeparator, contextSeparator, '_'].filter((each) => each !== undefined)
  const hasForm = namespaces.some((namespace) => texts.hasForm(namespace, key, separators))
  const plain = (name: string): WantedForms => ({ missing: has(name) ? [] : [{ key: name, form: '' }] })
  if (plurals === 'messages') return plain(key)
  const { plural, contexts, isOpen } = details
  if (!plural && !contexts && !isOpen) return plain(key)
  if (has(key) && (isOpen || !contexts || contexts.length !== 1)) return NONE
  // The function is known by its name only: its library may have no such forms.
  if (plurals === undefined) return hasForm || has(key) ? NONE : { missing: [], problem: UNKNOWN_LIBRARY }
  if (isOpen) return hasForm ? NONE : { missing: [], problem: UNKNOWN_OPTIONS }
  const needed = [plural && 'pluralSeparator', contexts && 'contextSeparator'].filter((name) => name !== undefined)
  if ((plural && pluralSeparator === undefined) || (contexts && contextSeparator === undefined))
    return hasForm ? NONE : { missing: [], problem: `${needed.join(' and ')} of i18next cannot be read` }
  // The first context that the code spells out stands for the call. Without a text of its own, the key's text shows.
  const stems = contexts ? contexts.map((each) => (each === '' ? key : key + contextSeparator + each)) : [key]
  if (!plural) return { missing: stems.flatMap((stem) => plain(stem).missing) }
  return { missing: stems.flatMap((stem) => missingPlurals(stem, plural)) }

  function missingPlurals(stem: string, kind: 'cardinal' | 'ordinal'): WantedForm[] {
    // The key itself shows where a form has no text.
    if (has(stem) || isOldFormat(stem)) return []
    const forms = categoriesOf(language, kind).map((category) => {
      const form = kind === 'ordinal' ? `ordinal_${category}` : category
      return { key: stem + pluralSeparator + form.replace('_', pluralSeparator ?? '_'), form }
    })
    return forms.filter((form) => !has(form.key))
  }

  /** i18next's older format has `item` and `item_plural`. */
  function isOldFormat(stem: string): boolean {
    return has(`${stem}${pluralSeparator}plural`)
  }
}

const UNKNOWN_LIBRARY = 'which plural forms the key has depends on the library, which is unknown here'
const UNKNOWN_OPTIONS = 'the call may give a count or a context that cannot be seen'

/** As files list them. */
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const

function categoriesOf(language: string, type: Intl.PluralRuleType): readonly string[] {
  try {
    const { pluralCategories } = new Intl.PluralRules(language.replaceAll('_', '-'), { type }).resolvedOptions()
    return CATEGORIES.filter((category) => pluralCategories.includes(category))
  } catch {
    // Not a language tag: the form that every language has.
    return ['other']
  }
}
