/** Tells whether any use names a key: the key itself, a key that it is a form of, or a key that it is below. */
import { escapeRegExp } from '../shared/escape-regexp.ts'
import type { KeyUse } from './model.ts'

export interface KeyMatcherOptions {
  readonly keySeparators: readonly string[]
  readonly nsSeparators: readonly string[]
  /** Whether `namespace.key` names a key. Default true. */
  readonly namespacePrefix?: boolean | undefined
  /** What stands between a key and its plural or context form. */
  readonly formSeparators: readonly string[]
}

/** The keys that the uses of one namespace name. */
class UsedNames {
  /** Keys with their forms and with everything below them. */
  readonly #open = new Set<string>()
  /** Keys alone. */
  readonly #only = new Set<string>()
  readonly #patterns = new Map<string, RegExp>()

  add(key: string, isOnly: boolean | undefined) {
    ;(isOnly ? this.#only : this.#open).add(key)
  }

  addPattern(source: string) {
    if (!this.#patterns.has(source)) this.#patterns.set(source, new RegExp(source, 's'))
  }

  has(key: string, stems: readonly string[]): boolean {
    if (this.#only.has(key) || stems.some((stem) => this.#open.has(stem))) return true
    for (const pattern of this.#patterns.values()) if (pattern.test(key)) return true
    return false
  }
}

export class KeyMatcher {
  readonly #everywhere = new UsedNames()
  /** Every key that is spelled out, wherever it is looked for: it may begin with a namespace. */
  readonly #spelled = new UsedNames()
  readonly #byNamespace = new Map<string, UsedNames>()
  /** What may stand between a key and what hangs on it. */
  readonly #joints: readonly string[]
  /** What may stand between a namespace and a key. */
  readonly #fronts: readonly string[]
  readonly #otherSeparators: readonly string[]

  constructor({ keySeparators, nsSeparators, namespacePrefix = true, formSeparators }: KeyMatcherOptions) {
    const distinct = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '')
    this.#joints = distinct(['.', ...keySeparators, ...formSeparators])
    this.#fronts = distinct([...nsSeparators, ...(namespacePrefix ? keySeparators : [])])
    this.#otherSeparators = distinct(keySeparators).filter((separator) => separator !== '.' && separator !== '*')
  }

  add(use: KeyUse, namespaces: readonly string[] | 'any') {
    this.#put(this.#spelled, use)
    if (namespaces === 'any') return this.#put(this.#everywhere, use)
    for (const namespace of namespaces) {
      const names = this.#byNamespace.get(namespace) ?? new UsedNames()
      this.#byNamespace.set(namespace, names)
      this.#put(names, use)
    }
  }

  has(namespace: string, given: string): boolean {
    const key = this.#dotted(given)
    const stems = stemsOf(key, this.#joints)
    if (this.#everywhere.has(key, stems) || this.#byNamespace.get(namespace)?.has(key, stems)) return true
    return this.#fronts.some((front) => {
      const prefix = this.#dotted(namespace + front)
      return this.#spelled.has(
        prefix + key,
        stems.map((stem) => prefix + stem),
      )
    })
  }

  #put(names: UsedNames, { key: given, isPattern, isOnly }: KeyUse) {
    const key = this.#dotted(given)
    if (!isPattern) return names.add(key, isOnly)
    const rest = isOnly ? '' : `(?:(?:${this.#joints.map(escapeRegExp).join('|')}).*)?`
    names.addPattern(`^${key.split('*').map(escapeRegExp).join('.*')}${rest}$`)
  }

  /** Files, catalog and library may each join segments with another separator: here all of them are a dot. */
  #dotted(text: string): string {
    return this.#otherSeparators.reduce((all, separator) => all.replaceAll(separator, '.'), text)
  }
}

/** The key, and every shorter one that it may be a form of or that it may be below. */
export function stemsOf(key: string, joints: readonly string[]): string[] {
  const stems = [key]
  for (const joint of joints)
    for (let at = key.indexOf(joint); at !== -1; at = key.indexOf(joint, at + 1)) stems.push(key.slice(0, at))
  return stems
}
