/** The layout of a file, which a write keeps. */

export interface FileLayout {
  /** Whether the file begins with a byte order mark. */
  readonly bom: boolean
  readonly eol: '\n' | '\r\n' | '\r'
  /** One level of indentation; empty: the file is one line. */
  readonly indent: string
  readonly finalNewline: boolean
  /** The file writes characters outside ASCII as `\uXXXX`. */
  readonly asciiOnly: boolean
}

export interface UpdateOptions {
  readonly keySeparator: string
  /**
   * The shape of a file that does not show one: a new file, or a file without nested and dotted keys. Default `flat`.
   */
  readonly shape?: 'flat' | 'nested'
  /** The length of an array that a key names in any file of the namespace; `undefined`: no file has it. */
  readonly arrayLength?: ((key: string) => number | undefined) | undefined
  /** The file's name in messages. */
  readonly file?: string
}

/** The layout of a new file. */
export const DEFAULT_LAYOUT: FileLayout = { bom: false, eol: '\n', indent: '  ', finalNewline: true, asciiOnly: false }

/** The layout of a text; where the text does not show it, the layout of a new file. */
export function detectLayout(text: string): FileLayout {
  const bom = text.charCodeAt(0) === 0xfeff
  const body = bom ? text.slice(1) : text
  if (body.trim() === '' || body.trim() === '{}') {
    return { ...DEFAULT_LAYOUT, bom, eol: firstEol(body) ?? '\n', finalNewline: body === '' || /[\r\n]$/.test(body) }
  }
  const eol = firstEol(body)
  // The first line inside the outer object is one level deep.
  const indent = /^\s*\{[ \t]*(?:\r\n|\r|\n)(?:[ \t]*(?:\r\n|\r|\n))*([ \t]*)"/.exec(body)?.[1]
  return {
    bom,
    eol: eol ?? '\n',
    indent: indent ?? '',
    finalNewline: /[\r\n]$/.test(body),
    asciiOnly: /\\u(?!00[0-7])[0-9a-fA-F]{4}/.test(body) && !/[^\p{ASCII}]/u.test(body),
  }
}

function firstEol(text: string): FileLayout['eol'] | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0] as FileLayout['eol'] | undefined
}

/** A JSON string in this layout. */
export function quote(text: string, { asciiOnly }: FileLayout): string {
  const quoted = JSON.stringify(text)
  if (!asciiOnly) return quoted
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return quoted.replace(/[^\p{ASCII}]/gu, (character) => character.split('').map(escaped).join(''))
}
