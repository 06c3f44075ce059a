/** i18next's plural forms: `item_one`, `item_other`, `item_ordinal_two`. Pure. */
import type { Messages } from './model.ts'
import { type LanguagePlurals, PLURAL_CATEGORIES, type PluralType } from './plural-rules.ts'

export interface PluralKey {
  /** For example `item`. */
  readonly base: string
  readonly type: PluralType
  readonly category: string
  /** The part before the category, such as `item_` or `item_ordinal_`. */
  readonly prefix: string
}

const CATEGORIES: ReadonlySet<string> = new Set(PLURAL_CATEGORIES)

/**
 * Splits a key; returns `undefined` if it does not end like a plural form. Unrelated keys may also match: see
 * `isPluralGroup`.
 */
export function parsePluralKey(key: string, separator: string): PluralKey | undefined {
  const at = key.lastIndexOf(separator)
  const category = key.slice(at + separator.length)
  if (at <= 0 || !CATEGORIES.has(category)) return undefined
  const stem = key.slice(0, at)
  const isOrdinal = stem.endsWith(`${separator}ordinal`) && stem.length > separator.length + 'ordinal'.length
  return {
    base: isOrdinal ? stem.slice(0, -`${separator}ordinal`.length) : stem,
    type: isOrdinal ? 'ordinal' : 'cardinal',
    category,
    prefix: `${stem}${separator}`,
  }
}

/** The base itself, and every key that one of its forms can have. */
export function pluralKeysOf({ base, prefix }: PluralKey): readonly string[] {
  return [base, ...PLURAL_CATEGORIES.map((category) => prefix + category)]
}

/** The forms of a base, without empty texts. */
export interface PluralGroup {
  readonly key: PluralKey
  readonly categories: ReadonlySet<string>
  /** The key of the first form in the file. */
  readonly firstKey: string
}

/** The groups of forms, by prefix. */
export function pluralGroups(messages: Messages, separator: string): ReadonlyMap<string, PluralGroup> {
  const groups = new Map<string, PluralGroup & { readonly categories: Set<string> }>()
  for (const [name, text] of messages) {
    const key = text === '' ? undefined : parsePluralKey(name, separator)
    if (!key) continue
    const known = groups.get(key.prefix)
    if (known) known.categories.add(key.category)
    else groups.set(key.prefix, { key, categories: new Set([key.category]), firstKey: name })
  }
  return groups
}

/**
 * True if these forms are certainly a plural. These are not plurals: `size_one` and `size_many` alone,
 * `gender_male` and `gender_other`, or in English `step_one`, `step_two` and `step_other`.
 * @param plurals the rules of the group's language
 */
export function isPluralGroup(group: PluralGroup | undefined, plurals: LanguagePlurals | undefined): boolean {
  if (!group || !plurals) return false
  const { categories, key } = group
  // i18next accepts `zero` in every language.
  if (![...categories].every((category) => category === 'zero' || plurals.categories.has(category))) return false
  if (key.type === 'ordinal') return categories.has('other')
  const required = plurals.required()
  const isWhole = required.length > 1 && required.every((category) => categories.has(category))
  return isWhole || (categories.has('one') && categories.has('other'))
}
