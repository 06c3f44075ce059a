/** Finds the namespaces to search for a key in the code, and the namespace to which its text belongs. */
import type { ResolvedConfig } from '../../config/types.ts'
import { branchesOf, PATH_JOINT } from '../../shared/key-path.ts'
import type { Conventions } from '../cross-module.ts'
import { dotted, splitsOf } from '../key-matcher.ts'
import type { KeyUse, UseNamespaces } from '../model.ts'

export interface KeyPlace {
  /** The key in the catalog's spelling, without a namespace prefix. */
  readonly key: string
  readonly namespaces: readonly string[]
  /** The namespace to which the text belongs; `undefined` if unknown. */
  readonly target: string | undefined
  /** The reason why no text is written. */
  readonly problem?: string
}

/** The parts of the configuration that decide where a key belongs. */
export type Naming = Pick<ResolvedConfig, 'defaultNamespace' | 'keySeparator' | 'namespacePrefix'>

/** Matches keys that contain no possible separator. */
const PLAIN_KEY = /^[\p{L}\p{N}_-]*$/u

/** Finds the place of each key in the code. */
export class KeyPlaces {
  readonly #ownSeparators: readonly string[]

  constructor(
    private readonly naming: Naming,
    private readonly conventions: Conventions,
    private readonly texts: KnownTexts,
    uses: Iterable<KeyUse>,
  ) {
    this.#ownSeparators = this.#findOwnSeparators(uses)
  }

