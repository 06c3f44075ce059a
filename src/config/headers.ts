const CREDENTIAL_NAME = /auth|token|key|secret|cookie|pass|credential|session|signature|jwt/i

/**
 * Matches values that look like credentials: a mixture of uppercase letters, lowercase letters and digits, or a long
 * hexadecimal number.
 */
const CREDENTIAL_VALUE = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w.+/=~-]{20,}$|^[\da-fA-F-]{32,}$/

/** The minimum length of a secret part of a value. Shorter parts are words such as `Bearer`. */
const MIN_PIECE_LENGTH = 8

/**
 * The strings in these headers that must never be printed: values that look like credentials, and values of headers
 * whose names suggest credentials. Includes the token without its scheme (`Bearer ...`), the password without its user,
 * and the cookie without its name.
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
