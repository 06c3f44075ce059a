/** The tokens that JSON5 adds to JSON: single-quoted strings, more escapes, unquoted keys, and more numbers. */

/** Matches a string in single or double quotes without unescaped line breaks. */
export const JSON5_STRING = /"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*'/y
export const JSON5_NAME =
  /(?:[$_\p{ID_Start}]|\\u[0-9a-fA-F]{4})(?:[$\p{ID_Continue}]|\u200c|\u200d|\\u[0-9a-fA-F]{4})*/uy
export const JSON5_WORD =
  /^(?:true|false|null|[-+]?(?:Infinity|NaN|0[xX][0-9a-fA-F]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?))$/
export const JSON5_SPACE = /[\v\f\u00a0\ufeff\u2028\u2029\p{Zs}]/u

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))/g
const NAMED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  0: '\0',
  // A backslash before a line break continues the string on the next line.
  '\n': '',
  '\r': '',
  '\r\n': '',
  '\u2028': '',
  '\u2029': '',
}

/** Decodes a name or a string without its quotes. If an escape is invalid, returns its offset. */
export function decodeJson5(raw: string): string | number {
  if (!raw.includes('\\')) return raw
  let wrong: number | undefined
  const text = raw.replace(ESCAPE, (found, unit: string, byte: string, other: string, offset: number) => {
    const code = unit ?? byte
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    const isWrong = /[1-9ux]/.test(other) || (other === '0' && /\d/.test(raw[offset + found.length] ?? ''))
    if (isWrong) wrong ??= offset
    return NAMED[other] ?? other
  })
  return wrong ?? text
}

/** True if the key needs no quotes. */
export function isJson5Name(key: string): boolean {
  JSON5_NAME.lastIndex = 0
  return !key.includes('\\') && JSON5_NAME.exec(key)?.[0] === key
}

/** Unlike JSON5, JavaScript's `Number()` does not accept a sign before a hexadecimal number. */
export function json5Number(word: string): number {
  const size = Number(word.replace(/^[-+]/, ''))
  return word.startsWith('-') ? -size : size
}
