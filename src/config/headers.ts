/** The credentials among the values of `service.headers`. */

const CREDENTIAL_NAME = /auth|token|key|secret|cookie|pass|credential|session|signature|jwt/i

/** Uppercase, lowercase and digits together, or a long hexadecimal number: not a word. */
const CREDENTIAL_VALUE = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w.+/=~-]{20,}$|^[\da-fA-F-]{32,}$/

/** Shorter parts of a value are words such as `Bearer`. */
const MIN_PIECE_LENGTH = 8

/**
 * The strings of these headers that must never be printed: values that look like credentials, by their header's name or
 * their form. Includes a token without its scheme (`Bearer ...`), a password without its user, and a cookie without its
 * name.
 */
export function headerSecrets(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const pieces = value.split(/[\s;,]+/).flatMap((piece) => [piece, piece.slice(piece.indexOf('=') + 1)])
    if (!CREDENTIAL_NAME.test(name) && !pieces.some((piece) => CREDENTIAL_VALUE.test(piece))) return []
    const basic = /^Basic\s+(\S+)$/i.exec(value)?.[1]
    const password =
      basic &&
      Buffer.from(basic, 'base64')
        .toString()
        .replace(/^[^:]*:/, '')
    const inner = [...pieces, ...(password ? [password] : [])]
    return [...new Set([value, ...inner.filter(({ length }) => length >= MIN_PIECE_LENGTH)])]
  })
}
