/** Sole owner of quoting: every value that goes into generated code passes here. */
import type { Messages } from '../catalog/model.ts'
import { compareCodeUnits } from '../catalog/model.ts'
import { type NestedStrings, nestStrings } from '../shared/flatten.ts'
import { escapeForScript } from './script-text.ts'
import { textModule } from './text-module.ts'

/** A JavaScript string literal, safe in any script and in HTML: U+2028, U+2029, `</script` and `<!--` are escaped. */
export function stringLiteral(value: string): string {
  const json = JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'")
  return `'${escapeForScript(json, '\\x3C')}'`
}

/**
 * A JavaScript expression for plain data, evaluated through `JSON.parse` so that `__proto__` stays an ordinary key.
 * What a script may not hold is escaped as JSON, inside the literal: a minifier that writes the literal anew cannot
 * bring it back.
 */
export function jsonParseLiteral(json: string): string {
  const safe = escapeForScript(json, '\\u003c')
  return `JSON.parse('${safe.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}')`
}

/** The JSON of one text. */
type EncodeText = (text: string) => string

const asString: EncodeText = (text) => JSON.stringify(text)

/** The same as a whole module. */
export function jsonModule(json: string): string {
  return textModule(json) ?? `export default ${jsonParseLiteral(json)}\n`
}

/** The flat JSON of values that are JSON already. */
export const asJson: EncodeText = (json) => json

/** JSON with the keys sorted by code unit: same texts, same bytes. */
export function messagesJson(messages: Messages, encode = asString): string {
  const keys = [...messages.keys()].sort(compareCodeUnits)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${encode(messages.get(key) as string)}`).join(',')}}`
}

/** The nested form of `messagesJson`; `kept` are the keys that could not be split (see `nestStrings`). */
export function nestedMessagesJson(
  messages: Messages,
  separator: string,
  encode = asString,
  isObject?: (key: string) => boolean,
): { readonly json: string; readonly kept: readonly string[] } {
  const { value, kept } = nestStrings(messages, separator, isObject)
  return { json: nestedJson(value, encode), kept }
}

function nestedJson(value: NestedStrings | string, encode: EncodeText): string {
  if (typeof value === 'string') return encode(value)
  const keys = Object.keys(value).sort(compareCodeUnits)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${nestedJson(value[key] as NestedStrings, encode)}`).join(',')}}`
}
