/** What no string literal of a script may hold raw: line ends that old engines refuse, and what would close or comment a script element. */
export function escapeForScript(text: string, lessThan: string): string {
  if (!/[<\u2028\u2029]/.test(text)) return text
  return text
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replace(/<(?=\/script|!--|script)/gi, lessThan)
}
