/**
 * Escapes text that is unsafe in a script's string literal: line ends of old engines, and text that ends the element or
 * begins a comment.
 */
export function escapeForScript(text: string, lessThan: string): string {
  if (!/[<\u2028\u2029]/.test(text)) return text
  return text
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replace(/<(?=\/script|!--|script)/gi, lessThan)
}
