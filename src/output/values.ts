/** Puts arrays together again, for the code of messages and for their types. */
import type { Messages } from '../catalog/model.ts'
import { arrayFinder, indexOf, objectTest, type Value, type Values } from '../catalog/values.ts'
import { branchesOf } from '../shared/key-path.ts'

/** Writes values as code, in JavaScript or as types. */
export interface ValueWriter {
  text(text: string): string
  /** @param json a number, a boolean or null */
  scalar(json: string): string
  array(items: readonly string[]): string
  /** By flat key. `isObject`: whether a key is known to name an object. */
  object(members: ReadonlyMap<string, string>, isObject: (key: string) => boolean): string
}

type Entry = string | Value

/**
 * The code of every text and value by flat key, where an outermost array is the value of its key. An element that no
 * language has is an empty text, so that the other elements keep their index.
 */
export function writeValues(
  messages: Messages,
  values: Values,
  separator: string,
  writer: ValueWriter,
): ReadonlyMap<string, string> {
  const entries = new Map<string, Entry>(messages)
  for (const [key, value] of values) if (!entries.has(key)) entries.set(key, value)
  return writeEntries(entries, { separator, writer })
}

interface Context {
  readonly separator: string
  readonly writer: ValueWriter
}

// Recursive: the depth of files is limited, and so is that of keys in arrays.
function writeEntries(entries: ReadonlyMap<string, Entry>, context: Context): Map<string, string> {
  const { separator, writer } = context
  const arrays = new Map([...entries].filter((entry): entry is [string, Value] => isArray(entry[1])))
  const arrayOf = arrayFinder(arrays, separator)
  const inside = new Map<string, Map<string, Entry>>([...arrays.keys()].map((key) => [key, new Map()]))
  const branches = new Set([...entries.keys()].flatMap((key) => [...branchesOf(key, separator)]))
  const written = new Map<string, string>()
  for (const [key, entry] of entries) {
    const array = arrayOf(key)
    if (array !== undefined) {
      if (array !== key) inside.get(array)?.set(key.slice(array.length + separator.length), entry)
      // An array below another one is written with that one.
      else if (isArray(entry)) written.set(key, '')
    } else if (typeof entry === 'string') written.set(key, writer.text(entry))
    else if (entry.kind === 'scalar') written.set(key, writer.scalar(entry.json))
    else if (entry.kind === 'object' && !branches.has(key))
      written.set(
        key,
        writer.object(new Map(), () => false),
      )
  }
  for (const [key, entry] of arrays) {
    if (arrayOf(key) === key && entry.kind === 'array')
      written.set(key, writeArray(entry.length, inside.get(key) ?? new Map(), context))
  }
  return written
}

function writeArray(length: number, entries: ReadonlyMap<string, Entry>, context: Context): string {
  const { separator, writer } = context
  const below = Array.from({ length }, () => new Map<string, Entry>())
  const own = new Array<Entry | undefined>(length)
  for (const [key, entry] of entries) {
    const end = key.indexOf(separator)
    const index = indexOf(end === -1 ? key : key.slice(0, end))
    if (index === undefined || index >= length) continue
    if (end === -1) own[index] = entry
    else below[index]?.set(key.slice(end + separator.length), entry)
  }
  return writer.array(below.map((children, index) => writeItem(own[index], children, context)))
}

function writeItem(own: Entry | undefined, below: ReadonlyMap<string, Entry>, context: Context): string {
  const { writer } = context
  if (typeof own === 'string') return writer.text(own)
  if (own?.kind === 'scalar') return writer.scalar(own.json)
  if (own?.kind === 'array') return writeArray(own.length, below, context)
  if (!own && below.size === 0) return writer.text('')
  const values = new Map([...below].filter((entry): entry is [string, Value] => typeof entry[1] !== 'string'))
  return writer.object(writeEntries(below, context), objectTest(values))
}

function isArray(entry: Entry): boolean {
  return typeof entry !== 'string' && entry.kind === 'array'
}
