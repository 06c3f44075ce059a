/** Texts as the module a page fetches: JSON, which is JavaScript but for one key. */
import { escapeForScript } from '../shared/script-text.ts'
import { compareCodeUnits, type LazyTexts, type PlainTexts } from './model.ts'

const START = 'export default '
const END = '\n'

/** `undefined`: an object literal would take the key for the prototype. */
export function textModule(json: string): string | undefined {
  return json.includes('"__proto__"') ? undefined : `${START}${escapeForScript(json, '\\u003c')}${END}`
}

/** Texts that are kept as such a module. */
export function lazyModule(
  module: { readonly bytes: Buffer; readonly hash: string },
  keys: readonly string[],
  count: number,
): LazyTexts {
  return { hash: module.hash, count, keys, module, plain: remembered(() => parseTextModule(module.bytes)) }
}

/** As long as somebody else needs it. */
export function remembered(make: () => PlainTexts, first?: PlainTexts): () => PlainTexts {
  let made = first && new WeakRef(first)
  return () => {
    const known = made?.deref()
    if (known) return known
    const plain = make()
    made = new WeakRef(plain)
    return plain
  }
}

/** The inverse of `textModule`. */
function parseTextModule(module: Uint8Array): PlainTexts {
  const json = Buffer.from(
    module.buffer,
    module.byteOffset + START.length,
    module.byteLength - START.length - END.length,
  )
  return JSON.parse(json.toString('utf8')) as PlainTexts
}

export interface WrittenTexts {
  readonly json: string
  /** The keys in order, gaps included: the same array for every language that has the same keys. */
  readonly keys: readonly string[]
  /** How many texts are no gaps. */
  readonly count: number
}

/** Writes texts with their keys in order, without gaps: the bytes of `messagesJson`. */
export interface TextWriter {
  /** `tokens` are the texts as JSON, in the order of the keys; `undefined`: a key comes twice. */
  write(namespace: string, keys: readonly string[], tokens: readonly string[]): WrittenTexts | undefined
}

interface KeyOrder {
  readonly given: readonly string[]
  readonly keys: readonly string[]
  readonly quoted: readonly string[]
  /** Where each key in order stands among the given ones. */
  readonly places: readonly number[]
}

/**
 * Remembers each namespace's keys: its languages mostly have the same ones, and need no sorting then.
 *
 * @param known lists of keys in order that other texts have: equal ones are given as these arrays
 */
export function createTextWriter(known: readonly (readonly string[])[] = []): TextWriter {
  const orders = new Map<string, KeyOrder>()
  const lists = new Map(known.map((keys) => [listId(keys), keys]))
  return {
    write(namespace, given, tokens) {
      let order = orders.get(namespace)
      if (!order || !isSameList(order.given, given)) {
        if (new Set(given).size !== given.length) return undefined
        const made = orderOf(given)
        // The same keys in another order are the same keys.
        const same = lists.get(listId(made.keys))
        if (same && isSameList(same, made.keys)) order = { ...made, keys: same }
        else {
          order = made
          lists.set(listId(made.keys), made.keys)
        }
        orders.set(namespace, order)
      }
      const { keys, quoted, places } = order
      let json = ''
      let count = 0
      for (let i = 0; i < places.length; i++) {
        const token = tokens[places[i] as number] as string
        if (token === '""') continue
        json += (count === 0 ? '{' : ',') + quoted[i] + token
        count++
      }
      return { json: count === 0 ? '{}' : `${json}}`, keys, count }
    },
  }
}

function orderOf(given: readonly string[]): KeyOrder {
  const places = given.map((_, i) => i).sort((a, b) => compareCodeUnits(given[a] as string, given[b] as string))
  const keys = places.map((place) => given[place] as string)
  return { given, keys, quoted: keys.map((key) => `${JSON.stringify(key)}:`), places }
}

const listId = (keys: readonly string[]) => `${keys.length}\n${keys[0]}\n${keys.at(-1)}`

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
