/**
 * Reads JSON with `JSON.parse`. It is three times as fast as our parser, but reports neither positions nor duplicate
 * keys. Our parser reads the files with errors, and files that the two could read differently.
 */
import { isUtf8 } from 'node:buffer'
import { freezeMessages } from '../../../catalog/model.ts'
import type { Value, Values } from '../../../catalog/values.ts'
import { MAX_DEPTH } from '../../../shared/flatten.ts'
import { PATH_JOINT } from '../../../shared/key-path.ts'

export interface FlatTexts {
  /** The texts by flat key, in the file's order. */
  readonly entries: ReadonlyMap<string, string>
  /** The values that are not texts; `undefined` if there are none. */
  readonly values: Values | undefined
}

/** Returns `undefined` if `parseTranslationText` must read the file and report its problems. */
export function readNativeJson(bytes: Buffer, separator: string): FlatTexts | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  if (text.includes('\\u') && SURROGATE_ESCAPE.test(text)) return undefined
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch {
    return undefined
  }
  const reader = new TextReader(separator)
  if (!isObject(root) || !reader.addObject(root, '', 1, false)) return undefined
  return reader.stringCount * 2 === quotesIn(text) ? reader.result() : undefined
}

/** Matches the escape of a surrogate, alone or in a pair. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/

/** Matches names that JavaScript objects move to the front, so their order in the file would be lost. */
const INDEX = /^(?:0|[1-9]\d*)$/

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

class TextReader {
  /** The number of keys and texts. The file has more strings if it has duplicate keys. */
  stringCount = 0
  readonly #separator: string
  readonly #entries = new Map<string, string>()
  readonly #values = new Map<string, Value>()
  #entryCount = 0
  #valueCount = 0

  constructor(separator: string) {
    this.#separator = separator
  }

  /** Returns `undefined` if two paths join to the same key, or if the file has no text. */
  result(): FlatTexts | undefined {
    const [entries, values] = [this.#entries, this.#values]
    if (entries.size < this.#entryCount || values.size < this.#valueCount) return undefined
    for (const key of values.keys()) if (entries.has(key)) return undefined
    if (values.size > 0 && entries.size === 0) return undefined
    return { entries: freezeMessages(entries), values: values.size > 0 ? values : undefined }
  }

  /** Adds an object's texts. Returns false if the other parser must read the file. */
  addObject(object: JsonObject, prefix: string, depth: number, isInArray: boolean): boolean {
    if (depth > MAX_DEPTH) return false
    const names = Object.keys(object)
    if (INDEX.test(names[0] ?? '')) return false
    for (const name of names) {
      if (name === '' || (this.#separator === PATH_JOINT && name.includes(PATH_JOINT))) return false
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
    if (Array.isArray(value)) {
      this.#setValue(key, { kind: 'array', length: value.length })
      return this.#addItems(value, key + this.#separator, depth + 1)
    }
    // A parsed number does not show how it was written in the file.
    if (typeof value === 'number') return false
    this.#setValue(key, { kind: 'scalar', json: JSON.stringify(value) })
    return true
  }

  #addItems(items: readonly unknown[], prefix: string, depth: number): boolean {
    if (depth > MAX_DEPTH) return false
    return items.every((item, index) => {
      const key = prefix + index
      if (!isObject(item)) return this.#addValue(key, item, depth)
      this.#setValue(key, { kind: 'object' })
      return this.addObject(item, key + this.#separator, depth + 1, true)
    })
  }

  #setValue(key: string, value: Value): void {
    this.#valueCount++
    this.#values.set(key, value)
  }
}

/**
 * The number of quotes around strings in valid JSON. Backslashes occur only in strings, and each escapes one character.
 */
function quotesIn(json: string): number {
  let count = 0
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at + 1)) count++
  for (let at = json.indexOf('\\'); at !== -1; at = json.indexOf('\\', at + 2)) if (json[at + 1] === '"') count--
  return count
}
