/** Joins a namespace's texts and values from several layers: languages of a fallback chain, customers, or sources. */
import { branchesOf } from '../shared/key-path.ts'
import type { Messages } from './model.ts'
import { arrayFinder, indexOf, type Value, type Values } from './values.ts'

export interface Layer {
  readonly messages: Messages
  readonly values?: Values | undefined
}

export interface Joined extends Layer {
  readonly values: Values | undefined
}

export interface JoinOptions {
  readonly keySeparator: string
  /** True if an empty text counts as a text. */
  readonly keepsEmpty?: boolean
  /** True if all layers have the same language. An array then includes the texts from every layer. */
  readonly grows?: boolean
}

/**
 * For each key, the first layer that has a text or value wins. The first layer that has a name also decides whether it
 * is an array. Below an array, only its elements are kept. Below other names, a later layer's array is omitted. The
 * first layer that has an array decides its length.
 */
export function joinLayers(layers: readonly Layer[], options: JoinOptions): Joined {
  const joiner = new LayerJoiner(options)
  for (const layer of layers) joiner.add(layer)
  const values = joiner.values
  return { messages: joiner.texts, values: values.size > 0 ? values : undefined }
}

class LayerJoiner {
  readonly texts = new Map<string, string>()
  readonly values = new Map<string, Value>()
  /** Names with children that are not array elements. */
  readonly #objects = new Set<string>()
  /** The length that an array needs for the elements so far, by the name of the array. */
  readonly #ends = new Map<string, number>()
  readonly #separator: string
  readonly #keepsEmpty: boolean
  readonly #grows: boolean

  constructor({ keySeparator, keepsEmpty = false, grows = false }: JoinOptions) {
    this.#separator = keySeparator
    this.#keepsEmpty = keepsEmpty
    this.#grows = grows
  }

  add({ messages, values }: Layer): void {
    const refused = new Map<string, Value>()
    for (const [key, value] of values ?? []) {
      if (value.kind === 'array' && !this.#takesArray(key)) refused.set(key, value)
    }
    const isRefused = arrayFinder(refused.size > 0 ? refused : undefined, this.#separator)
    const taken: string[] = []
    for (const [key, value] of values ?? []) {
      if (this.#has(key) || isRefused(key) !== undefined || !this.#fits(key)) continue
      this.values.set(key, value.kind === 'array' ? { ...value, length: this.#lengthOf(key, value.length) } : value)
      taken.push(key)
    }
    for (const [key, text] of messages) {
      if (text === '' && !this.#keepsEmpty) continue
      if (this.#has(key) || isRefused(key) !== undefined || !this.#fits(key)) continue
      this.texts.set(key, text)
      taken.push(key)
    }
    for (const key of taken) this.#note(key)
  }

  #has(key: string): boolean {
    return this.texts.has(key) || (this.values.get(key)?.kind ?? 'branch') !== 'branch'
  }

  #takesArray(key: string): boolean {
    return !this.texts.has(key) && !this.#objects.has(key) && (this.values.get(key)?.kind ?? 'array') === 'array'
  }

  /** True if every array that contains the key has room for it. */
  #fits(key: string): boolean {
    for (const branch of branchesOf(key, this.#separator)) {
      const value = this.values.get(branch)
      if (value?.kind !== 'array') continue
      const index = indexOf(firstSegment(key, branch, this.#separator))
      if (index === undefined) return false
      if (index < value.length) continue
      // The texts come in any order. A gap that no text fills becomes an element without a text.
      if (!this.#grows || index >= value.length + MOST_ADDED) return false
      this.values.set(branch, { kind: 'array', length: index + 1 })
    }
    return true
  }

  /** The array's length. A layer without arrays, such as the service, may have more elements than the array. */
  #lengthOf(key: string, length: number): number {
    const end = this.#ends.get(key) ?? 0
    return end > length && end <= length + MOST_ADDED ? end : length
  }

  #note(key: string): void {
    for (const branch of branchesOf(key, this.#separator)) {
      const index = indexOf(firstSegment(key, branch, this.#separator))
      if (index === undefined) this.#objects.add(branch)
      else this.#ends.set(branch, Math.max(this.#ends.get(branch) ?? 0, index + 1))
    }
  }
}

/** The maximum number of added elements: a key with a huge index must not create a huge array. */
const MOST_ADDED = 1000

function firstSegment(key: string, branch: string, separator: string): string {
  const rest = key.slice(branch.length + separator.length)
  const end = rest.indexOf(separator)
  return end === -1 ? rest : rest.slice(0, end)
}
