/** Finds texts that the default language lacks but another one has. The default language then shows the key. Pure. */
import type { ResolvedConfig } from '../config/types.ts'
import { count } from '../shared/figures.ts'
import { nearestName } from '../shared/nearest.ts'
import type { Finding } from './finding.ts'
import type { Catalog, CatalogPart, Messages } from './model.ts'
import { languageFilter, relevantLanguages } from './names.ts'
import {
  createPluralRules,
  isPluralGroup,
  type PluralGroup,
  type PluralRulesOf,
  parsePluralKey,
  pluralGroups,
} from './plurals.ts'
import { createChain, partsOf } from './translations.ts'
import { arrayFinder } from './values.ts'

export interface DefaultSettings
  extends Partial<
    Pick<
      ResolvedConfig,
      'fallback' | 'languages' | 'languageMap' | 'pseudo' | 'pluralSeparator' | 'keySeparator' | 'emptyTexts'
    >
  > {
  readonly defaultLanguage: string
}

export interface TextNotInDefault {
  readonly namespace: string
  readonly key: string
  /** Set if only this customer has the text. */
  readonly customer?: string | undefined
  /** In the catalog's order. */
  readonly languages: readonly [string, ...string[]]
}

/** Returns the texts sorted by namespace, and then in the order of the catalog. */
export function textsNotInDefault(catalog: Catalog, settings: DefaultSettings): TextNotInDefault[] {
  const { defaultLanguage, fallback = {}, languages: wanted } = settings
  const languages = catalog.languages.map(({ key }) => key)
  const chain = createChain(languages, { fallback, defaultLanguage })(defaultLanguage)
  const isRelevant = relevantLanguages({ languages: wanted, fallback, defaultLanguage })
  const isInApp = languageFilter({ ...settings, languages: undefined })
  const others = catalog.languages
    .filter((language) => !chain.includes(language.key) && isRelevant(language.key) && isInApp(language))
    .map(({ key }) => key)
  const rulesOf = createPluralRules()
  return catalog.namespaces.flatMap((namespace) =>
    [undefined, ...catalog.customers].flatMap((customer) => {
      const texts = new ShownTexts(partsOf(catalog, chain, namespace, customer), settings, rulesOf)
      const found = new Map<string, [string, ...string[]]>()
      for (const language of others) {
        const part = catalog.part(language, namespace, customer)
        for (const key of part ? texts.keysMissing(part) : []) {
          const known = found.get(key)
          if (known) known.push(language)
          else found.set(key, [language])
        }
      }
      return [...found].map(([key, having]) => ({ namespace, key, customer, languages: having }))
    }),
  )
}

/** The texts and values of one namespace that the app shows in the default language. */
class ShownTexts {
  readonly #messages: Messages
  readonly #separator: string
  readonly #keySeparator: string
  readonly #language: string
  readonly #rulesOf: PluralRulesOf
  readonly #isValue: (key: string) => boolean
  #groups: ReadonlyMap<string, PluralGroup> | undefined

  constructor(parts: readonly CatalogPart[], settings: DefaultSettings, rulesOf: PluralRulesOf) {
    const { defaultLanguage, pluralSeparator = '_', keySeparator = '.', emptyTexts } = settings
    const texts = parts.flatMap(({ messages }) => [...messages])
    this.#messages = new Map(emptyTexts === 'keep' ? texts : texts.filter(([, text]) => text !== ''))
    this.#separator = pluralSeparator
    this.#keySeparator = keySeparator
    this.#language = defaultLanguage
    this.#rulesOf = rulesOf
    // The default language's array decides the length.
    const finders = parts.map(({ values }) => arrayFinder(values, keySeparator))
    this.#isValue = (key) =>
      parts.some(({ values }) => values?.get(key)?.kind === 'scalar') ||
      finders.some((arrayOf) => arrayOf(key) !== undefined)
  }

  /** The part's keys that the app would show in the default language, because it has no text for them. */
  keysMissing({ language, messages, values }: CatalogPart): string[] {
    const missing: string[] = []
    const arrayOf = arrayFinder(values, this.#keySeparator)
    let groups: ReadonlyMap<string, PluralGroup> | undefined
    for (const [key, text] of messages) {
      if (text === '' || this.#messages.has(key) || this.#isValue(key) || this.#isName(arrayOf(key))) continue
      groups ??= pluralGroups(messages, this.#separator)
      if (!this.#isOtherForm(key, language, groups)) missing.push(key)
    }
    return missing
  }

  /** True if the default language uses the array's name for something else, which the rule `array` reports. */
  #isName(array: string | undefined): boolean {
    if (array === undefined) return false
    const branch = array + this.#keySeparator
    return this.#messages.has(array) || [...this.#messages.keys()].some((key) => key.startsWith(branch))
  }

  /** True if the default language uses other plural forms instead of the key. */
  #isOtherForm(key: string, language: string, groups: ReadonlyMap<string, PluralGroup>): boolean {
    this.#groups ??= pluralGroups(this.#messages, this.#separator)
    const form = parsePluralKey(key, this.#separator)
    if (!form) {
      const prefixes = [`${key}${this.#separator}`, `${key}${this.#separator}ordinal${this.#separator}`]
      return prefixes.some((prefix) => this.#isPlural(this.#groups?.get(prefix)))
    }
    const isPluralHere = this.#isPlural(this.#groups.get(form.prefix))
    if (!isPluralHere && !isPluralGroup(groups.get(form.prefix), this.#rulesOf(language, form.type))) return false
    // If a form is missing, i18next shows the base key's text.
    if (this.#messages.has(form.base)) return true
    const rules = this.#rulesOf(this.#language, form.type)
    return rules !== undefined && !rules.required().includes(form.category)
  }

  #isPlural(group: PluralGroup | undefined): boolean {
    return group !== undefined && isPluralGroup(group, this.#rulesOf(this.#language, group.key.type))
  }
}

/** One warning per text, at its place in the first language that has it. */
export function checkNotInDefault(catalog: Catalog, settings: DefaultSettings): Finding[] {
  const { defaultLanguage } = settings
  return textsNotInDefault(catalog, settings).map(({ namespace, key, customer, languages }) => {
    const [language, ...more] = languages
    const own = catalog.messages(language, namespace)
    const reference = catalog.messages(defaultLanguage, namespace) ?? new Map<string, string>()
    // The key may be a typo, or may have been renamed only in some languages.
    const near = nearestName(
      key,
      [...reference.keys()].filter((each) => !own?.get(each)),
    )
    const hint = near === undefined ? '' : `. Did you mean ${JSON.stringify(near)}?`
    const lack = `has no text in ${defaultLanguage}, the default language, so the app shows the key`
    const others =
      more.length === 0 ? '' : ` (${count(more.length, 'more language')} ${more.length === 1 ? 'has' : 'have'} it)`
    return {
      rule: 'not-in-default',
      severity: 'warning',
      message: `${JSON.stringify(key)} ${lack}${others}${hint}`,
      place: { language, namespace, key, ...(customer !== undefined && { customer }) },
    }
  })
}
