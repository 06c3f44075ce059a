/** Messages about mistakes in JSON. They quote no string of the text, which may hold an API key. */

export type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'comma or end' | 'nothing'

type Description = readonly [message: string, hint?: string]

const CUT_OFF = 'The file is cut off, or being written.'

export function describeBrokenString(text: string, at: number): Description {
  if (at >= text.length) return ['the text ends in the middle of a string', 'A closing quote is missing.']
  const code = text.charCodeAt(at)
  if (code === 0x5c) return [`${text.slice(at, at + 2)} is not an escape`, 'Write \\\\ for a backslash.']
  if (code === 0x0a || code === 0x0d)
    return ['a string is not closed on its line', 'Close the quote, or write \\n for a line break.']
  return [`a control character (U+${hex(code)}) stands in a string`, `Write \\u${hex(code)}.`]
}

/** @param closer the end of the innermost object or array */
export function describeUnexpected(
  text: string,
  at: number,
  expected: Expected,
  closer: '}' | ']' | undefined,
): Description {
  const found = text[at]
  if (found === undefined) {
    return closer === undefined
      ? ['the file is empty', 'Write {} for a file that has no texts.']
      : [`the text ends in the middle: "${closer}" is missing`, CUT_OFF]
  }
  if (found === '}' || found === ']') return describeEnd(found, expected, closer)
  if (found === '"' && expected === 'comma or end')
    return ['a comma is missing before this', 'Put a comma between two entries.']
  if (found === '"' && expected === 'nothing') return ['something follows the end of the JSON', 'Remove it.']
  return describeOther(text, at, expected)
}

function describeEnd(found: string, expected: Expected, closer: '}' | ']' | undefined): Description {
  if (closer === undefined) return [`"${found}" closes nothing`, 'Remove it.']
  const isAfterComma = expected === 'key' || (expected === 'value' && closer === ']')
  if (isAfterComma && found === closer)
    return [`a comma stands before "${found}"`, 'JSON allows no comma after the last entry: remove it.']
  if (expected === 'value') return [`a value is missing before "${found}"`]
  return [`"${found}" stands where "${closer}" is expected`]
}

function describeOther(text: string, at: number, expected: Expected): Description {
  const rest = text.slice(at, at + 8)
  if (rest.startsWith('//') || rest.startsWith('/*')) return ['a comment', 'JSON has no comments: remove it.']
  if (/^(?:<{7}|={7}|>{7}|\|{7})/.test(rest))
    return ['a merge conflict marker', 'Resolve the conflict in this file first.']
  if (rest.startsWith("'")) return ['a single quote', 'JSON wants double quotes.']
  const shown = showCharacter(text.codePointAt(at) ?? 0)
  if (expected === 'nothing') return ['something follows the end of the JSON', 'Remove it.']
  if (expected === 'comma or end') return [`${shown} stands where a comma or the end is expected`]
  if (expected.startsWith('value')) return [`${shown} stands where a value is expected`]
  if (rest.startsWith(',')) return ['a comma too many', 'Remove it.']
  return [`${shown} stands where a key is expected`, 'Keys are strings in double quotes.']
}

function showCharacter(code: number): string {
  const isInvisible = code < 0x21 || code === 0x7f || (code >= 0x80 && code < 0xa1) || code === 0xfeff
  return isInvisible ? `U+${hex(code)}` : JSON.stringify(String.fromCodePoint(code))
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0')
}
