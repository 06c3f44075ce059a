/** References between the entries of `.env` files. Pure. */

/** `\$`, `$NAME`, `${NAME}`, `${NAME:-text}` (the text where the variable is empty) and `${NAME:+text}` (where it is not). */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{([\w.]+)(?:(:?[-+])((?:[^{}]|\{[^{}]*\})*))?\})/g

/**
 * The entries with their references replaced, as dotenv-expand does and so Vite: an entry may name any other, and `real` variables come
 * first. Unlike there, a reference through a reference ends well, whatever the order, and one that leads back to itself is empty.
 */
export function expandEntries(
  entries: Readonly<Record<string, string>>,
  real: Readonly<Record<string, string>>,
): Record<string, string> {
  const resolveName = (name: string, open: readonly string[]): string => {
    if (Object.hasOwn(real, name)) return real[name] ?? ''
    return open.includes(name) ? '' : expand(entries[name] ?? '', [...open, name])
  }
  const expand = (text: string, open: readonly string[]): string =>
    text.replace(REFERENCE, (match, bare?: string, braced?: string, operator = '', other = '') => {
      if (match === '\\$') return '$'
      const value = resolveName(bare ?? braced ?? '', open)
      const takesOther = operator.endsWith('+') ? value !== '' : value === ''
      if (takesOther) return expand(other, open)
      return operator.endsWith('+') ? '' : value
    })
  return Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, expand(text, [name])]))
}
