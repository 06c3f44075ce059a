/** Finds keys that the code uses but the default language lacks: with their forms, and the default texts in calls. */
import { createPluralRules, PLURAL_CATEGORIES } from '../../catalog/plurals.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { type Conventions, findConventions, followParameters, type PassedNamespaces } from '../cross-module.ts'
import type { KeyUse, Modules, PluralStyle, SourcePlace, UseDetails } from '../model.ts'
import { type KeyPlace, KeyPlaces, KnownTexts, type NamespaceTexts, type Naming } from './places.ts'

export interface ExtractedKey {
  readonly namespace: string
  readonly key: string
  readonly text: string
  /** Where the text comes from: from the call or from the key itself. `none` if there is no text. */
  readonly from: 'call' | 'key' | 'none'
  readonly calls: readonly SourcePlace[]
  /** A different default text in a later call. */
  readonly conflict?: { readonly text: string; readonly place: SourcePlace } | undefined
}

/** A key that is not written because it has no text. */
interface SkippedKey {
  readonly key: string
  readonly reason: string
  readonly place: SourcePlace
}

export interface ExtractResult {
  readonly keys: readonly ExtractedKey[]
  readonly skipped: readonly SkippedKey[]
}

type Config = Naming & { readonly usage: Pick<ResolvedConfig['usage'], 'plurals'> }

/** @param texts the namespaces of the default language, including empty ones */
export function extractKeys(
  modules: Modules,
  texts: readonly NamespaceTexts[],
  language: string,
  config: Config,
): ExtractResult {
  return new Extraction(modules, texts, language, config).run()
}

interface WantedForm {
  readonly key: string
  /** The plural form, named as in default texts; `''` if there is none. */
  readonly form: string
}

interface WantedForms {
  /** The keys that have no text. */
  readonly missing: readonly WantedForm[]
  /** Why the forms cannot be determined. */
  readonly problem?: string
}

const NONE: WantedForms = { missing: [] }

interface Found {
  readonly namespace: string
  readonly form: WantedForm
  /** The key without a plural or context suffix. */
  readonly base: string
  readonly calls: SourcePlace[]
  text?: { readonly text: string; readonly place: SourcePlace }
  conflict?: ExtractedKey['conflict']
}

class Extraction {
  readonly #conventions: Conventions
  readonly #texts: KnownTexts
  readonly #passed: PassedNamespaces
  readonly #found = new Map<string, Found>()
  readonly #skipped = new Map<string, SkippedKey>()
  readonly #places: KeyPlaces

  constructor(
    private readonly modules: Modules,
    texts: readonly NamespaceTexts[],
    private readonly language: string,
    private readonly config: Config,
  ) {
    const namespaces = texts.map(({ namespace }) => namespace)
    this.#conventions = findConventions(modules, config, namespaces)
    this.#texts = new KnownTexts(texts, config.keySeparator, this.#conventions)
    this.#passed = followParameters(modules)
    const uses = modules.flatMap(([, usage]) => usage.uses)
    this.#places = new KeyPlaces(config, this.#conventions, this.#texts, uses)
  }

