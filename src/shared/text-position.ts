export interface TextPosition {
  readonly line: number
  readonly column: number
}

/**
 * Line and column (UTF-16 code units) of an offset, both from 1. A byte order mark takes no column; CRLF is one line
 * end.
 */
export function positionAt(text: string, offset: number): TextPosition {
  return createPositions(text.slice(0, offset + 1))(offset)
}

/** `positionAt` for many offsets of one text: the lines are found only once. */
export function createPositions(text: string): (offset: number) => TextPosition {
  const starts = [text.charCodeAt(0) === 0xfeff ? 1 : 0]
  for (const { 0: eol, index } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + eol.length)
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] as number) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: Math.max(1, offset - (starts[low] as number) + 1) }
  }
}
