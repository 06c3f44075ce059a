/**
 * Escapes what a script's string literal may not hold: line ends of old engines, and text that ends or comments the
 * element.
 */
export function escapeForScript(text: string, lessThan: string): string {
  if (!/[<\u2028\u2029]/.test(text)) return text
  return text
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replace(/<(?=\/script|!--|script)/gi, lessThan)
}
