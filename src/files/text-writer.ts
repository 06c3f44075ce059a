/** Encodes the texts of plain files for the page on their bytes, without making strings of them. */
import { type LazyTexts, lazyTexts, type TextEncoding, type TextModule } from '../catalog/model.ts'
import { isSameList } from '../shared/split.ts'
import { createPlainReader, keysOfSkeleton, type PlainOrder, type PlainReader } from './plain.ts'

/**
 * Sorts the keys and drops the gaps. `undefined`: the file is not plain, or has an error. The languages of a namespace
 * mostly have the same keys, which are sorted only once then.
 */
export type TextWriter = (namespace: string, file: Buffer) => LazyTexts | undefined

export interface TextWriterOptions {
  readonly reader?: PlainReader
  /** Empty texts are no gaps: the full parser reads files with such texts. */
  readonly keepsEmpty?: boolean
  /** Takes over the bytes of a module, which the next file overwrites. Default: copies them. */
  readonly store?: (module: TextModule) => TextModule
}

const copied = (module: TextModule): TextModule => ({ ...module, bytes: Buffer.from(module.bytes) })

/** The properties that files with the same keys in the same order share. */
interface Shape extends PlainOrder {
  readonly skeleton: Buffer
  /** Sorted, gaps included. Files with equal keys share the array. */
  readonly keys: readonly string[]
  /** The texts of such keys have an encoding. */
  readonly isAccepted: boolean
}

/** @param known lists of sorted keys that other texts have: equal keys become these arrays */
export function createTextWriter(
  separator: string,
  encoding: TextEncoding,
  known: readonly (readonly string[])[] = [],
  { reader = createPlainReader(), keepsEmpty = false, store = copied }: TextWriterOptions = {},
): TextWriter {
  const shapes = new Map<string, Shape>()
  const lists = new Map(known.map((keys) => [listId(keys), keys]))

  const shapeOf = (skeleton: Buffer): Shape | undefined => {
    const given = keysOfSkeleton(skeleton, separator)
    if (!given) return undefined
    // Nearly sorted keys, as numbered ones, take few comparisons. By UTF-16 code unit, as `compareCodeUnits`.
    const places = Array.from(given.keys()).sort((a, b) => ((given[a] as string) < (given[b] as string) ? -1 : 1))
    const sorted = places.map((place) => given[place] as string)
    const same = lists.get(listId(sorted))
    const keys = same && isSameList(same, sorted) ? same : sorted
    lists.set(listId(keys), keys)
    // Keys without a backslash need no escapes: the file is valid UTF-8 and JSON.
    const isPlain = !hasEscapes(separator) && !skeleton.includes('\\')
    const spelled = isPlain ? keys : keys.map((key) => JSON.stringify(key).slice(1, -1))
    const text = keys.length === 0 ? '' : `"${spelled.join('":"')}":`
    const names = Buffer.from(text)
    const isAscii = names.length === text.length
    let end = 0
    return {
      skeleton: Buffer.from(skeleton),
      keys,
      isAccepted: encoding.accepts(keys),
      places: Uint32Array.from(places),
      names,
      nameEnds: Uint32Array.from(spelled, (name) => {
        end += (isAscii ? name.length : Buffer.byteLength(name)) + NAME_MARKS
        return end
      }),
    }
  }

  return (namespace, file) => {
    const scan = reader.scan(file)
    if (!scan) return undefined
    const last = shapes.get(namespace)
    const shape = last?.skeleton.equals(scan.skeleton) ? last : shapeOf(scan.skeleton)
    if (!shape) return undefined
    shapes.set(namespace, shape)
    const { keys, isAccepted } = shape
    if (!isAccepted || (keepsEmpty && scan.textCount < keys.length)) return undefined
    return lazyTexts(store(encoding.encode(reader.write(shape, encoding))), keys, scan.textCount, encoding)
  }
}

/** Counts the texts of plain files, empty ones excluded. `undefined`: the file is not plain, or has an error. */
export function createTextCounter(separator: string): (namespace: string, file: Buffer) => number | undefined {
  const reader = createPlainReader()
  /** By namespace: the last skeleton without errors. */
  const checked = new Map<string, Buffer>()
  return (namespace, file) => {
    const scan = reader.scan(file)
    if (!scan) return undefined
    if (!checked.get(namespace)?.equals(scan.skeleton)) {
      if (!keysOfSkeleton(scan.skeleton, separator)) return undefined
      checked.set(namespace, Buffer.from(scan.skeleton))
    }
    return scan.textCount
  }
}

/** Two quotes and a colon. */
const NAME_MARKS = 3

const hasEscapes = (text: string) => JSON.stringify(text).length > text.length + 2

const listId = (keys: readonly string[]) => `${keys.length}\n${keys[0]}\n${keys.at(-1)}`
