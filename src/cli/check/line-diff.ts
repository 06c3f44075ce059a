/** The lines that a change takes out of a text, as a unified diff without context. Pure. */

/**
 * For changes that remove lines, and change lines at most at their end: where a removed last member leaves a comma. A
 * change of another kind shows all lines from there on.
 */
export function lineDiff(before: string, after: string): string[] {
  const [from, to] = [before.split('\n'), after.split('\n')]
  const lines: string[] = []
  let j = 0
  let isOpen = false
  const show = (at: number, mark: '-' | '+', text = '') => {
    if (!isOpen) lines.push(`@@ line ${at + 1} @@`)
    isOpen = true
    lines.push(`${mark}${text}`)
  }
  for (let i = 0; i < from.length; i++) {
    if (from[i] === to[j]) {
      isOpen = false
      j++
    } else if (j < to.length && isSameMember(from[i], to[j]) && !from.slice(i + 1).includes(to[j] as string)) {
      show(i, '-', from[i])
      show(i, '+', to[j++])
    } else show(i, '-', from[i])
  }
  for (; j < to.length; j++) show(from.length, '+', to[j])
  return lines
}

/** The line without its comma, or with less in it. */
function isSameMember(before = '', after = ''): boolean {
  const bare = (line: string) => line.trimEnd().replace(/,$/, '')
  const start = bare(after).slice(0, -1)
  return bare(before) === bare(after) || (start.trim() !== '' && before.startsWith(start))
}
