/** Escapes text for a regular expression or a terminal. */

/** Escapes a string so that a regular expression matches it literally. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Like `printable`, but keeps line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** The text on one line, with escapes for control characters and characters that change the writing direction. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\t') return '\\t'
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
