/** Finds the use that names a key: by the key itself, by the key that it is a form of, or by a key above it. */
import { escapeRegExp } from '../shared/escape-regexp.ts'
import type { UseReason } from './model.ts'

export interface KeyMatcherOptions {
  readonly keySeparators: readonly string[]
  readonly nsSeparators: readonly string[]
  /** True if `namespace.key` names a key. Default true. */
  readonly namespacePrefix?: boolean | undefined
  /** The separators between a key and its plural or context form. */
  readonly formSeparators: readonly string[]
  /**
   * False: the messages contain the plurals, and keys do not have forms. Keys that look like forms are kept
   * nevertheless.
   */
  readonly hasForms?: boolean
  /** The separator is unknown: every longer key may be a form. */
  readonly hasUnknownForms?: boolean
}

/** `all`: the key with its forms and everything below it. `forms`: the key and its forms. `only`: the key alone. */
export type Reach = 'all' | 'forms' | 'only'

/** A key or a pattern (`*` matches any characters) that code names. */
export interface Name {
  readonly text: string
  readonly isPattern: boolean
  readonly reach: Reach
  readonly reason: UseReason
}

/** A key, and the shorter keys that it may be a form of, or that may be above it. */
interface Stems {
  readonly key: string
  readonly forms: readonly string[]
  readonly all: readonly string[]
}

interface IndexedPattern<T> {
  readonly order: number
  readonly matches: (name: string) => boolean
  readonly value: T
}

/** Patterns, indexed by their literal beginning: a name is compared only with the patterns that share its beginning. */
export class PatternIndex<T> {
  readonly #byStart = new Map<string, IndexedPattern<T>[]>()
  readonly #lengths = new Set<number>()
  #size = 0

