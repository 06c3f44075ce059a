import { defaultLanguage, load, type Messages, onUpdate } from 'virtual:translations'

/** A translation runtime of one's own: placeholders and plural forms over `load` and `onUpdate`. */
class Texts {
  language = $state(defaultLanguage)
  #messages = $state.raw<ReadonlyMap<string, Messages>>(new Map())
  readonly #used = new Set(['common'])
  #wanted = defaultLanguage
  #turn = 0

  /** Fetches what is missing, then switches; of several calls the last one counts. */
  async use(language: string, ...namespaces: string[]): Promise<void> {
    this.#wanted = language
    for (const namespace of namespaces) this.#used.add(namespace)
    const own = ++this.#turn
    const loaded = await Promise.all([...this.#used].map(async (name) => [name, await load(language, name)] as const))
    if (own !== this.#turn) return
    this.language = language
    // A new map, though the messages may be the same objects: Svelte looks at the map.
    this.#messages = new Map(loaded)
  }

  refresh(): Promise<void> {
    return this.use(this.#wanted)
  }

  t = (namespace: string, key: string, values: Readonly<Record<string, string | number>> = {}): string => {
    const form = typeof values.count === 'number' ? `.${new Intl.PluralRules(this.language).select(values.count)}` : ''
    const text = this.#messages.get(namespace)?.[`${key}${form}`] ?? `${namespace}.${key}`
    return String(text).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
  }
}

export const texts = new Texts()
onUpdate(() => void texts.refresh())
