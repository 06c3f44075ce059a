/**
 * Finds the use that refers to a key: by the key itself, by the base key of a form, or by a branch that contains the
 * key.
 */
import { keyGlob } from '../catalog/names.ts'
import { hasPieces } from '../shared/split.ts'
import type { ReasonOf, UseReason } from './model.ts'

export interface KeyMatcherOptions {
  readonly keySeparators: readonly string[]
  readonly nsSeparators: readonly string[]
  /** True if keys may start with their namespace and a key separator, as in `shop.title`. Default true. */
  readonly namespacePrefix?: boolean | undefined
  /** The separators before a plural or context suffix. */
  readonly formSeparators: readonly string[]
  /**
   * False if plurals are inside the messages, which means that keys have no forms. Keys that look like forms are kept
   * even then.
   */
  readonly hasForms?: boolean
  /** True if the form separator is unknown, which means that every longer key may be a form. */
  readonly hasUnknownForms?: boolean
}

/** `all`: the key, its forms and everything below it. `forms`: the key and its forms. `only`: the key alone. */
export type Reach = 'all' | 'forms' | 'only'

/** A key or pattern in the code. In a pattern, `*` matches any characters. */
export interface Name {
  readonly text: string
  readonly isPattern: boolean
  readonly reach: Reach
  /** True if the name of a namespace refers to all its texts. */
  readonly mayBeNamespace?: boolean | undefined
  readonly reason: UseReason
}

/** A key. `forms` adds the possible base keys, and `all` also adds the branches that may contain the key. */
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

/** Groups patterns by their literal beginning, so that only a few of them must be tested for each name. */
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

  /** Returns the value of the pattern that was added first among those that match. */
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

