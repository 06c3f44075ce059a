/** Messages about errors in JSON. They never quote strings from the file, which may contain an API key. */

export type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'comma or end' | 'nothing'

type Description = readonly [message: string, hint?: string]

const CUT_OFF = 'The file is truncated or still being written.'

export function describeBrokenString(text: string, at: number): Description {
  if (at >= text.length) return ['unterminated string at the end of the file', 'A closing quote is missing.']
  const code = text.charCodeAt(at)
  if (code === 0x5c) return [`${text.slice(at, at + 2)} is not a valid escape`, 'Write \\\\ for a backslash.']
  if (code === 0x0a || code === 0x0d) return ['unterminated string', 'Close the quote, or write \\n for a line break.']
  return [`control character (U+${hex(code)}) in a string`, `Write \\u${hex(code)}.`]
}

/** @param closer the character that closes the innermost object or array */
export function describeUnexpected(
  text: string,
  at: number,
  expected: Expected,
  closer: '}' | ']' | undefined,
): Description {
  const found = text[at]
  if (found === undefined) {
    return closer === undefined
      ? ['the file is empty', 'Write {} for a file without texts.']
      : [`unexpected end of file: "${closer}" expected`, CUT_OFF]
  }
  if (found === '}' || found === ']') return describeEnd(found, expected, closer)
  if (found === '"' && expected === 'comma or end') return ['missing comma', 'Add a comma before this entry.']
  if (found === '"' && expected === 'nothing') return ['unexpected content after the end of the JSON', 'Remove it.']
  return describeOther(text, at, expected)
}

function describeEnd(found: string, expected: Expected, closer: '}' | ']' | undefined): Description {
  if (closer === undefined) return [`unmatched "${found}"`, 'Remove it.']
  const isAfterComma = expected === 'key' || (expected === 'value' && closer === ']')
  if (isAfterComma && found === closer)
    return [`trailing comma before "${found}"`, 'Remove it: JSON does not allow trailing commas.']
  if (expected === 'value') return [`missing value before "${found}"`]
  return [`unexpected "${found}": "${closer}" expected`]
}

function describeOther(text: string, at: number, expected: Expected): Description {
  const rest = text.slice(at, at + 8)
  if (rest.startsWith('//') || rest.startsWith('/*')) return ['comments are not allowed in JSON', 'Remove the comment.']
  if (/^(?:<{7}|={7}|>{7}|\|{7})/.test(rest))
    return ['merge conflict marker', 'Resolve the conflict in this file first.']
  if (rest.startsWith("'")) return ['single quote', 'JSON requires double quotes.']
  const shown = showCharacter(text.codePointAt(at) ?? 0)
  if (expected === 'nothing') return ['unexpected content after the end of the JSON', 'Remove it.']
  if (expected === 'comma or end') return [`unexpected ${shown}: comma or end expected`]
  if (expected.startsWith('value')) return [`unexpected ${shown}: value expected`]
  if (rest.startsWith(',')) return ['unexpected comma', 'Remove it.']
  return [`unexpected ${shown}: key expected`, 'Keys are strings in double quotes.']
}

function showCharacter(code: number): string {
  const isInvisible = code < 0x21 || code === 0x7f || (code >= 0x80 && code < 0xa1) || code === 0xfeff
  return isInvisible ? `U+${hex(code)}` : JSON.stringify(String.fromCodePoint(code))
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0')
}
