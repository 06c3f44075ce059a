/** For comparisons in which white space does not count. */
export function foldSpace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
