/** A plain file's texts as the module that a page fetches: its bytes in another order, never as strings. */
import type { LazyTexts } from '../catalog/model.ts'
import { isSameList, lazyModule, MODULE_END, MODULE_START, moduleOf } from '../catalog/text-module.ts'
import { escapeForScript } from '../shared/script-text.ts'
import { createPlainReader, keysOfSkeleton, type PlainOrder } from './plain.ts'

/** Writes texts with their keys in order, without gaps: the bytes of `messagesJson`. */
export interface TextWriter {
  /**
   * The texts of a file. Languages of one namespace mostly have the same keys, which are looked at once then. `undefined`: the file is
   * not plain, or has an error.
   */
  write(namespace: string, file: Buffer, allocate?: (size: number) => Buffer): LazyTexts | undefined
  /** How many texts a file has, gaps not counted; `undefined` as with `write`. */
  count(namespace: string, file: Buffer): number | undefined
}

/** What files with the same keys in the same order have in common. */
interface Shape extends PlainOrder {
  readonly skeleton: Buffer
  /** In order, gaps included: the same array for every file that has the same keys. */
  readonly keys: readonly string[]
}

const START = Buffer.from(`${MODULE_START}{`)
const END = Buffer.from(`}${MODULE_END}`)
/** Of an empty text: two quotes. */
const GAP = 2

/** @param known lists of keys in order that other texts have: equal ones are given as these arrays */
export function createTextWriter(separator: string, known: readonly (readonly string[])[] = []): TextWriter {
  const reader = createPlainReader()
  const shapes = new Map<string, Shape>()
  const lists = new Map(known.map((keys) => [listId(keys), keys]))

  /** Keys that are known to be good, where nothing more of them is asked for. */
  const checked = new Map<string, Buffer>()

  const shapeOf = (skeleton: Buffer): Shape | undefined => {
    const given = keysOf(skeleton, separator)
    if (!given) return undefined
    // By code unit, as `compareCodeUnits`.
    const sorted = [...given].sort()
    const same = lists.get(listId(sorted))
    const keys = same && isSameList(same, sorted) ? same : sorted
    lists.set(listId(keys), keys)
    const placeOf = new Map(given.map((key, place) => [key, place]))
    const names = keys.map((key) => `${JSON.stringify(key)}:`)
    let end = 0
    return {
      skeleton: Buffer.from(skeleton),
      keys,
      places: Uint32Array.from(keys, (key) => placeOf.get(key) as number),
      names: Buffer.from(names.join('')),
      nameEnds: Uint32Array.from(names, (name) => {
        end += Buffer.byteLength(name)
        return end
      }),
    }
  }

  const scan = (namespace: string, file: Buffer) => {
    const scanned = reader.scan(file)
    if (!scanned) return undefined
    const known = shapes.get(namespace)
    const shape = known?.skeleton.equals(scanned.skeleton) ? known : shapeOf(scanned.skeleton)
    if (!shape) return undefined
    shapes.set(namespace, shape)
    return { ...scanned, shape }
  }

  return {
    write(namespace, file, allocate = Buffer.allocUnsafe) {
      const found = scan(namespace, file)
      if (!found) return undefined
      const { bytes, count } = reader.write(found.shape)
      const size = START.length + bytes.length + END.length
      const module = allocate(size)
      module.set(START)
      module.set(bytes, START.length)
      module.set(END, size - END.length)
      const safe = found.hasScriptEnd ? Buffer.from(escapeForScript(module.toString('utf8'), '\\u003c')) : module
      return lazyModule(moduleOf(safe), found.shape.keys, count)
    },
    count(namespace, file) {
      const found = reader.scan(file)
      if (!found) return undefined
      if (!checked.get(namespace)?.equals(found.skeleton)) {
        if (!keysOf(found.skeleton, separator)) return undefined
        checked.set(namespace, Buffer.from(found.skeleton))
      }
      let count = 0
      for (let i = 0; i < found.count; i++) if (lengthAt(found.spans, i) !== GAP) count++
      return count
    },
  }
}

function keysOf(skeleton: Buffer, separator: string): readonly string[] | undefined {
  const keys = keysOfSkeleton(skeleton, separator)
  // An object literal would take this key for the prototype.
  return keys?.includes('__proto__') ? undefined : keys
}

function lengthAt(spans: Uint32Array, place: number): number {
  return (spans[place * 2 + 1] as number) - (spans[place * 2] as number)
}

const listId = (keys: readonly string[]) => `${keys.length}\n${keys[0]}\n${keys.at(-1)}`
