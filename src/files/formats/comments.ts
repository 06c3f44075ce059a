/** The gaps between keys and values: whitespace, commas and comments. */

const COMMENT = /(?:\/\/|#)[^\r\n]*|\/\*[\s\S]*?\*\//g
const COMMENT_LINE = /(?:\r\n|\r|\n)[ \t]*(?:(?:\/\/|#)[^\r\n]*|\/\*[\s\S]*?\*\/)[ \t]*(?=[\r\n])/g
const COMMENT_WITH_SPACE = /[ \t]*(?:(?:\/\/|#)[^\r\n]*|\/\*[\s\S]*?\*\/)/g
const SAME_LINE = /(?:[ \t]*(?:\/\*(?:(?!\*\/)[^\r\n])*\*\/|(?:\/\/|#)[^\r\n]*))+(?=[ \t]*(?:[\r\n]|$))/y

export function hasComment(gap: string): boolean {
  return /\/[/*]|#/.test(gap)
}

/** The gap up to the end of its last comment; empty if there is none. */
export function commentsOf(gap: string): string {
  let end = 0
  for (const { 0: comment, index } of gap.matchAll(COMMENT)) end = index + comment.length
  return gap.slice(0, end)
}

/** The gap without its comments, and without lines that contain only comments. */
export function withoutComments(gap: string): string {
  return gap.replace(COMMENT_LINE, '').replace(COMMENT_WITH_SPACE, '')
}

/** The offset of the first comma that is not in a comment. */
export function commaIn(gap: string): number | undefined {
  const at = gap.replace(COMMENT, (comment) => ' '.repeat(comment.length)).indexOf(',')
  return at < 0 ? undefined : at
}

/** The comments after the offset, if nothing else follows on the line. */
export function sameLineComments(text: string, offset: number): string {
  SAME_LINE.lastIndex = offset
  return SAME_LINE.exec(text)?.[0] ?? ''
}

/** True if the gap ends inside a line comment. */
export function endsInLineComment(gap: string): boolean {
  const last = [...gap.matchAll(COMMENT)].at(-1)
  if (!last || last[0].startsWith('/*')) return false
  return !/[\r\n]/.test(gap.slice(last.index + last[0].length))
}

/** The gap's whitespace, without comments, commas and blank lines. */
export function spaceOf(gap: string, eol: string): string {
  const space = gap.replace(COMMENT, '').replace(',', '')
  const lineStart = Math.max(space.lastIndexOf('\n'), space.lastIndexOf('\r')) + 1
  return lineStart === 0 ? space : eol + space.slice(lineStart)
}
