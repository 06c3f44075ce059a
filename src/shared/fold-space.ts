/** Normalizes whitespace for comparisons that ignore it. */
export function foldSpace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