/** The keys that the code uses in one namespace. */
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

  /** @param ends the texts that may follow, each with any text after it */
  addPattern(text: string, ends: readonly string[], reason: UseReason) {
    const all = [text, ...ends.map((end) => `${text}${end}*`)]
    const id = JSON.stringify(all)
    if (this.#sources.has(id)) return
    this.#sources.add(id)
    // Regular expressions could take forever: a text may refer to a key with many unknown parts.
    const pieces = all.map((each) => each.split('*'))
    this.#patterns.add(text.split('*', 1)[0] ?? '', (key) => pieces.some((each) => hasPieces(key, each)), reason)
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
  /** Keys as the code spells them, for all namespaces. Some of them begin with a namespace. */
  readonly #spelled = new UsedNames()
  readonly #byNamespace = new Map<string, UsedNames>()
  readonly #wholeNamespaces = new Map<string, UseReason>()
  /** The separators between a key and its forms or the keys below it. */
  readonly #joints: Readonly<Record<Reach, readonly string[]>>
  /** The separators that may follow a namespace at the beginning of a key. */
  readonly #fronts: readonly string[]
  readonly #hasPrefixes: boolean
  readonly #nsSeparators: readonly string[]
  readonly #otherSeparators: readonly string[]
  readonly #hasUnknownForms: boolean

  constructor(options: KeyMatcherOptions) {
    const { keySeparators, nsSeparators, namespacePrefix = true, formSeparators, hasUnknownForms = false } = options
    const distinct = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '')
    this.#otherSeparators = distinct(keySeparators).filter((separator) => separator !== '.' && separator !== '*')
    const forms = distinct(formSeparators.flatMap((separator) => [separator, dotted(separator, this.#otherSeparators)]))
    this.#joints = { all: distinct(['.', ...keySeparators, ...forms]), forms, only: [] }
    this.#fronts = distinct([...nsSeparators, ...(namespacePrefix ? keySeparators : [])])
    this.#hasPrefixes = namespacePrefix
    this.#nsSeparators = distinct(nsSeparators)
    this.#hasUnknownForms = hasUnknownForms
  }

  add(name: Name, namespaces: readonly string[] | 'any') {
    if (name.mayBeNamespace && this.#hasPrefixes)
      this.#wholeNamespaces.set(dotted(name.text, this.#otherSeparators), name.reason)
    if (namespaces !== 'any') {
      this.#spell(name)
      for (const namespace of namespaces) this.#put(this.#namesOf(namespace), name)
      return
    }
    this.addText(name)
    // A function that no library binds to a namespace may use a separator of the app, as in `core#title`.
    for (const { namespace, separator, rest } of splitsOf(name.text)) {
      if (separator === '.' || this.#otherSeparators.includes(separator)) continue
      const names = namespace.includes('*') ? this.#everywhere : this.#namesOf(namespace)
      this.#put(names, { ...name, text: rest, isPattern: rest.includes('*') })
    }
  }

  /** Adds a string that may refer to a key in any namespace, with or without the namespace. */
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
    const key = dotted(given, this.#otherSeparators)
    const forms = this.#hasUnknownForms ? beginningsOf(key) : stemsOf(key, this.#joints.forms)
    const stems = { key, forms, all: this.#hasUnknownForms ? forms : stemsOf(key, this.#joints.all) }
    const found = this.#everywhere.find(stems) ?? this.#byNamespace.get(namespace)?.find(stems)
    if (found) return found
    for (const front of this.#fronts) {
      const spelled = this.#spelled.find(stems, dotted(namespace + front, this.#otherSeparators))
      if (spelled) return spelled
    }
    return this.#wholeNamespaces.get(dotted(namespace, this.#otherSeparators))
  }

  #put(names: UsedNames, { text, isPattern, reach, reason }: Name) {
    const key = dotted(text, this.#otherSeparators)
    if (!isPattern) return names.add(key, reach, reason)
    names.addPattern(key, this.#hasUnknownForms ? [''] : this.#joints[reach], reason)
  }

  /**
   * Returns the text, and the same text as i18next reads it: split at the namespace separator, with all parts after the
   * namespace joined with dots.
   */
  #withNamespace(text: string): string[] {
    const joined = this.#nsSeparators.flatMap((separator) => {
      const [namespace, ...rest] = text.split(separator)
      return rest.length > 1 ? [`${namespace}${separator}${rest.join('.')}`] : []
    })
    return [text, ...joined]
  }
}

/** Replaces all key separators with dots, because files, catalog and library may use different separators. */
export function dotted(text: string, separators: readonly string[]): string {
  return separators.reduce((all, separator) => (separator === '' ? all : all.replaceAll(separator, '.')), text)
}

/** The key, and each of its prefixes that ends before a separator: its possible base keys and branches. */
export function stemsOf(key: string, joints: readonly string[]): string[] {
  const stems = [key]
  for (const joint of joints)
    for (let at = key.indexOf(joint); at !== -1; at = key.indexOf(joint, at + 1)) stems.push(key.slice(0, at))
  return stems
}

/** Splits the key at each group of punctuation marks in its first word. A namespace contains no spaces. */
export function splitsOf(key: string) {
  const [word = ''] = key.split(/\s/, 1)
  return [...word.matchAll(/[^\p{L}\p{N}\s_*-]+/gu)].map(({ index, 0: separator }) => {
    return { namespace: key.slice(0, index), separator, rest: key.slice(index + separator.length) }
  })
}

export function beginningsOf(key: string): string[] {
  return Array.from({ length: key.length }, (_, at) => key.slice(0, key.length - at))
}

/** Returns a function that gives the reason why a key is kept: the pattern in `keep` that matches the key. */
export function keepFilter(patterns: readonly string[] = []): ReasonOf {
  const names = new Map<string, UseReason>(patterns.map((name) => [name, { kind: 'keep', name }]))
  const globs = new PatternIndex<UseReason>()
  for (const [name, reason] of names)
    if (/[^\p{L}\p{N}\s.,:;_/-]/u.test(name)) globs.add(startOf(name), matcherOf(name), reason)
  const judge = (name: string) => names.get(name) ?? globs.find(name)
  return (namespace, key) => judge(key) ?? judge(`${namespace}:${key}`)
}

/** Compiles a glob when it is first used. */
function matcherOf(glob: string): (key: string) => boolean {
  let matches: ((key: string) => boolean) | undefined
  return (key) => {
    matches ??= keyGlob(glob)
    return matches(key)
  }
}

/**
 * The text before the first `*` or `?`, with which every match begins. Returns `''` if the glob has other special
 * characters, because these may introduce alternatives.
 */
function startOf(glob: string): string {
  return /^[\p{L}\p{N}\s.,:;_*?-]+$/u.test(glob) ? (/^[^*?]*/.exec(glob)?.[0] ?? '') : ''
}
