/** `service.headers`: which of their values are credentials. */

const CREDENTIAL_NAME = /auth|token|key|secret|cookie|pass|credential|session|signature|jwt/i

/** Letters of both cases with digits, or a long hexadecimal number: no word. */
const CREDENTIAL_VALUE = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w.+/=~-]{20,}$|^[\da-fA-F-]{32,}$/

/** Shorter pieces of a value are words such as `Bearer`. */
const MIN_PIECE_LENGTH = 8

/**
 * What no output, log or error may show of these headers: the values that look like credentials, by their header's
 * name or by themselves. A token is a secret without its scheme too (`Bearer ...`), a password without its user, a
 * cookie without its name.
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
