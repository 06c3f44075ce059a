/** References between the entries of `.env` files. Pure. */

/** `\$`, `$NAME`, `${NAME}`, and with a text where the variable is empty (`${NAME:-text}`) or not (`${NAME:+text}`). */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{([\w.]+)(?:(:?[-+])((?:[^{}]|\{[^{}]*\})*))?\})/g

/**
 * The entries with their references replaced, as dotenv-expand does and so Vite: an entry may name any other, and
 * `real` variables come first. Unlike there, an entry may name one that stands behind it and names others itself, and
 * one that leads back to itself is empty: Vite goes on for ever.
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
