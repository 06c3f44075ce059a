/** References between the entries of `.env` files. Pure. */

/** `\$`, `$NAME`, `${NAME}`, and with a text if the variable is empty (`${NAME:-text}`) or not (`${NAME:+text}`). */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{([\w.]+)(?:(:?[-+])((?:[^{}]|\{[^{}]*\})*))?\})/g

/**
 * The entries with their references replaced, as dotenv-expand (and so Vite) does: an entry may name any other, and
 * `real` variables come first. Unlike there, an entry may name a later one that has references itself, and an entry
 * that leads back to itself is empty (Vite does not return).
 */
export function expandEntries(
  entries: ReadonlyMap<string, { readonly value: string }>,
  real: ReadonlyMap<string, string>,
): Map<string, string> {
  const lookUp = (name: string, open: readonly string[]): string =>
    real.get(name) ?? (open.includes(name) ? '' : expand(entries.get(name)?.value ?? '', [...open, name]))
  const expand = (text: string, open: readonly string[]): string =>
    text.replace(REFERENCE, (match, bare?: string, braced?: string, operator = '', other = '') => {
      if (match === '\\$') return '$'
      const value = lookUp(bare ?? braced ?? '', open)
      if (!operator.endsWith('+')) return value === '' ? expand(other, open) : value
      return value === '' ? '' : expand(other, open)
    })
  return new Map([...entries].map(([name, { value }]) => [name, expand(value, [name])]))
}
