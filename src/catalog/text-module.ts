/** Texts as the module a page fetches: JSON, which is JavaScript but for one key. */
import { escapeForScript } from '../shared/script-text.ts'
import { compareCodeUnits, type PlainTexts } from './model.ts'

const START = 'export default '
const END = '\n'

/** `undefined`: an object literal would take the key for the prototype. */
export function textModule(json: string): string | undefined {
  return json.includes('"__proto__"') ? undefined : `${START}${escapeForScript(json, '\\u003c')}${END}`
}

/** The inverse. */
export function parseTextModule(module: Uint8Array): PlainTexts {
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

/** Remembers each namespace's keys: its languages mostly have the same ones, and need no sorting then. */
export function createTextWriter(): TextWriter {
  const orders = new Map<string, KeyOrder>()
  return {
    write(namespace, given, tokens) {
      let order = orders.get(namespace)
      if (!order || !isSameList(order.given, given)) {
        if (new Set(given).size !== given.length) return undefined
        const known = order
        order = orderOf(given)
        // The same keys in another order are the same keys.
        if (known && isSameList(known.keys, order.keys)) order = { ...order, keys: known.keys }
        else orders.set(namespace, order)
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

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
