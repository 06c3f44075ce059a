export interface TextPosition {
  readonly line: number
  readonly column: number
}

/**
 * The line and column of an offset, both 1-based. Columns count UTF-16 code units. A byte order mark has no column, and
 * CRLF is a single line break.
 */
export function positionAt(text: string, offset: number): TextPosition {
  return createPositions(text.slice(0, offset + 1))(offset)
}

/** Like `positionAt`, but finds the lines only once for many offsets. */
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