  /**
   * Finds the separators between namespace and key that the app's own functions use. For example, `core#title` contains
   * such a separator if it is not a key itself, `core` is a namespace, and `title` is a key in it.
   */
  #findOwnSeparators(uses: Iterable<KeyUse>): string[] {
    const { namespaces } = this.texts
    const keySeparators = ['.', this.naming.keySeparator, this.conventions.keySeparator]
    const found = new Set<string>()
    for (const { key, isPattern, namespaces: own } of uses)
      for (const { namespace, separator, rest } of isPattern || own !== 'any' ? [] : splitsOf(key)) {
        if (keySeparators.includes(separator) || !namespaces.includes(namespace) || !this.#has(namespace, rest))
          continue
        if (!namespaces.some((name) => this.#has(name, key))) found.add(separator)
      }
    return [...found]
  }

  /** True if the namespace has the key or a form of it. */
  #has(namespace: string, key: string): boolean {
    return this.texts.has(namespace, key) || this.texts.hasForm(namespace, key)
  }

  /** @param passed the namespaces of the translation functions that the call may use */
  of({ key: given, namespaces: own }: KeyUse, passed: readonly UseNamespaces[]): KeyPlace {
    const { conventions, naming } = this
    const { unclear, isFlat, nsSeparator } = conventions
    const all = this.texts.namespaces
    const unknown = (['nsSeparators', 'keySeparators'] as const).filter((field) => unclear.includes(field))
    if (unknown.length > 0 && !PLAIN_KEY.test(given)) {
      const problem = 'the i18next settings nsSeparator and keySeparator cannot be read'
      return { key: given, namespaces: all, target: undefined, problem }
    }
    // The glue for vue-i18n and react-intl puts the namespace and a dot before the key.
    const glued = naming.namespacePrefix && conventions.plurals === 'messages' && own === 'any'
    const splitAt = (separator: string) => {
      const split = splitKey(given, separator)
      return split && all.includes(split.namespace) ? split : undefined
    }
    const prefixed = glued ? splitAt('.') : undefined
    const separators = [nsSeparator, ...(own === 'any' ? this.#ownSeparators : [])]
    const [split] = separators.flatMap((separator) => splitAt(separator) ?? [])
    const isJoined = !isFlat && naming.keySeparator !== PATH_JOINT && conventions.keySeparator !== ''
    const catalogKey = (key: string) => (isJoined ? key.replaceAll(conventions.keySeparator, naming.keySeparator) : key)
    const key = catalogKey(given)
    const named = this.#targetsOf(own === 'any' ? passed : [own])
    const isAny = own === 'any' || conventions.mayFallBack || named.length === 0
    const namespaces = isAny
      ? all
      : [...new Set([...(own === 'default' ? named : own), ...conventions.fallbackNamespaces])]
    const place = { key, namespaces, target: named.length === 1 ? named[0] : undefined }
    // The namespace that the key seems to name may have no texts yet.
    const before = conventions.plurals === 'messages' ? undefined : splitKey(given, nsSeparator)?.namespace
    const other = before !== undefined && /^[\w./-]+$/.test(before) ? before : undefined
    const part = split ?? prefixed
    if (part === undefined && other === undefined) return place
    // An existing key takes precedence over a separator, but not over the prefix that the glue adds.
    if (part !== prefixed && namespaces.some((namespace) => this.#has(namespace, key))) return place
    if (part) return { key: catalogKey(part.key), namespaces: [part.namespace], target: part.namespace }
    const problem = `it seems to name the namespace ${other}, which has no file in the default language`
    return { ...place, target: undefined, problem }
  }

  /** Returns the first namespace of each lookup, or none if one of them is unknown. */
  #targetsOf(lookups: readonly UseNamespaces[]): string[] {
    const { namespaces } = this.texts
    if (lookups.length === 0) return namespaces.length === 1 ? [...namespaces] : []
    // If there is only one namespace, it contains the texts of all calls, even if the library uses a different name for
    // it.
    const { defaultNamespace } = this.naming
    const isOnly = namespaces.length === 1 && namespaces[0] === defaultNamespace
    const otherwise = isOnly ? defaultNamespace : this.conventions.defaultNamespace
    const names = lookups.map((lookup) => (typeof lookup === 'object' ? lookup[0] : otherwise))
    const known = names.filter((name) => name !== undefined)
    return known.length === names.length ? [...new Set(known)] : []
  }
}

/** Splits a key such as `shop:title`. Ignores a separator before a space, which is part of a sentence. */
function splitKey(key: string, separator: string) {
  const at = separator === '' ? -1 : key.indexOf(separator)
  const rest = key.slice(at + separator.length)
  return at > 0 && /^\S/.test(rest) ? { namespace: key.slice(0, at), key: rest } : undefined
}

/** The default language's texts in one namespace. */
export interface NamespaceTexts {
  readonly namespace: string
  readonly messages: ReadonlyMap<string, string>
  /** True if the file cannot be read. It may contain any key. */
  readonly isBroken?: boolean
}

/** If more than this share of the texts equal their keys, the app uses its texts as keys. */
const KEY_SHARE = 0.9
const FEWEST_TEXTS = 10

export class KnownTexts {
  readonly #texts: ReadonlyMap<string, NamespaceTexts>
  readonly #names = new Map<string, ReadonlySet<string>>()
  readonly namespaces: readonly string[]

  /** @param keySeparator the separator in the catalog */
  constructor(
    texts: readonly NamespaceTexts[],
    private readonly keySeparator: string,
    private readonly conventions: Conventions,
  ) {
    this.#texts = new Map(texts.map((each) => [each.namespace, each]))
    this.namespaces = [...this.#texts.keys()]
  }

  isBroken(namespace: string): boolean {
    return this.#texts.get(namespace)?.isBroken === true
  }

  /** True if the key has a text, or is a branch with texts below it. */
  has(namespace: string, key: string): boolean {
    return this.#messages(namespace).has(key) || this.#namesOf(namespace).has(this.#nameOf(key))
  }

  /** True if a form of the key has a text. A form is the key, a plural or context separator, and any suffix. */
  hasForm(namespace: string, key: string): boolean {
    const { pluralSeparator = '_', contextSeparator = '_' } = this.conventions
    const starts = [pluralSeparator, contextSeparator, '_'].map((separator) => this.#nameOf(key) + separator)
    for (const known of this.#namesOf(namespace)) if (starts.some((start) => known.startsWith(start))) return true
    return false
  }

  hasEnding(namespace: string, ending: string): boolean {
    return [...this.#messages(namespace).keys()].some((key) => key.endsWith(ending))
  }

  /** True if the app uses its texts as keys. If a namespace has too few texts to tell, the other namespaces decide. */
  readsAsText(namespace: string): boolean {
    const own = this.#messages(namespace)
    const all = own.size >= FEWEST_TEXTS ? [own] : [...this.#texts.values()].map(({ messages }) => messages)
    const texts = all.flatMap((messages) => [...messages]).filter(([, text]) => text !== '')
    // The key of a plural or context form is the text with a suffix.
    const same = texts.filter(([key, text]) => key.startsWith(text))
    return texts.length > 0 && same.length > texts.length * KEY_SHARE
  }

  #messages(namespace: string): ReadonlyMap<string, string> {
    return this.#texts.get(namespace)?.messages ?? new Map()
  }

  #namesOf(namespace: string): ReadonlySet<string> {
    const known = this.#names.get(namespace)
    if (known) return known
    const names = new Set<string>()
    for (const given of this.#messages(namespace).keys()) {
      const branches = this.conventions.isFlat ? [] : branchesOf(given, this.keySeparator)
      for (const name of [given, ...branches]) names.add(this.#nameOf(name))
    }
    this.#names.set(namespace, names)
    return names
  }

  /** The separators in the catalog and in the code are both treated as a dot, unless keys are not split. */
  #nameOf(key: string): string {
    const { isFlat, keySeparator } = this.conventions
    return isFlat ? key : dotted(key, [this.keySeparator, keySeparator])
  }
}
