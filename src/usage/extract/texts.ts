/** The texts of the default language that `localization extract` compares the code with. */
import { branchesOf } from '../../shared/key-path.ts'

/** A namespace of the default language, as its file has it. */
export interface NamespaceTexts {
  readonly namespace: string
  readonly messages: ReadonlyMap<string, string>
  /** The file cannot be read: it may have any key. */
  readonly isBroken?: boolean
}

/** Above this share of texts that repeat their key, the key is the text. */
const KEY_SHARE = 0.9
const FEWEST_TEXTS = 10

export class KnownTexts {
  readonly #texts: ReadonlyMap<string, NamespaceTexts>
  readonly #names = new Map<string, ReadonlySet<string>>()

  /**
   * @param keySeparators of the catalog, and of the code: both count as a dot
   * @param isFlat whether keys are not split: a key is no branch
   */
  constructor(
    texts: readonly NamespaceTexts[],
    private readonly keySeparators: readonly [catalog: string, code: string],
    private readonly isFlat: boolean,
  ) {
    this.#texts = new Map(texts.map((each) => [each.namespace, each]))
  }

  get namespaces(): string[] {
    return [...this.#texts.keys()]
  }

  isBroken(namespace: string): boolean {
    return this.#texts.get(namespace)?.isBroken === true
  }

  /** Whether the key has a text, or texts below it. */
  has(namespace: string, key: string): boolean {
    return this.#messages(namespace).has(key) || (!this.isFlat && this.#namesOf(namespace).has(this.#dotted(key)))
  }

  /** Whether any form of the key has a text: whatever follows the key and one of the separators. */
  hasForm(namespace: string, key: string, separators: readonly string[]): boolean {
    const start = this.isFlat ? key : this.#dotted(key)
    const names = this.isFlat ? this.#messages(namespace).keys() : this.#namesOf(namespace)
    for (const known of names) if (separators.some((separator) => known.startsWith(start + separator))) return true
    return false
  }

  /** Whether the namespace has keys that end so. */
  hasEnding(namespace: string, ending: string): boolean {
    return [...this.#messages(namespace).keys()].some((key) => key.endsWith(ending))
  }

  /** Whether the app's keys are its texts. A namespace with few texts is treated like the others. */
  readsAsText(namespace: string): boolean {
    const own = this.#messages(namespace)
    const all = own.size >= FEWEST_TEXTS ? [own] : [...this.#texts.values()].map(({ messages }) => messages)
    const texts = all.flatMap((messages) => [...messages]).filter(([, text]) => text !== '')
    // A plural form or a context stands behind the text.
    const same = texts.filter(([key, text]) => key.startsWith(text))
    return texts.length > 0 && same.length > texts.length * KEY_SHARE
  }

  #messages(namespace: string): ReadonlyMap<string, string> {
    return this.#texts.get(namespace)?.messages ?? new Map()
  }

  /** Keys and branches. */
  #namesOf(namespace: string): ReadonlySet<string> {
    const known = this.#names.get(namespace)
    if (known) return known
    const names = new Set<string>()
    for (const given of this.#messages(namespace).keys()) {
      names.add(this.#dotted(given))
      for (const branch of branchesOf(given, this.keySeparators[0])) names.add(this.#dotted(branch))
    }
    this.#names.set(namespace, names)
    return names
  }

  #dotted(key: string): string {
    const separators = this.keySeparators.filter((separator) => separator !== '')
    return separators.reduce((all, separator) => all.replaceAll(separator, '.'), key)
  }
}
