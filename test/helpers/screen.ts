/** What a terminal shows after everything that was written to it. */
import { stripVTControlCharacters } from 'node:util'

export function createScreen() {
  let text = ''
  return {
    write: (more: string) => {
      text += more
    },
    written: () => text,
    lines: () => render(text),
  }
}

/** The lines a terminal shows in the end. Of the control sequences, it knows those of this package's bars. */
export function render(text: string): string[] {
  const lines: string[] = ['']
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is tested
  for (const [token] of text.replaceAll('\r\n', '\n').matchAll(/\u001b\[[\d;]*[A-Za-z]|[\s\S]/g)) {
    const last = lines.length - 1
    if (token === '\n') lines.push('')
    else if (token.endsWith('A') && token.length > 1) lines.splice(last - Number(token.slice(2, -1)) + 1)
    else if (token === '\u001b[J') lines[last] = ''
    else if (token !== '\r' && !token.startsWith('\u001b')) lines[last] += token
  }
  return lines.slice(0, -1)
}

/** Every percentage that was shown, in its order. */
export function percentages(text: string, of = ''): number[] {
  const found = stripVTControlCharacters(text).matchAll(new RegExp(`${of}[^%\r\n]*?(\\d+)%`, 'g'))
  return [...found].map(([, figure]) => Number(figure))
}
