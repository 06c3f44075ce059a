/** Rebuilds arrays from flat keys, for the code and the types of messages. */
import type { Messages } from '../catalog/model.ts'
import { arrayFinder, indexOf, objectTest, type Value, type Values } from '../catalog/values.ts'
import { branchesOf } from '../shared/key-path.ts'

export interface ValueWriter {
  text(text: string): string
  /** @param json a number, a boolean or null */
  scalar(json: string): string
  array(items: readonly string[]): string
  /**
   * Writes an object. The members have flat keys. `isObject` returns true for a key that is known to be the name of an
   * object.
   */
  object(members: ReadonlyMap<string, string>, isObject: (key: string) => boolean): string
}

type Entry = string | Value
type ArrayValue = Extract<Value, { readonly kind: 'array' }>

/**
 * The elements of an array, by index. `own` contains an element's own entry. `below` contains the members of an element
 * that is an object or an array.
 */
interface Elements extends ArrayValue {
  readonly own: (Entry | undefined)[]
  readonly below: Map<number, { readonly messages: Map<string, string>; readonly values: Map<string, Value> }>
}

/**
 * Returns the code for each text and value, by flat key. The code for an outermost array is under the array's key. If
 * no language has some element, that element becomes an empty text, so that the others keep their indices.
 */
// Recursion is safe: the depth of files is limited, and so is the depth of keys in arrays.
export function writeValues(
  messages: Messages,
  values: Values,
  separator: string,
  writer: ValueWriter,
): ReadonlyMap<string, string> {
  const arrays = new Map<string, Elements>()
  for (const [key, value] of values)
    if (value.kind === 'array' && !messages.has(key)) arrays.set(key, { ...value, own: [], below: new Map() })
  const arrayOf = arrayFinder(arrays, separator)
  const hasChildren = branchTest(messages, values, separator)
  const written = new Map<string, string>()
  const add = (key: string, entry: Entry) => {
    const array = arrayOf(key)
    if (array === key) written.set(key, '')
    else if (array !== undefined)
      addElement(arrays.get(array) as Elements, key.slice(array.length + separator.length), entry, separator)
    else if (typeof entry === 'string') written.set(key, writer.text(entry))
    else if (entry.kind === 'scalar') written.set(key, writer.scalar(entry.json))
    else if (entry.kind === 'object' && !hasChildren(key))
      written.set(
        key,
        writer.object(new Map(), () => false),
      )
  }
  for (const [key, text] of messages) add(key, text)
  for (const [key, value] of values) if (!messages.has(key)) add(key, value)
  // Arrays inside other arrays have no entry here. They are written as parts of the outer ones.
  for (const [key, elements] of arrays) if (written.has(key)) written.set(key, writeArray(elements, separator, writer))
  return written
}

function branchTest(messages: Messages, values: Values, separator: string): (key: string) => boolean {
  let branches: Set<string> | undefined
  return (key) => {
    branches ??= new Set([...messages.keys(), ...values.keys()].flatMap((each) => [...branchesOf(each, separator)]))
    return branches.has(key)
  }
}

function addElement({ length, own, below }: Elements, path: string, entry: Entry, separator: string): void {
  const end = path.indexOf(separator)
  const index = indexOf(end === -1 ? path : path.slice(0, end))
  if (index === undefined || index >= length) return
  if (end === -1) {
    own[index] = entry
    return
  }
  const inside = below.get(index) ?? { messages: new Map(), values: new Map() }
  below.set(index, inside)
  const key = path.slice(end + separator.length)
  if (typeof entry === 'string') inside.messages.set(key, entry)
  else inside.values.set(key, entry)
}

function writeArray({ length, own, below }: Elements, separator: string, writer: ValueWriter): string {
  const items: string[] = []
  for (let index = 0; index < length; index++) {
    const [entry, inside] = [own[index], below.get(index)]
    if (typeof entry === 'string') items.push(writer.text(entry))
    else if (entry?.kind === 'scalar') items.push(writer.scalar(entry.json))
    else if (entry?.kind === 'array') items.push(writeNested(entry, inside, separator, writer))
    else if (!entry && !inside) items.push(writer.text(''))
    else {
      const { messages = new Map<string, string>(), values = new Map<string, Value>() } = inside ?? {}
      items.push(writer.object(writeValues(messages, values, separator, writer), objectTest(values)))
    }
  }
  return writer.array(items)
}

function writeNested(
  array: ArrayValue,
  inside: { readonly messages: Messages; readonly values: Values } | undefined,
  separator: string,
  writer: ValueWriter,
): string {
  const elements: Elements = { ...array, own: [], below: new Map() }
  for (const [path, text] of inside?.messages ?? []) addElement(elements, path, text, separator)
  for (const [path, value] of inside?.values ?? []) addElement(elements, path, value, separator)
  return writeArray(elements, separator, writer)
}
