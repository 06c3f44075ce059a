/**
 * The quick way to read a translation file that a tool or a careful person wrote: the runtime's own parser, and one comparison that
 * proves what it does not tell. Whatever it is not sure about is for `parseTranslationText`.
 */
import type { PlainTexts } from '../catalog/model.ts'
import { MAX_DEPTH } from '../shared/flatten.ts'

/** `undefined`: not that plain, or not right; read it the careful way. */
export function parsePlainTexts(text: string, keySeparator: string): PlainTexts | undefined {
  // An escape may stand for half a character.
  if (text.includes('\\u')) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || !isWrittenOut(value, text)) return undefined
  return isFlat(value) ? value : flatten(value, keySeparator)
}

/** A key that comes twice, and anything else that parsing loses, makes another text. */
function isWrittenOut(value: object, text: string): boolean {
  const unix = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text
  const indent = /^\{\n([ \t]+)"/.exec(unix)?.[1]
  const written = JSON.stringify(value, null, indent)
  return written === unix || `${written}\n` === unix
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isFlat(value: Record<string, unknown>): value is Record<string, string> {
  for (const key in value) if (typeof value[key] !== 'string') return false
  return true
}

function flatten(value: Record<string, unknown>, separator: string): PlainTexts | undefined {
  const texts: Record<string, string> = Object.create(null)
  const add = (node: Record<string, unknown>, prefix: string, depth: number): boolean => {
    if (depth > MAX_DEPTH) return false
    return Object.entries(node).every(([name, child]) => {
      const key = prefix + name
      if (isObject(child)) return add(child, key + separator, depth + 1)
      // Two paths that join to one key, or what is no text.
      if (typeof child !== 'string' || key in texts) return false
      texts[key] = child
      return true
    })
  }
  return add(value, '', 1) ? texts : undefined
}
