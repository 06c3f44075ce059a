/** Rules about the message syntax of the app's i18n library. */
import type { Catalog } from './model.ts'
import { error, type Problem } from './problem.ts'

export interface MessageSyntax {
  /** Returns what the library throws on in the text; `undefined`: nothing. */
  problemIn(text: string): string | undefined
  /** Returns the keys of the texts that the library puts into the text. */
  referencesIn(text: string): readonly string[]
}

export function checkSyntax(text: string, syntax: MessageSyntax | undefined): Problem | undefined {
  const problem = syntax?.problemIn(text)
  return problem === undefined ? undefined : error('syntax', `cannot be compiled: ${problem}`)
}

/** Finds references to texts that no language and no namespace has. */
export class ReferenceCheck {
  readonly #syntax: MessageSyntax
  readonly #catalog: Catalog
  readonly #results = new Map<string, boolean>()
  #keys: Set<string> | undefined

  constructor(catalog: Catalog, syntax: MessageSyntax) {
    this.#catalog = catalog
    this.#syntax = syntax
  }

  problemsIn(text: string): Problem[] {
    const missing = this.#syntax.referencesIn(text).filter((key) => !this.#exists(key))
    return missing.map((key) => error('reference', `refers to ${JSON.stringify(key)}, which does not exist`))
  }

  #exists(key: string): boolean {
    const known = this.#results.get(key)
    if (known !== undefined) return known
    this.#keys ??= new Set(this.#catalog.parts.flatMap(({ messages }) => [...messages.keys()]))
    const spellings = [key, ...this.#catalog.namespaces.flatMap((namespace) => withoutNamespace(key, namespace))]
    const found = spellings.some((each) => this.#keys?.has(each) || this.#isGeneral(each))
    this.#results.set(key, found)
    return found
  }

  /** A branch of keys, or a key with plural forms or contexts. */
  #isGeneral(key: string): boolean {
    for (const each of this.#keys ?? []) if (each.startsWith(key) && /^[._-]/.test(each.slice(key.length))) return true
    return false
  }
}

/** `common:title`, `common.title`. */
function withoutNamespace(key: string, namespace: string): string[] {
  return key.startsWith(namespace) && /^[:.]/.test(key.slice(namespace.length)) ? [key.slice(namespace.length + 1)] : []
}