  run(): ExtractResult {
    for (const [file, usage] of this.modules) {
      const own = usage.plurals?.length === 1 ? usage.plurals[0] : this.#conventions.plurals
      const plurals = this.config.usage.plurals ?? own
      const guesses = usage.uses.filter(({ isGuess }) => isGuess)
      for (const use of usage.uses) if (use.details && use.key !== '') this.#read(file, use, guesses, plurals)
    }
    const keys = [...this.#found.values()].map((found) => this.#extracted(found))
    return { keys, skipped: [...this.#skipped.values()].filter(({ key }) => !this.#isFound(key)) }
  }

  #isFound(key: string): boolean {
    return [...this.#found.values()].some(({ base }) => base === key)
  }

  #read(file: string, use: KeyUse, guesses: readonly KeyUse[], plurals: PluralStyle | undefined): void {
    const { details, place } = use
    if (!details) return
    const at = { file, ...place }
    const passed = details.parameter ? this.#passed(file, details.parameter) : []
    const where = this.#places.of(use, passed)
    if (where.namespaces.some((namespace) => this.#texts.isBroken(namespace))) return
    const others = guesses.filter((guess) => guess.place.line === place.line && guess.place.column === place.column)
    if (others.some((guess) => this.#isKnownGuess(guess))) return
    const isUnclear = others.some((guess) => guess.isSelector && this.#namesNamespace(guess))
    const found = plurals === 'messages' ? plurals : (this.#conventions.format ?? plurals)
    const style = this.config.usage.plurals ?? found
    const { missing, problem } = this.#missingForms(where, details, style)
    if (missing.length === 0 && problem === undefined) return
    const unclear = isUnclear ? SELECTED_NAMESPACE : undefined
    const reason = problem ?? where.problem ?? unclear ?? (where.target === undefined ? UNKNOWN_NAMESPACE : undefined)
    if (reason !== undefined || where.target === undefined) this.#skip(where.key, reason ?? UNKNOWN_NAMESPACE, at)
    else {
      // In vue-i18n, the second argument is not a default text but a language.
      const texts = plurals === 'messages' && details.isArgument ? {} : details.texts
      for (const form of missing) this.#add(where.target, where.key, form, texts, at)
    }
  }

  /** @param plurals the plural style of the call's library; `undefined` if the library is unknown */
  #missingForms(
    { key, namespaces }: KeyPlace,
    details: UseDetails,
    plurals: PluralStyle | 'unknown' | undefined,
  ): WantedForms {
    const texts = this.#texts
    if (details.isBranch && !namespaces.some((namespace) => texts.has(namespace, key)))
      return { missing: [], problem: 'the call reads all texts below it (returnObjects)' }
    const has = (name: string) => namespaces.some((namespace) => texts.has(namespace, name))
    const { pluralSeparator, contextSeparator } = this.#conventions
    const hasForm = namespaces.some((namespace) => texts.hasForm(namespace, key))
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
    const forms = pluralForms(this.language, plural, separator, this.#isOldFormat(namespaces, separator))
    if (!forms) return { missing: [], problem: OLD_FORMAT }
    // If a form has no text, the library shows the text of the base key.
    const open = stems.filter((stem) => !has(stem) || forms.some(({ ending }) => ending === ''))
    const missing = open.flatMap((stem) => forms.map(({ ending, form }) => ({ key: stem + ending, form })))
    return { missing: missing.filter((each) => !has(each.key)) }
  }

  /** True if the keys use i18next's older plural format: `item` and `item_plural`. */
  #isOldFormat(namespaces: readonly string[], separator: string): boolean {
    const hasEnding = (ending: string) =>
      namespaces.some((namespace) => this.#texts.hasEnding(namespace, separator + ending))
    return hasEnding('plural') && !hasEnding('other')
  }

  /**
   * True if the guess is plausible. For example, `t('shop', 'title')` can be a namespace and a key if the namespace
   * exists.
   */
  #isKnownGuess({ namespaces, key, isExact }: KeyUse): boolean {
    if (typeof namespaces !== 'object') return this.#texts.namespaces.some((name) => this.#texts.has(name, key))
    if (isExact) return namespaces.some((name) => this.#texts.namespaces.includes(name))
    return namespaces.some((name) => this.#texts.has(name, key))
  }

  #namesNamespace({ namespaces }: KeyUse): boolean {
    return typeof namespaces === 'object' && namespaces.some((name) => this.#texts.namespaces.includes(name))
  }

  #skip(key: string, reason: string, place: SourcePlace): void {
    // A reason that applies to every key is reported only once.
    const id = JSON.stringify([reason === UNKNOWN_FORMAT ? '' : key, reason])
    if (!this.#skipped.has(id)) this.#skipped.set(id, { key, reason, place })
  }

  #add(
    namespace: string,
    base: string,
    form: WantedForm,
    texts: Readonly<Record<string, string>>,
    place: SourcePlace,
  ): void {
    const id = JSON.stringify([namespace, form.key])
    const found: Found = this.#found.get(id) ?? { namespace, form, base, calls: [] }
    this.#found.set(id, found)
    if (!found.calls.some(({ file, line }) => file === place.file && line === place.line)) found.calls.push(place)
    const text = texts[form.form] ?? texts[form.form.replace('ordinal_', '')] ?? texts['']
    if (text === undefined) return
    found.text ??= { text, place }
    if (text !== found.text.text) found.conflict ??= { text, place }
  }

  #extracted({ namespace, form, base, calls, text, conflict }: Found): ExtractedKey {
    const isText = text === undefined && this.#texts.readsAsText(namespace)
    const from = text ? 'call' : isText ? 'key' : 'none'
    return { namespace, key: form.key, text: text?.text ?? (isText ? base : ''), from, calls, conflict }
  }
}

const UNKNOWN_NAMESPACE = 'its namespace is unknown; name it in the key or in the option "ns"'
const SELECTED_NAMESPACE =
  'the first property of the selector is also a namespace; set the option "ns" to say which is meant'
const OLD_FORMAT = "i18next's older plural format is unknown for this language"
const UNKNOWN_LIBRARY = 'the library is unknown, so the plural forms of the key are too: set "usage.plurals"'
const UNKNOWN_FORMAT =
  'calls with a count or a context are skipped, because the keys of the i18nFormat plugin are unknown: set ' +
  '"usage.plurals"'
const UNKNOWN_OPTIONS = 'the call may pass a count or a context that the analysis cannot see'

const rulesOf = createPluralRules()

/**
 * The key suffix for each form. `undefined` for languages whose forms are numbered in the older format, because the
 * numbers are not known here.
 */
function pluralForms(language: string, kind: 'cardinal' | 'ordinal', separator: string, isOld: boolean) {
  // Every language has at least the form `other`.
  const known = rulesOf(language, kind)?.categories ?? new Set(['other'])
  const categories = PLURAL_CATEGORIES.filter((category) => known.has(category))
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
