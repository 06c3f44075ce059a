/** Finds keys that the code uses but the default language lacks, and the default texts in calls. */

import { type Conventions, findConventions, followParameters, type PassedNamespaces } from '../cross-module.ts'
import type { KeyUse, Modules, PluralStyle, SourcePlace } from '../model.ts'
import { missingForms, UNKNOWN_FORMAT, type WantedForm } from './forms.ts'
import { KnownTexts, type NamespaceTexts, ownSeparators, type PlaceSettings, placeOfKey } from './places.ts'

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

export interface ExtractSettings {
  readonly language: string
  /** The namespaces of the default language, including empty ones. */
  readonly texts: readonly NamespaceTexts[]
  readonly defaultNamespace: string
  readonly keySeparator: string
  /** True if keys may start with their namespace, as in `shop.title`, in libraries without namespaces. Default true. */
  readonly namespacePrefix?: boolean
  /** The option `usage.plurals`. It overrides the style found in the sources. */
  readonly plurals?: PluralStyle | undefined
}

export function extractKeys(modules: Modules, settings: ExtractSettings): ExtractResult {
  return new Extraction(modules, settings).run()
}

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
  readonly #places: PlaceSettings

  constructor(
    private readonly modules: Modules,
    private readonly settings: ExtractSettings,
  ) {
    const { defaultNamespace, keySeparator, namespacePrefix = true, texts } = settings
    const namespaces = texts.map(({ namespace }) => namespace)
    this.#conventions = findConventions(modules, { defaultNamespace, keySeparator, namespaces })
    this.#texts = new KnownTexts(texts, [keySeparator, this.#conventions.keySeparator], this.#conventions.isFlat)
    this.#passed = followParameters(modules)
    const { pluralSeparator = '_', contextSeparator = '_' } = this.#conventions
    const has = (namespace: string, key: string) =>
      this.#texts.has(namespace, key) || this.#texts.hasForm(namespace, key, [pluralSeparator, contextSeparator, '_'])
    const places = { keySeparator, defaultNamespace, namespacePrefix, namespaces, has }
    const uses = modules.flatMap(([, usage]) => usage.uses)
    const joints = ['.', keySeparator, this.#conventions.keySeparator]
    this.#places = { ...places, ownSeparators: ownSeparators(uses, places, joints) }
  }

  run(): ExtractResult {
    for (const [file, usage] of this.modules) {
      const own = usage.plurals?.length === 1 ? usage.plurals[0] : this.#conventions.plurals
      const plurals = this.settings.plurals ?? own
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
    const where = placeOfKey(use, passed, this.#conventions, this.#places)
    if (where.namespaces.some((namespace) => this.#texts.isBroken(namespace))) return
    const others = guesses.filter((guess) => guess.place.line === place.line && guess.place.column === place.column)
    if (others.some((guess) => this.#isKnownGuess(guess))) return
    const isUnclear = others.some((guess) => guess.isSelector && this.#namesNamespace(guess))
    const language = this.settings.language
    const settings = { texts: this.#texts, conventions: this.#conventions, language }
    const found = plurals === 'messages' ? plurals : (this.#conventions.format ?? plurals)
    const style = this.settings.plurals ?? found
    const { missing, problem } = missingForms(where, details, style, settings)
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
