/** Checks the properties that a translation must share with its source. Pure. */
import {
  checkPlaceholders,
  checkTags,
  commonSyntax,
  createReader,
  type ReadTextAs,
  readText,
} from './check-placeholders.ts'
import { checkIcuPlurals, checkPipes, checkPluralSuffixes, splitPipes } from './check-plurals.ts'
import { error, type Finding, type Problem, warning } from './finding.ts'
import type { LibrarySyntax } from './library-syntax.ts'
import type { Catalog, CatalogPart, Messages } from './model.ts'
import { keyGlob } from './names.ts'
import type { IcuMessage, Syntax } from './placeholders.ts'
import {
  createPluralRules,
  type PluralGroup,
  type PluralKey,
  type PluralRulesOf,
  parsePluralKey,
  pluralGroups,
} from './plurals.ts'
import { createFallbacks, type Fallback, type FallbacksOf } from './translations.ts'

export interface TextCheckOptions {
  readonly defaultLanguage: string
  /** Default `auto`: guessed from each text and from the default language's text. */
  readonly syntax?: Syntax | 'auto'
  /** Key patterns with the maximum number of characters. The first pattern that matches a key applies. */
  readonly limits?: readonly (readonly [pattern: string, characters: number])[]
  /** The app's separator for nested keys. If set, a text and a branch with the same name are a finding. */
  readonly nested?: string | false
  /** The separator before a plural category in i18next's keys: `item_one`. Default `_`. */
  readonly pluralSeparator?: string
  /** True if keys such as `item_one` are plural forms; false if they are unrelated. Default `true`. */
  readonly hasPluralKeys?: boolean
  /** True if `car | cars` is a plural because the app uses vue-i18n. Default `false`. */
  readonly hasPipes?: boolean
  /**
   * True if the app has its own plural rules for vue-i18n, whose default rule takes two or three choices. Default
   * `false`.
   */
  readonly hasPluralRules?: boolean
  /** The syntax of the app's library, if known. */
  readonly library?: LibrarySyntax | undefined
  /** The option `fallback`. Default `{}`. */
  readonly fallback?: Fallback | undefined
  /** Selects the languages to check. Default: all. */
  readonly isChecked?: (language: string) => boolean
  /** The rules to check. Default: all. */
  readonly rules?: readonly Finding['rule'][]
}

export function checkTexts(catalog: Catalog, options: TextCheckOptions): Finding[] {
  const limitOf = limits(options.limits ?? [])
  const checker = new TextChecker(catalog, options)
  const parts = catalog.parts.filter(({ language }) => options.isChecked?.(language) ?? true)
  const found = parts.flatMap((part) => {
    const collisions = options.nested ? branchCollisions(part, options.nested) : []
    const reference = checker.referenceOf(part)
    const texts = [...part.messages].flatMap(([key, text]) => {
      const problems =
        text === ''
          ? [warning('empty', 'is empty')]
          : [...checkLength(text, limitOf(key)), ...checker.checkText(part.language, key, text, reference)]
      return problems.map((problem) => findingOf(part, key, problem))
    })
    const forms = checker.checkForms(part).map(({ key, problem }) => findingOf(part, key, problem))
    return [...collisions, ...texts, ...forms]
  })
  return options.rules ? found.filter(({ rule }) => options.rules?.includes(rule)) : found
}

/** Compares texts with the default language's texts, which are parsed only once each. */
class TextChecker {
  readonly #catalog: Catalog
  readonly #options: TextCheckOptions
  readonly #separator: string
  readonly #rulesOf: PluralRulesOf = createPluralRules()
  readonly #readReference: ReadTextAs = createReader()
  readonly #fallbacks: FallbacksOf
  readonly #groups = new Map<CatalogPart, ReadonlyMap<string, PluralGroup>>()

  constructor(catalog: Catalog, options: TextCheckOptions) {
    this.#catalog = catalog
    this.#options = options
    this.#separator = options.pluralSeparator ?? '_'
    const languages = catalog.languages.map(({ key }) => key)
    this.#fallbacks = createFallbacks(languages, options.fallback ?? {})
  }

  /**
   * The default language's part; `undefined` if this is that part, or if the default language does not have the
   * namespace.
   */
  referenceOf({ language, customer, namespace }: CatalogPart): CatalogPart | undefined {
    const { defaultLanguage } = this.#options
    const isReference = language === defaultLanguage && customer === undefined
    return isReference ? undefined : this.#catalog.part(defaultLanguage, namespace)
  }