  /** @param start the beginning of every name that matches */
  add(start: string, matches: (name: string) => boolean, value: T): void {
    const patterns = this.#byStart.get(start) ?? []
    this.#byStart.set(start, patterns)
    patterns.push({ order: this.#size++, matches, value })
    this.#lengths.add(start.length)
  }

  /** The value of the first pattern that matches, in the order in which they were added. */
  find(name: string): T | undefined {
    let first: IndexedPattern<T> | undefined
    for (const length of this.#lengths)
      for (const each of this.#byStart.get(name.slice(0, length)) ?? []) {
        if (first && first.order < each.order) break
        if (each.matches(name)) first = each
      }
    return first?.value
  }
}

/** The keys that the uses of one namespace name. */
class UsedNames {
  readonly #exact: Readonly<Record<Reach, Map<string, UseReason>>> = {
    all: new Map(),
    forms: new Map(),
    only: new Map(),
  }
  readonly #patterns = new PatternIndex<UseReason>()
  readonly #sources = new Set<string>()

  add(text: string, reach: Reach, reason: UseReason) {
    const names = this.#exact[reach]
    if (!names.has(text)) names.set(text, reason)
  }

  /** @param rest the regular expression of the text that may follow */
  addPattern(text: string, rest: string, reason: UseReason) {
    const source = `^${text.split('*').map(escapeRegExp).join('.*')}${rest}$`
    if (this.#sources.has(source)) return
    this.#sources.add(source)
    let pattern: RegExp | undefined
    const matches = (key: string) => {
      pattern ??= new RegExp(source, 's')
      return pattern.test(key)
    }
    this.#patterns.add(text.split('*', 1)[0] ?? '', matches, reason)
  }

  find({ key, forms, all }: Stems, prefix = ''): UseReason | undefined {
    const { only, forms: withForms, all: open } = this.#exact
    const found = only.get(prefix + key) ?? firstOf(withForms, forms, prefix) ?? firstOf(open, all, prefix)
    return found ?? this.#patterns.find(prefix + key)
  }
}

function firstOf(names: ReadonlyMap<string, UseReason>, stems: readonly string[], prefix: string) {
  if (names.size === 0) return undefined
  for (const stem of stems) {
    const found = names.get(prefix + stem)
    if (found) return found
  }
  return undefined
}

export class KeyMatcher {
  readonly #everywhere = new UsedNames()
  /** Every key that is spelled out, in any namespace: it may begin with a namespace. */
  readonly #spelled = new UsedNames()
  readonly #byNamespace = new Map<string, UsedNames>()
  /** The separators between a key and its forms or the keys below it. */
  readonly #joints: Readonly<Record<Reach, readonly string[]>>
  /** The separators that may follow a namespace. */
  readonly #fronts: readonly string[]
  readonly #nsSeparators: readonly string[]
  readonly #otherSeparators: readonly string[]
  readonly #hasUnknownForms: boolean

  constructor(options: KeyMatcherOptions) {
    const { keySeparators, nsSeparators, namespacePrefix = true, formSeparators, hasUnknownForms = false } = options
    const distinct = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '')
    this.#otherSeparators = distinct(keySeparators).filter((separator) => separator !== '.' && separator !== '*')
    const forms = distinct(formSeparators.flatMap((separator) => [separator, this.#dotted(separator)]))
    this.#joints = { all: distinct(['.', ...keySeparators, ...forms]), forms, only: [] }
    this.#fronts = distinct([...nsSeparators, ...(namespacePrefix ? keySeparators : [])])
    this.#nsSeparators = distinct(nsSeparators)
    this.#hasUnknownForms = hasUnknownForms
  }

  add(name: Name, namespaces: readonly string[] | 'any') {
    if (namespaces !== 'any') {
      this.#spell(name)
      for (const namespace of namespaces) this.#put(this.#namesOf(namespace), name)
      return
    }
    this.addText(name)
    // Functions that no library binds to a namespace may use the app's own separator.
    for (const { namespace, separator, rest } of splitsOf(name.text)) {
      if (separator === '.' || this.#otherSeparators.includes(separator)) continue
      const names = namespace.includes('*') ? this.#everywhere : this.#namesOf(namespace)
      this.#put(names, { ...name, text: rest, isPattern: rest.includes('*') })
    }
  }

  /** Adds a text that names a key of any namespace, with or without the namespace. */
  addText(name: Name) {
    this.#spell(name)
    this.#put(this.#everywhere, name)
  }

  #spell(name: Name) {
    for (const text of this.#withNamespace(name.text)) this.#put(this.#spelled, { ...name, text })
  }

  #namesOf(namespace: string): UsedNames {
    const names = this.#byNamespace.get(namespace) ?? new UsedNames()
    this.#byNamespace.set(namespace, names)
    return names
  }

  find(namespace: string, given: string): UseReason | undefined {
    const key = this.#dotted(given)
    const forms = this.#hasUnknownForms ? beginningsOf(key) : stemsOf(key, this.#joints.forms)
    const stems = { key, forms, all: this.#hasUnknownForms ? forms : stemsOf(key, this.#joints.all) }
    const found = this.#everywhere.find(stems) ?? this.#byNamespace.get(namespace)?.find(stems)
    if (found) return found
    for (const front of this.#fronts) {
      const spelled = this.#spelled.find(stems, this.#dotted(namespace + front))
      if (spelled) return spelled
    }
    return undefined
  }

  #put(names: UsedNames, { text, isPattern, reach, reason }: Name) {
    const key = this.#dotted(text)
    if (!isPattern) return names.add(key, reach, reason)
    const rest = this.#hasUnknownForms ? '.*' : this.#restOf(reach)
    names.addPattern(key, rest, reason)
  }

  #restOf(reach: Reach): string {
    return reach === 'only' ? '' : `(?:(?:${this.#joints[reach].map(escapeRegExp).join('|')}).*)?`
  }

  /** i18next splits at the first separator, and joins the rest with dots. */
  #withNamespace(text: string): string[] {
    const joined = this.#nsSeparators.flatMap((separator) => {
      const [namespace, ...rest] = text.split(separator)
      return rest.length > 1 ? [`${namespace}${separator}${rest.join('.')}`] : []
    })
    return [text, ...joined]
  }

  /** Files, catalog and library may use different separators between segments: here all are replaced by a dot. */
  #dotted(text: string): string {
    return this.#otherSeparators.reduce((all, separator) => all.replaceAll(separator, '.'), text)
  }
}

/** The key, every shorter key that it may be a form of, and every key that may be above it. */
export function stemsOf(key: string, joints: readonly string[]): string[] {
  const stems = [key]
  for (const joint of joints)
    for (let at = key.indexOf(joint); at !== -1; at = key.indexOf(joint, at + 1)) stems.push(key.slice(0, at))
  return stems
}

/**
 * Splits the key at each punctuation, one character or several, in its first word: namespaces do not contain spaces.
 */
export function splitsOf(key: string) {
  const [word = ''] = key.split(/\s/, 1)
  return [...word.matchAll(/[^\p{L}\p{N}\s_*-]+/gu)].map(({ index, 0: separator }) => {
    return { namespace: key.slice(0, index), separator, rest: key.slice(index + separator.length) }
  })
}

/** Every beginning of the key except the empty one. */
export function beginningsOf(key: string): string[] {
  return Array.from({ length: key.length }, (_, at) => key.slice(0, key.length - at))
}
