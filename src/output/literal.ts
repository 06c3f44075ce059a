/** The only module that quotes values in generated code. */
import type { Messages } from '../catalog/model.ts'
import { type NestedStrings, nestStrings } from '../shared/flatten.ts'
import { isSameList } from '../shared/split.ts'

/**
 * Returns a JavaScript string literal that is safe in any script and in HTML. It escapes U+2028, U+2029, `</script`,
 * `<script` and `<!--`.
 */
export function stringLiteral(value: string): string {
  const json = JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'")
  return `'${escapeForScript(json, '\\x3C')}'`
}

/**
 * Returns a JavaScript expression for plain data. It calls `JSON.parse`, so that `__proto__` is an ordinary key. Unsafe
 * characters are escaped in the JSON and not in the literal, because a minifier may rewrite the literal and remove its
 * escapes.
 */
export function jsonParseLiteral(json: string): string {
  const safe = escapeForScript(json, '\\u003c')
  return `JSON.parse('${safe.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}')`
}

/**
 * Escapes what is unsafe in a script: U+2028 and U+2029, which are line ends for old engines, and anything that may end
 * a script element or start a comment.
 */
function escapeForScript(text: string, lessThan: string): string {
  if (!/[<\u2028\u2029]/.test(text)) return text
  return text
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replace(/<(?=\/script|!--|script)/gi, lessThan)
}

const START = 'export default '
const END = '\n'
/**
 * Matches a `__proto__` key, which would set an object literal's prototype. Does not match text inside strings, whose
 * quotes are escaped.
 */
const KEY_OF_PROTOTYPE = /[{,]"__proto__":/

/**
 * Returns a module that exports plain data. JSON is valid JavaScript with the same meaning, except for a `__proto__`
 * key.
 */
export function jsonModule(json: string): string {
  return `${START}${KEY_OF_PROTOTYPE.test(json) ? jsonParseLiteral(json) : escapeForScript(json, '\\u003c')}${END}`
}

/** Returns the expression that a result of `jsonModule` exports. It is on one line. */
export function expressionIn(module: Buffer): string {
  return module.toString('utf8', START.length, module.length - END.length)
}

/** Returns a property name for an object literal. `__proto__` is written so that it becomes an own property. */
export function propertyName(name: string): string {
  return name === '__proto__' ? `[${stringLiteral(name)}]` : stringLiteral(name)
}

type EncodeText = (text: string) => string

export const asString: EncodeText = (text) => JSON.stringify(text)

export const asJson: EncodeText = (json) => json

/** Returns JSON with its keys sorted by code unit, so that the same texts always produce the same bytes. */
export function messagesJson(messages: Messages, encode = asString, frames = new JsonFrames()): string {
  return frames.fill(messages, flatFrame, encode).json
}

/** Returns nested JSON. `kept` lists the keys that could not be split (see `nestStrings`). */
export function nestedMessagesJson(
  messages: Messages,
  separator: string,
  encode = asString,
  isObject?: (key: string) => boolean,
  frames = new JsonFrames(),
): { readonly json: string; readonly kept: readonly string[] } {
  return frames.fill(messages, (keys) => nestedFrame(keys, separator, isObject), encode)
}

interface JsonFrame {
  /** The parts of the JSON before, between and after the texts. */
  readonly pieces: readonly string[]
  /** For each text in the JSON, the index of its key. */
  readonly places: readonly number[]
  readonly kept: readonly string[]
}

/** Caches the last frame, because all languages of a namespace usually have the same keys in the same order. */
export class JsonFrames {
  #keys: readonly string[] = []
  #frame: JsonFrame | undefined

  fill(
    messages: Messages,
    make: (keys: readonly string[]) => JsonFrame,
    encode: EncodeText,
  ): { readonly json: string; readonly kept: readonly string[] } {
    const keys = [...messages.keys()]
    if (!this.#frame || !isSameList(this.#keys, keys)) [this.#keys, this.#frame] = [keys, make(keys)]
    const { pieces, places, kept } = this.#frame
    const texts = [...messages.values()]
    let json = ''
    for (let at = 0; at < places.length; at++)
      json += (pieces[at] as string) + encode(texts[places[at] as number] as string)
    return { json: json + pieces[places.length], kept }
  }
}

function flatFrame(keys: readonly string[]): JsonFrame {
  const placeOf = new Map(keys.map((key, place) => [key, place]))
  const sorted = [...keys].sort()
  const pieces = sorted.map((key, at) => `${at === 0 ? '{' : ','}${JSON.stringify(key)}:`)
  const places = sorted.map((key) => placeOf.get(key) as number)
  return { pieces: [...pieces, keys.length === 0 ? '{}' : '}'], places, kept: [] }
}

function nestedFrame(
  keys: readonly string[],
  separator: string,
  isObject: ((key: string) => boolean) | undefined,
): JsonFrame {
  const { value, kept } = nestStrings(
    keys.map((key, place) => [key, String(place)] as const),
    separator,
    isObject,
  )
  const pieces: string[] = []
  const places: number[] = []
  let piece = ''
  const add = (node: NestedStrings | string) => {
    if (typeof node === 'string') {
      pieces.push(piece)
      places.push(Number(node))
      piece = ''
      return
    }
    piece += '{'
    for (const [at, key] of Object.keys(node).sort().entries()) {
      piece += `${at === 0 ? '' : ','}${JSON.stringify(key)}:`
      add(node[key] as NestedStrings | string)
    }
    piece += '}'
  }
  add(value)
  return { pieces: [...pieces, piece], places, kept }
}
