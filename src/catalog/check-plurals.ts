/** Checks plurals: the categories that the language needs, and forms that omit the number. Pure. */

import { error, type Problem, showNames, warning } from './finding.ts'
import type { Messages } from './model.ts'
import type { IcuMessage, IcuPlural } from './placeholders.ts'
import { isPluralGroup, type LanguagePlurals, type PluralGroup, type PluralRulesOf } from './plurals.ts'

/**
 * Checks ICU's `plural` and `selectordinal`. Reports at most one problem with categories and one with numbers per text.
 */
export function checkIcuPlurals(
  language: string,
  own: IcuMessage,
  reference: IcuMessage | undefined,
  rulesOf: PluralRulesOf,
): Problem[] {
  const lacks = new Map<string, Lack>()
  const withoutNumber = new Set<string>()
  for (const plural of own.plurals) {
    const rules = rulesOf(language, plural.type)
    if (!rules) continue
    const peers = reference?.plurals.filter(({ name, type }) => name === plural.name && type === plural.type) ?? []
    const lack = missingCategories(plural, peers, rules)
    if (lack) lacks.set(`${lack.categories.join(', ')} of ${showNames([plural.name])}`, lack)
    const isShownBeside = own.besidePlurals.has(plural.name) || reference?.besidePlurals.has(plural.name)
    if (isShownBeside || !peers.some(({ categories }) => categories.get('other'))) continue
    for (const form of formsWithoutNumber(plural, rules)) withoutNumber.add(form)
  }
  return [
    ...describeLacks(lacks, language),
    ...(withoutNumber.size === 0 ? [] : [error('plurals', `does not show ${[...withoutNumber].join(' and ')}`)]),
  ]
}

interface Lack {
  readonly categories: readonly string[]
  /** True if `other` is shown instead of the missing forms. The text may then be correct. */
  readonly isReplaced: boolean
}

function describeLacks(lacks: ReadonlyMap<string, Lack>, language: string): Problem[] {
  if (lacks.size === 0) return []
  const [only] = lacks.values()
  const noun = lacks.size === 1 && only?.categories.length === 1 ? 'category' : 'categories'
  const message = `lacks the plural ${noun} ${[...lacks.keys()].join(' and ')}, which ${language} needs`
  const isReplaced = [...lacks.values()].every((lack) => lack.isReplaced)
  return isReplaced ? [warning('plurals', `${message}; other is shown instead`)] : [error('plurals', message)]
}

function missingCategories(
  { categories, exact, offset }: IcuPlural,
  peers: readonly IcuPlural[],
  rules: LanguagePlurals,
): Lack | undefined {
  const required = rules.required((number) => exact.has(number), offset)
  const missing = required.filter((category) => !categories.has(category))
  if (missing.length === 0) return undefined
  // `{n, plural, =0 {none} other {+#}}` has one form for all other numbers, which is wrong only if the default language
  // has several.
  const isOneForm = categories.size === 1 && !exact.has(1)
  if (isOneForm && !peers.some((peer) => peer.categories.size > 1)) return undefined
  // `other` can replace the missing form if no whole number selects `other`. For 0, it is often correct.
  const canReplace = !required.includes('other') || (missing[0] === 'zero' && !rules.manyNumbers('zero'))
  return { categories: missing, isReplaced: isOneForm || (missing.length === 1 && canReplace) }
}

function formsWithoutNumber({ name, categories, offset }: IcuPlural, rules: LanguagePlurals): string[] {
  if (offset !== 0) return []
  return [...categories].flatMap(([category, isShown]) => {
    const numbers = isShown ? undefined : rules.manyNumbers(category)
    return numbers ? [`${showNames([name])} in ${describeCategory(category, numbers)}`] : []
  })
}

/** Adds example numbers if the category covers several. */
export function describeCategory(category: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? category : `${category}, which covers ${numbers.join(', ')} and more`
}

export interface SuffixCheck {
  readonly language: string
  readonly messages: Messages
  readonly groups: ReadonlyMap<string, PluralGroup>
  /** The default language's groups; `undefined` in the default language itself. */
  readonly reference: ReadonlyMap<string, PluralGroup> | undefined
  readonly defaultLanguage: string
  /** The groups in the fallback languages. Their forms fill gaps in the same category. */
  readonly fallbacks: readonly ReadonlyMap<string, PluralGroup>[]
}

/** Checks i18next's plural forms. Returns one problem for each group that lacks a required form. */
export function checkPluralSuffixes(
  { language, messages, groups, reference, defaultLanguage, fallbacks }: SuffixCheck,
  rulesOf: PluralRulesOf,
): { readonly key: string; readonly problem: Problem }[] {
  return [...groups].flatMap(([prefix, group]) => {
    const { base, type } = group.key
    const plurals = rulesOf(language, type)
    if (!plurals) return []
    const other = reference?.get(prefix)
    const isPluralElsewhere = isPluralGroup(other, rulesOf(defaultLanguage, type))
    if (!isPluralElsewhere && !isPluralGroup(group, plurals)) return []
    // If a form is missing, i18next shows the base key's text.
    if (!isPluralElsewhere && messages.get(base)) return []
    const has = (category: string) =>
      group.categories.has(category) || fallbacks.some((each) => each.get(prefix)?.categories.has(category))
    const missing = plurals
      .required()
      .filter((category) => !has(category))
      .map((category) => prefix + category)
    if (missing.length === 0) return []
    const noun = missing.length === 1 ? 'the plural form' : 'the plural forms'
    const list = missing.map((key) => JSON.stringify(key)).join(', ')
    return [{ key: group.firstKey, problem: error('plurals', `lacks ${noun} ${list}, which ${language} needs`) }]
  })
}

/**
 * Checks vue-i18n's `car | cars`. Three choices may be meant for vue-i18n's default rule (none, one, more) or for a
 * custom rule in the app.
 */
export function checkPipes(language: string, text: string, rulesOf: PluralRulesOf): Problem[] {
  const choices = splitPipes(text).length
  const required = rulesOf(language, 'cardinal')?.required() ?? []
  if (choices === 1 || choices >= required.length) return []
  return [error('plurals', `has ${choices} choices, but ${language} needs ${required.length} (${required.join(', ')})`)]
}

/** Splits a text as vue-i18n does, at each `|` that is not a literal. */
export function splitPipes(text: string): readonly string[] {
  return text.replace(/\\[{}@|\\]|\{\s*'(?:[^'\\]|\\.)*'\s*\}/g, '').split('|')
}
