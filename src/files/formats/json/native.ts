/**
 * Reads JSON with the engine's own parser, which is three times as fast as the parser with positions, but sees no
 * duplicate key and no place. Files that have an error, or that the two could read differently, are left to the other.
 */
import { isUtf8 } from 'node:buffer'
import { freezeMessages } from '../../../catalog/model.ts'
import type { Value, Values } from '../../../catalog/values.ts'
import { MAX_DEPTH } from '../../../shared/flatten.ts'
import { PATH_JOINT } from '../../../shared/key-path.ts'

export interface FlatTexts {
  /** Flat key to text, in the file's order. */
  readonly entries: ReadonlyMap<string, string>
  /** What the file holds beside texts; `undefined`: nothing. */
  readonly values: Values | undefined
}

/** @returns `undefined`: `parseTranslationText` must read the file, and report what is wrong with it */
export function readNativeJson(bytes: Buffer, keySeparator: string): FlatTexts | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  if (SURROGATE_ESCAPE.test(text)) return undefined
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch {
    return undefined
  }
  const reader = new TextReader(keySeparator)
  if (!isObject(root) || !reader.addObject(root, '', 1, false)) return undefined
  return reader.stringCount * 2 === quotesIn(text) ? reader.result() : undefined
}

/** Half a character, or one in two halves. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/

/** Objects give such keys in another order than the file. */
const INDEX = /^(?:0|[1-9]\d*)$/

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

class TextReader {
  /** Keys and texts: fewer than the file has strings where an object has a key twice. */
  stringCount = 0
  readonly #entries = new Map<string, string>()
  readonly #values = new Map<string, Value>()
  readonly #separator: string
  #entryCount = 0
  #valueCount = 0

  constructor(separator: string) {
    this.#separator = separator
  }

  /** `undefined`: two paths join to one key, or the file has no text. */
  result(): FlatTexts | undefined {
    const [entries, values] = [this.#entries, this.#values]
    if (entries.size < this.#entryCount || values.size < this.#valueCount) return undefined
    for (const key of values.keys()) if (entries.has(key)) return undefined
    if (values.size > 0 && entries.size === 0) return undefined
    return { entries: freezeMessages(entries), values: values.size > 0 ? values : undefined }
  }

  /** False: the file is left to the other parser. */
  addObject(object: JsonObject, prefix: string, depth: number, isInArray: boolean): boolean {
    if (depth > MAX_DEPTH) return false
    for (const name of Object.keys(object)) {
      if (name === '' || INDEX.test(name)) return false
      if (this.#separator === PATH_JOINT && name.includes(PATH_JOINT)) return false
      this.stringCount++
      const value = object[name]
      const key = prefix + name
      if (!isObject(value)) {
        if (!this.#addValue(key, value, depth)) return false
        continue
      }
      if (isInArray) this.#setValue(key, { kind: 'object' })
      if (!this.addObject(value, key + this.#separator, depth + 1, isInArray)) return false
    }
    return true
  }

  #addValue(key: string, value: unknown, depth: number): boolean {
    if (typeof value === 'string') {
      this.stringCount++
      this.#entryCount++
      this.#entries.set(key, value)
      return true
    }
    if (Array.isArray(value)) return this.#addArray(key, value, depth + 1)
    // A number's notation is lost.
    if (typeof value === 'number') return false
    this.#setValue(key, { kind: 'scalar', json: String(value) })
    return true
  }

  #addArray(key: string, items: readonly unknown[], depth: number): boolean {
    if (depth > MAX_DEPTH) return false
    this.#setValue(key, { kind: 'array', length: items.length })
    return items.every((item, index) => {
      const itemKey = `${key}${this.#separator}${index}`
      if (!isObject(item)) return this.#addValue(itemKey, item, depth)
      this.#setValue(itemKey, { kind: 'object' })
      return this.addObject(item, itemKey + this.#separator, depth + 1, true)
    })
  }

  #setValue(key: string, value: Value): void {
    this.#valueCount++
    this.#values.set(key, value)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Of valid JSON: the quotes around its strings. */
function quotesIn(json: string): number {
  let count = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json.charCodeAt(at)
    if (byte === QUOTE) count++
    else if (byte === BACKSLASH) at++
  }
  return count
}