  checkText(language: string, key: string, text: string, part: CatalogPart | undefined): Problem[] {
    const form = parsePluralKey(key, this.#separator)
    const { same, general } = referenceTexts(part?.messages, key, form)
    const { syntax: given = 'auto', hasPipes = false, hasPluralRules, rules, library } = this.#options
    const isIcu = given === 'auto' || given === 'icu'
    const refused = (library?.check(text) ?? []).filter(({ rule }) => rule !== 'icu' || isIcu)
    if (isPlain(text) && isPlain(same) && isPlain(general)) return [...refused]
    const syntax = given === 'auto' ? commonSyntax([text, same, general]) : given
    const compared = same ?? general
    const tags = compared === undefined ? [] : checkTags(text, compared)
    if (syntax !== 'icu' && !hasPipes && rules && !rules.includes('placeholders')) return [...refused, ...tags]
    const own = readText(text, syntax)
    const reference = same === undefined ? undefined : this.#readReference(same, syntax)
    const others = general === undefined ? undefined : this.#readReference(general, syntax)
    const isPiped = hasPipes && isChoice(text, part === undefined ? undefined : same)
    // vue-i18n passes the number under both names.
    const always = isPiped ? ['count', 'n'] : []
    const check = { language, own, reference, general: others, form, always }
    const isRefused = refused.some(({ rule }) => rule === 'icu')
    return [
      ...refused,
      ...(isRefused ? [] : checkPlaceholders(check, this.#rulesOf)),
      ...(own.icu ? checkIcuPlurals(language, own.icu, reference?.icu, this.#rulesOf) : []),
      ...(own.icu && reference?.icu ? checkSelects(own.icu, reference.icu) : []),
      ...(isPiped && hasPluralRules ? checkPipes(language, text, this.#rulesOf) : []),
      ...tags,
    ]
  }

  /** Checks i18next's plural forms. A customer's texts complete the general groups instead of forming their own. */
  checkForms(part: CatalogPart): { readonly key: string; readonly problem: Problem }[] {
    const { language, namespace, messages, customer } = part
    if (customer !== undefined || this.#options.hasPluralKeys === false) return []
    const groups = this.#groupsOf(part)
    if (groups.size === 0) return []
    const reference = this.referenceOf(part)
    const fallbacks = this.#fallbacksOf(language).flatMap((each) => {
      const filling = this.#catalog.part(each, namespace)
      return filling ? [this.#groupsOf(filling)] : []
    })
    const { defaultLanguage } = this.#options
    const others = reference && this.#groupsOf(reference)
    return checkPluralSuffixes(
      { language, messages, groups, reference: others, defaultLanguage, fallbacks },
      this.#rulesOf,
    )
  }

  #groupsOf(part: CatalogPart): ReadonlyMap<string, PluralGroup> {
    const known = this.#groups.get(part) ?? pluralGroups(part.messages, this.#separator)
    this.#groups.set(part, known)
    return known
  }

  /**
   * The fallback languages whose plural forms may fill a gap. Includes the default language only if it is a variant of
   * the same language: `en` for `en-GB`.
   */
  #fallbacksOf(language: string): readonly string[] {
    const { fallback, defaultLanguage } = this.#options
    if (fallback === false) return []
    const primary = (code: string) => code.split(/[-_]/)[0]
    return [...this.#fallbacks(language), defaultLanguage].filter(
      (each) => each !== language && (each !== defaultLanguage || primary(each) === primary(language)),
    )
  }
}

/**
 * True if the text has choices. If there is a reference, it must have choices too. If there is none, the text must
 * show a number, because `Home | Shop` may be a single text.
 */
function isChoice(text: string, reference: string | undefined): boolean {
  if (splitPipes(text).length === 1) return false
  return reference === undefined ? /\{(?:n|count)\}/.test(text) : splitPipes(reference).length > 1
}

/** True if the text contains no syntax characters. */
function isPlain(text: string | undefined): boolean {
  return text === undefined || !/[{}<|]/.test(text)
}

/** The default language's texts for a comparison. A form that it does not have is compared with the form `other`. */
function referenceTexts(messages: Messages | undefined, key: string, form: PluralKey | undefined) {
  const general = form && (messages?.get(`${form.prefix}other`) || undefined)
  return { same: messages?.get(key) || undefined, general }
}

function findingOf({ language, namespace, customer }: CatalogPart, key: string, problem: Problem): Finding {
  const place = { language, namespace, key, ...(customer !== undefined && { customer }) }
  return { ...problem, message: `${JSON.stringify(key)} ${problem.message}`, place }
}

function checkLength(text: string, limit: number | undefined): Problem[] {
  if (limit === undefined) return []
  const { length } = [...text]
  if (length <= limit) return []
  return [error('characters-limit', `has ${length} characters, but at most ${limit} are allowed`)]
}

function limits(given: readonly (readonly [string, number])[]): (key: string) => number | undefined {
  const compiled = given.map(([pattern, most]) => [pattern, keyGlob(pattern), most] as const)
  return (key) => compiled.find(([pattern, matches]) => pattern === key || matches(key))?.[2]
}

/** Finds keys that are both a text and a branch. In nested messages, one of them would hide the other. */
function branchCollisions(part: CatalogPart, separator: string): Finding[] {
  return [...part.messages.keys()].flatMap((key) => {
    for (let at = key.indexOf(separator, 1); at > 0; at = key.indexOf(separator, at + 1)) {
      const branch = key.slice(0, at)
      if (part.messages.has(branch))
        return [findingOf(part, key, warning('collision', `cannot nest: ${JSON.stringify(branch)} is a text`))]
    }
    return []
  })
}

/** One problem for each argument whose branches differ. The parser already requires `other`. */
function checkSelects(own: IcuMessage, reference: IcuMessage): Problem[] {
  return [...own.selects].flatMap(([name, branches]) => {
    const expected = reference.selects.get(name)
    // One branch for all values is correct if the language does not distinguish the values.
    if (!expected || branches.size === 1) return []
    const missing = [...expected].filter((branch) => !branches.has(branch))
    const unknown = [...branches].filter((branch) => !expected.has(branch))
    const parts = [
      ...(missing.length > 0 ? [`lacks ${missing.join(', ')}`] : []),
      ...(unknown.length > 0 ? [`has ${unknown.join(', ')}, which the default language does not`] : []),
    ]
    if (parts.length === 0) return []
    // For a missing branch, `other` is shown. An unknown branch is never shown.
    return [(unknown.length > 0 ? error : warning)('select', `${parts.join(' and ')}: branches of {${name}}`)]
  })
}
