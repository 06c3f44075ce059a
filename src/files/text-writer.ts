/** A plain file's texts as the module that a page fetches: its bytes in another order, never as strings. */
import type { LazyTexts } from '../catalog/model.ts'
import { isSameList, lazyModule, MODULE_END, MODULE_START, moduleOf } from '../catalog/text-module.ts'
import { escapeForScript } from '../shared/script-text.ts'
import { copyBytes, createPlainScanner, keysOfSkeleton } from './plain.ts'

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
interface Shape {
  readonly skeleton: Buffer
  /** In order, gaps included: the same array for every file that has the same keys. */
  readonly keys: readonly string[]
  /** Where each key in order stands among those of the file. */
  readonly places: Uint32Array
  /** `"key":` of each key in order, and where each ends. */
  readonly names: Buffer
  readonly nameEnds: Uint32Array
}

const START = Buffer.from(`${MODULE_START}{`)
const END = Buffer.from(`}${MODULE_END}`)
const COMMA = 0x2c
/** Of an empty text: two quotes. */
const GAP = 2

/** @param known lists of keys in order that other texts have: equal ones are given as these arrays */
export function createTextWriter(separator: string, known: readonly (readonly string[])[] = []): TextWriter {
  const scan = createPlainScanner()
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

  const read = (namespace: string, file: Buffer) => {
    const scanned = scan(file)
    if (!scanned) return undefined
    let shape = shapes.get(namespace)
    if (!shape?.skeleton.equals(scanned.skeleton)) {
      shape = shapeOf(scanned.skeleton)
      if (!shape) return undefined
      shapes.set(namespace, shape)
    }
    return { ...scanned, shape }
  }

  return {
    write(namespace, file, allocate = Buffer.allocUnsafe) {
      const found = read(namespace, file)
      if (!found) return undefined
      const { bytes, count } = writeModule(file, found.spans, found.shape, allocate)
      const module = found.hasScriptEnd ? Buffer.from(escapeForScript(bytes.toString('utf8'), '\\u003c')) : bytes
      return lazyModule(moduleOf(module), found.shape.keys, count)
    },
    count(namespace, file) {
      const found = scan(file)
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

function writeModule(
  file: Buffer,
  spans: Uint32Array,
  { places, names, nameEnds }: Shape,
  allocate: (size: number) => Buffer,
) {
  let count = 0
  let size = START.length + END.length
  for (let i = 0; i < places.length; i++) {
    const length = lengthAt(spans, places[i] as number)
    if (length === GAP) continue
    size += (nameEnds[i] as number) - (i === 0 ? 0 : (nameEnds[i - 1] as number)) + length + (count === 0 ? 0 : 1)
    count++
  }
  const bytes = allocate(size)
  copyBytes(START, 0, START.length, bytes, 0)
  let at = START.length
  let isFirst = true
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number
    if (lengthAt(spans, place) === GAP) continue
    if (!isFirst) bytes[at++] = COMMA
    isFirst = false
    const nameStart = i === 0 ? 0 : (nameEnds[i - 1] as number)
    const nameEnd = nameEnds[i] as number
    copyBytes(names, nameStart, nameEnd, bytes, at)
    at += nameEnd - nameStart
    const start = spans[place * 2] as number
    const end = spans[place * 2 + 1] as number
    copyBytes(file, start, end, bytes, at)
    at += end - start
  }
  copyBytes(END, 0, END.length, bytes, at)
  return { bytes, count }
}

function lengthAt(spans: Uint32Array, place: number): number {
  return (spans[place * 2 + 1] as number) - (spans[place * 2] as number)
}

const listId = (keys: readonly string[]) => `${keys.length}\n${keys[0]}\n${keys.at(-1)}`
